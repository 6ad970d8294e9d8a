// Options of `isobar init` and `isobar strategy`. Their code is loaded when they run.

import type { Argv } from 'yargs';

/** Equal to STRATEGY_KINDS of the task. The task is loaded only when the command runs. */
const KINDS = ['breakout', 'pairs', 'grid', 'ml', 'portfolio'] as const;
const json = { type: 'boolean', default: false, describe: 'Print JSON on stdout' } as const;

export function withInit(yargs: Argv): Argv {
  return yargs
    .command(
      'init [dir]',
      'Make a project folder: a strategy, its test, a run definition, bars to begin with',
      (args) =>
        args
          .positional('dir', { type: 'string', default: '.', describe: 'A new folder; default: the current one, if it is empty' })
          .example('$0 init my-strategies', 'then: cd my-strategies && npm i && npx isobar backtest backtests/first.yaml'),
      async (args) => (await import('./initAction.ts')).init(args.dir),
    )
    .command('strategy', 'Strategies: new, list, show', (args) =>
      args
        .command(
          'new <name>',
          'Write strategies/<name>.ts and its test, or one of a kind and its definition',
          (one) =>
            one
              .positional('name', { type: 'string', demandOption: true, describe: 'Such as meanCross' })
              .option('like', { choices: KINDS, describe: 'A kind to begin with, and backtests/<name>.yaml' })
              .example('$0 strategy new myPairs --like pairs', ''),
          async ({ name, like }) => {
            const { newStrategy, newStrategyLike } = await import('./initAction.ts');
            if (like === undefined) newStrategy(name);
            else newStrategyLike(name, like);
          },
        )
        .command(
          'list',
          'The strategies of ./strategies, and those that come with isobar',
          (all) => all.options({ json }),
          async (given) => (await import('./strategyActions.ts')).listAction(given),
        )
        .command(
          'show <file>',
          'Parameters with range, unit and help; feeds; warm-up',
          (one) => one.positional('file', { type: 'string', demandOption: true, describe: 'A strategy file' }).options({ json }),
          async (given) => (await import('./strategyActions.ts')).showAction(given),
        )
        .demandCommand(1, 1, 'Name a command: new, list or show'),
    );
}
