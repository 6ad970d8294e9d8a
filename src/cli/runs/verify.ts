// Options of `isobar verify`. Its code is loaded when it runs.

import type { Argv } from 'yargs';
import { BAR_TIMEOUT_OPTION } from '../options/barTimeout.ts';
import { TEXT_OPTION } from '../options/textOption.ts';

/** Adds the options of the command. */
const options = (args: Argv) =>
  args
    .positional('run', { type: 'string', demandOption: true, describe: 'A run folder: runs/<date>-<name>' })
    .options({
      in: { ...TEXT_OPTION, describe: 'Folder in which the run was started; default: the recorded one' },
      'bar-timeout': BAR_TIMEOUT_OPTION,
      json: { type: 'boolean', default: false, describe: 'Print the verdict as JSON on stdout' },
      quiet: { type: 'boolean', default: false, describe: 'Print nothing; exit code 0 identical, 3 different' },
    })
    .example('$0 verify runs/20240701-120000-smaCross', 'shows whether result and inputs are still the same');

/** Returns the parser with the command `verify`. */
export function addVerifyCommand(yargs: Argv): Argv {
  return yargs.command(
    'verify <run>',
    'Repeat a finished run; report that it is identical, or what differs and why',
    options,
    async (args) => (await import('./verifyAction.ts')).verify(args),
  );
}
