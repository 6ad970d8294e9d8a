// Options of `isobar breakeven`. Its code is loaded when it runs.

import type { Argv, CommandModule } from 'yargs';
import { BAR_TIMEOUT_OPTION } from '../options/barTimeout.ts';
import { DATA_OPTIONS, SET_OPTION } from '../options/runRequest.ts';

/** Adds the options of the command. */
const options = (args: Argv) =>
  args
    .positional('what', { type: 'string', describe: 'A run definition (.yaml), or a strategy file (.ts) with --data or --demo' })
    .options({
      ...SET_OPTION,
      'bar-timeout': BAR_TIMEOUT_OPTION,
      json: { type: 'boolean', default: false, describe: 'Print the result alone as JSON on stdout' },
      demo: { type: 'boolean', default: false, describe: 'Run a strategy file, or a strategy of isobar, on synthetic bars' },
    })
    .options(DATA_OPTIONS)
    .group(['data', 'cash', 'symbol', 'interval', 'params'], 'Without a definition:')
    .example('$0 breakeven backtests/smaCross.yaml', 'shows the costs at which the strategy stops earning')
    .example('$0 breakeven backtests/smaCross.yaml --set fills.impact.coefficient=1', 'also shows the size at which it stops earning');

type BreakevenCommandArgs = ReturnType<typeof options> extends Argv<infer T> ? T : never;

/** The command `isobar breakeven`. */
export const breakevenCommand: CommandModule<object, BreakevenCommandArgs> = {
  command: 'breakeven [what]',
  describe: 'Find the fee, slippage, latency and size at which no profit is left',
  builder: options,
  handler: async (args) => (await import('./breakevenAction.ts')).breakeven(args),
};
