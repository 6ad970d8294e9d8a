// Options of `isobar report`. Its code is loaded when it runs.

import type { Argv } from 'yargs';
import { PROFILE_NAMES } from '../../report/profiles/names.ts';
import { TEXT_OPTION } from '../options/textOption.ts';

/** Adds the options of the command. */
const options = (args: Argv) =>
  args
    .positional('run', { type: 'string', demandOption: true, describe: 'A run folder: runs/<date>-<name>' })
    .positional('other', { type: 'string', describe: 'Second run folder, to compare with the first' })
    .options({
      as: { choices: PROFILE_NAMES, describe: 'Show the figures of another tool, by its definitions, beside those of isobar' },
      open: { type: 'boolean', default: false, describe: 'Open the report in the browser' },
      breakdowns: {
        type: 'boolean',
        default: false,
        describe: 'Add tables of the trades by symbol, side, tag, exit reason, holding time, hour',
      },
      out: { ...TEXT_OPTION, describe: 'Folder for the page of a comparison; default: beside the first run' },
      json: { type: 'boolean', default: false, describe: 'Print summary.json, the comparison or the figures as JSON on stdout' },
      quiet: { type: 'boolean', default: false, describe: 'Print only the path of the report' },
    })
    .example('$0 report runs/20240701-120000-smaCross --open', 'prints the table of a run again, and opens its report in the browser')
    .example('$0 report runs/20240701-120000-smaCross runs/20240701-130000-smaCross', 'compares two runs')
    .example('$0 report runs/20240701-120000-smaCross --as quantstats', 'shows the figures of quantstats, and where isobar differs');

/** Returns the parser with the command `report`. */
export function addReportCommand(yargs: Argv): Argv {
  return yargs.command('report <run> [other]', 'Show a finished run again, or compare two', options, async (args) =>
    (await import('./reportAction.ts')).report(args),
  );
}
