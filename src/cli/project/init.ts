// Options of `isobar init` and `isobar strategy`. Their code is loaded when they run.

import type { Argv } from 'yargs';

/** Equal to STRATEGY_KINDS of the task, which is loaded only when the command runs. */
const KINDS = ['breakout', 'pairs', 'grid', 'ml', 'portfolio'] as const;
const json = { type: 'boolean', default: false, describe: 'Print JSON on stdout' } as const;

/** Returns the parser with the commands `init` and `strategy`. */
export function addInitCommand(yargs: Argv): Argv {
  return yargs
    .command(
      'init [dir]',
      'Create a project folder: a strategy, its test, a run definition and bars',
      (args) =>
        args
          .positional('dir', { type: 'string', default: '.', describe: 'New folder; default: the current folder, if it is empty' })
          .example('$0 init my-strategies', 'then: cd my-strategies && npm i && npx isobar backtest backtests/first.yaml'),
      async (args) => (await import('./initAction.ts')).init(args.dir),
    )
    .command('strategy', 'Create, list or show strategies', (strategyCommand) =>
      strategyCommand
        .command(
          'new <name>',
          'Write strategies/<name>.ts and its test; with --like, its run definition too',
          (command) =>
            command
              .positional('name', { type: 'string', demandOption: true, describe: 'Name of the strategy, such as meanCross' })
              .option('like', { choices: KINDS, describe: 'Kind of the strategy; also writes backtests/<name>.yaml' })
              .example('$0 strategy new myPairs --like pairs', ''),
          async ({ name, like }) => {
            const { newStrategy, newStrategyLike } = await import('./initAction.ts');
            if (like === undefined) newStrategy(name);
            else newStrategyLike(name, like);
          },
        )
        .command(
          'list',
          'List the strategies of ./strategies and those of isobar',
          (command) => command.options({ json }),
          async (args) => (await import('./strategyActions.ts')).listAction(args),
        )
        .command(
          'show <file>',
          'Show the parameters of a strategy with range, unit and help; its feeds and warm-up',
          (command) => command.positional('file', { type: 'string', demandOption: true, describe: 'A strategy file' }).options({ json }),
          async (args) => (await import('./strategyActions.ts')).showAction(args),
        )
        .demandCommand(1, 1, 'Name a command: new, list or show'),
    );
}
