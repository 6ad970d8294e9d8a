// Options of `isobar why`. Its code is loaded when it runs.

import type { Argv } from 'yargs';
import { BAR_TIMEOUT_OPTION } from '../options/barTimeout.ts';
import { TEXT_OPTION } from '../options/textOption.ts';

/** Adds the options of the command. */
const options = (args: Argv) =>
  args
    .positional('folder', {
      type: 'string',
      demandOption: true,
      describe: 'A run folder (runs/<date>-<name>), or the data folder of a bot',
    })
    .options({
      at: { ...TEXT_OPTION, describe: 'UTC time inside the bar: 2024-01-01T08:30, or ms since 1970' },
      symbol: { ...TEXT_OPTION, describe: 'Symbol of the bar; default: that of the main feed' },
      order: { ...TEXT_OPTION, describe: 'Number of an order: order_id in orders.csv, or the number in the journal of a bot' },
      in: { ...TEXT_OPTION, describe: 'Folder in which the run was started; default: the recorded one' },
      config: { ...TEXT_OPTION, describe: 'Config of the bot; default: the one of its last start' },
      'bar-timeout': BAR_TIMEOUT_OPTION,
      json: { type: 'boolean', default: false, describe: 'Print the explanation as JSON on stdout' },
    })
    .example('$0 why runs/20240701-120000-smaCross --order 12', 'shows why the order was sent, the verdict of each rule, and the fills')
    .example('$0 why runs/20240701-120000-smaCross --at 2024-03-01T08:30', 'shows why the strategy traded at this bar, or did not');

/** Returns the parser with the command `why`. */
export function addWhyCommand(yargs: Argv): Argv {
  return yargs.command(
    'why <folder>',
    'Repeat a run up to one bar and explain its trades: values, conditions, risk, matching',
    options,
    async (args) => (await import('./action.ts')).why(args),
  );
}
