// Declares the command `isobar backtest` and its options. Its action is loaded only when the command runs, so that other commands start fast.

import type { Argv } from 'yargs';
import { BAR_TIMEOUT_OPTION } from '../options/barTimeout.ts';
import { FAMILY_OPTION } from '../options/family.ts';
import { TEXT_OPTION } from '../options/textOption.ts';
import { DATA_OPTIONS, SET_OPTION } from '../options/runRequest.ts';

/** Adds the options of the command. `what` is its run definition or strategy file. The envelope: docs/envelope.md. */
const addOptions = (args: Argv) =>
  args
    .positional('what', { type: 'string', describe: 'A run definition (.yaml), or a strategy file (.ts) with --data or --demo' })
    .options({
      ...SET_OPTION,
      out: { ...TEXT_OPTION, default: 'runs', describe: 'Folder under which the run folder is made' },
      json: { type: 'boolean', default: false, describe: 'Print summary.json alone on stdout' },
      quiet: { type: 'boolean', default: false, describe: 'Print only the path of the run folder' },
      report: { type: 'boolean', default: true, describe: 'Write report.html; --no-report leaves it out' },
      'break-even': {
        type: 'boolean',
        default: false,
        describe: 'Also find the fee, slippage, latency and size at which no profit is left',
      },
      envelope: {
        type: 'boolean',
        default: true,
        describe: 'Compute the envelope of the result; --no-envelope leaves it out',
      },
      'bar-timeout': BAR_TIMEOUT_OPTION,
      family: FAMILY_OPTION,
      ledger: { ...TEXT_OPTION, describe: 'Folder of the trial ledger; default: ledger, beside the catalog' },
      demo: { type: 'boolean', default: false, describe: 'Run a strategy file, or a strategy of isobar, on synthetic bars' },
    })
    .options(DATA_OPTIONS)
    .group(['data', 'cash', 'symbol', 'interval', 'params'], 'Without a definition:')
    .example('$0 backtest --demo', 'shows what a run looks like')
    .example('$0 backtest backtests/smaCross.yaml --set params.fast=20', 'a definition with one key changed')
    .example('$0 backtest strategies/smaCross.ts --data BTCUSDT-1m.csv.gz --cash 10000', 'a strategy on a file of bars');

/** Adds the command `backtest` to the parser. */
export function addBacktestCommand(yargs: Argv): Argv {
  return yargs.command('backtest [what]', 'Run a strategy over bars; write a run folder with a report', addOptions, async (args) =>
    (await import('./backtestAction.ts')).runBacktestCommand(args),
  );
}
