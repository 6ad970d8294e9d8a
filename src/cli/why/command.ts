// Options of `isobar why`. Its code is loaded when it runs.

import type { Argv } from 'yargs';
import { BAR_TIMEOUT } from '../options/barTimeout.ts';
import { text } from '../options/text.ts';

const options = (args: Argv) =>
  args
    .positional('folder', {
      type: 'string',
      demandOption: true,
      describe: 'A run folder (runs/<date>-<name>), or the data folder of a bot',
    })
    .options({
      at: { ...text, describe: 'A UTC time inside the bar: 2024-01-01T08:30, or ms since 1970' },
      symbol: { ...text, describe: 'Symbol of the bar; default: that of the main feed' },
      order: { ...text, describe: 'Number of an order instead: order_id in orders.csv, or the number in the journal of a bot' },
      in: { ...text, describe: 'Folder in which the run was started; default: as it recorded' },
      config: { ...text, describe: 'For a bot: the config that it ran with; default: the one that it was started with' },
      'bar-timeout': BAR_TIMEOUT,
      json: { type: 'boolean', default: false, describe: 'Print the explanation as JSON on stdout' },
    })
    .example('$0 why runs/20240701-120000-smaCross --order 12', 'why was it sent, what did each rule say, and how did it fill?')
    .example('$0 why runs/20240701-120000-smaCross --at 2024-03-01T08:30', 'why did this bar trade, or not?');

export function withWhy(yargs: Argv): Argv {
  return yargs.command(
    'why <folder>',
    'Make a run again to one bar and show why it traded or not: values, conditions, risk, matching',
    options,
    async (args) => (await import('./action.ts')).why(args),
  );
}
