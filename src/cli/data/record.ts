// Options of `isobar data record`. Its code is loaded when it runs.

import type { Argv } from 'yargs';
import { accessOptions } from '../options/access.ts';
import { setOptions } from './download.ts';

/** Adds the command `isobar data record`. */
export const recordCommand = (yargs: Argv) =>
  yargs.command(
    'record',
    'Keep adding the bars of an exchange to the catalog as they close, until Ctrl-C',
    (args) =>
      args.options({ ...setOptions, json: { ...setOptions.json, describe: 'Print a line of JSON for each event' } }).options(accessOptions),
    async (args) => (await import('./downloadActions.ts')).recordData(args),
  );
