// Options of `isobar verify`. Its code is loaded when it runs.

import type { Argv } from 'yargs';
import { BAR_TIMEOUT } from '../options/barTimeout.ts';
import { text } from '../options/text.ts';

const options = (args: Argv) =>
  args
    .positional('run', { type: 'string', demandOption: true, describe: 'A run folder: runs/<date>-<name>' })
    .options({
      in: { ...text, describe: 'Folder in which the run was started; default: as it recorded' },
      'bar-timeout': BAR_TIMEOUT,
      json: { type: 'boolean', default: false, describe: 'Print the verdict as JSON on stdout' },
      quiet: { type: 'boolean', default: false, describe: 'Print nothing; the exit code says it: 0 identical, 3 not' },
    })
    .example('$0 verify runs/20240701-120000-smaCross', 'is it still the same result, and from the same inputs?');

export function withVerify(yargs: Argv): Argv {
  return yargs.command(
    'verify <run>',
    'Make a finished run again: identical, or the first difference and what changed',
    options,
    async (args) => (await import('./verifyAction.ts')).verify(args),
  );
}
