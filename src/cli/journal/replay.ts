// Options of `isobar replay`. Its code is loaded when it runs.

import type { Argv, CommandModule } from 'yargs';

/** Adds the options of the command. */
const options = (args: Argv) =>
  args
    .positional('journal', { type: 'string', demandOption: true, describe: 'Folder of a journal, or the data folder of a bot' })
    .options({
      config: { type: 'string', requiresArg: true, describe: 'Config of the bot; default: the one of its last start' },
      json: { type: 'boolean', default: false, describe: 'Print one JSON object on stdout' },
    })
    .example('$0 replay bot', 'repeats every decision of the bot, and names the first that differs');

type ReplayArgs = ReturnType<typeof options> extends Argv<infer T> ? T : never;

/** The command `isobar replay`. */
export const replayCommand: CommandModule<object, ReplayArgs> = {
  command: 'replay <journal>',
  describe: 'Replay the decisions of a live bot from its journal, and compare them',
  builder: options,
  handler: async (args) => (await import('./replayAction.ts')).replay(args),
};
