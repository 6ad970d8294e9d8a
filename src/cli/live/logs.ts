// Options of `isobar logs`. Its code is loaded when it runs.

import type { Argv, CommandModule } from 'yargs';
import { withBotOptions } from './botOptions.ts';

const options = (args: Argv) =>
  withBotOptions(args).options({
    lines: { type: 'string', requiresArg: true, default: '50', describe: 'Number of the newest lines to print' },
    follow: { type: 'boolean', alias: 'f', default: false, describe: 'Print new lines until Ctrl-C' },
  });

type Args = ReturnType<typeof options> extends Argv<infer T> ? T : never;

/** The command `isobar logs`. */
export const logsCommand: CommandModule<object, Args> = {
  command: 'logs',
  describe: 'Print the newest log lines of a running bot',
  builder: options,
  handler: async (args) => (await import('./botActions.ts')).printLogs(args),
};
