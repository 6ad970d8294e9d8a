// Options of `isobar init` and `isobar strategy`. Their code is loaded when they run.

import type { Argv } from 'yargs';

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
          'Write strategies/<name>.ts and its test',
          (one) => one.positional('name', { type: 'string', demandOption: true, describe: 'Such as meanCross' }),
          async ({ name }) => (await import('./initAction.ts')).newStrategy(name),
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
