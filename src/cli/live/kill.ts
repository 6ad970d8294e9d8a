// Options of `isobar kill`. Its code is loaded when it runs.

import type { CommandModule } from 'yargs';
import { killCommandOptions, type KillArgs } from './killOptions.ts';

/** The command `isobar kill`. */
export const killCommand: CommandModule<object, KillArgs> = {
  command: 'kill',
  describe: 'Stop a bot permanently: cancel everything, prove it, and close its positions if asked',
  builder: killCommandOptions,
  handler: async (args) => (await import('./killAction.ts')).kill(args),
};
