// Options of `isobar prove`. Its code is loaded when it runs.

import type { Argv } from 'yargs';
import { BAR_TIMEOUT_OPTION } from '../options/barTimeout.ts';
import { TEXT_OPTION } from '../options/textOption.ts';
import { DATA_OPTIONS, SET_OPTION } from '../options/runRequest.ts';

/** Adds the options of the command. */
const options = (args: Argv) =>
  args
    .positional('what', { type: 'string', describe: 'A run definition (.yaml), or a strategy file (.ts) with --data' })
    .options({
      ...SET_OPTION,
      times: { ...TEXT_OPTION, default: '200', describe: 'Number of random times after which the data end or change' },
      quick: { type: 'boolean', default: false, describe: 'Use at most 20 random times' },
      'bar-timeout': BAR_TIMEOUT_OPTION,
      ledger: { ...TEXT_OPTION, describe: 'Folder of the trial ledger, which keeps the verdict; default: ledger, beside the catalog' },
      json: { type: 'boolean', default: false, describe: 'Print the verdict as JSON on stdout' },
      quiet: { type: 'boolean', default: false, describe: 'Print nothing; exit code 0 proved, 3 refuted, 4 not proved' },
    })
    .options(DATA_OPTIONS)
    .group(['data', 'cash', 'symbol', 'interval', 'params'], 'Without a definition:')
    .example('$0 prove backtests/smaCross.yaml', 'shows whether the strategy reads the future or keeps hidden state')
    .example('$0 prove strategies/smaCross.ts --data BTCUSDT-1m.csv.gz --cash 10000', 'a strategy on a file of bars');

/** Returns the parser with the command `prove`. */
export function addProveCommand(yargs: Argv): Argv {
  return yargs.command(
    'prove [what]',
    'Prove that a strategy reads no future and keeps no hidden state, or name the first difference',
    options,
    async (args) => (await import('./action.ts')).prove(args),
  );
}
