// The options of `isobar kill`.

import type { Argv } from 'yargs';
import { withBotOptions } from './botOptions.ts';

/** Adds the options of `isobar kill`. */
export const killCommandOptions = (args: Argv) =>
  withBotOptions(args)
    .options({
      flatten: { type: 'boolean', default: false, describe: 'Also close all positions, in slices that can only reduce them' },
      all: { type: 'boolean', default: false, describe: 'Also cancel foreign orders on this account' },
      separate: { type: 'boolean', default: false, describe: 'Do not ask the bot, because it hangs' },
      'give-up': {
        type: 'string',
        requiresArg: true,
        default: '10m',
        describe: 'Time without an answer of the exchange after which the kill ends: 30s, 10m',
      },
      why: {
        type: 'string',
        requiresArg: true,
        default: 'killed by hand',
        describe: 'Reason, stored with the kill switch and in the journal',
      },
    })
    .example('$0 kill', 'sends no more orders, cancels all open ones, and proves it')
    .epilogue('Works when the bot hangs. Exit code 0: all is cancelled (and flat); 4: the output names what is left. docs/operations.md');

/** The options of `isobar kill`. */
export type KillArgs = ReturnType<typeof killCommandOptions> extends Argv<infer T> ? T : never;
