// Options of `isobar parity`. Its code is loaded when it runs.

import type { Argv, CommandModule } from 'yargs';

const options = (args: Argv) =>
  args
    .positional('folder', { type: 'string', demandOption: true, describe: 'The data folder of a bot' })
    .options({
      config: {
        type: 'string',
        requiresArg: true,
        describe: 'The config that the bot ran with; default: the one that it was started with',
      },
      json: { type: 'boolean', default: false, describe: 'Print one JSON object on stdout' },
    })
    .example('$0 parity bot', 'where did the bot and its backtest part, why, and what did each cause cost?');

type ParityArgs = ReturnType<typeof options> extends Argv<infer T> ? T : never;

export const parityCommand: CommandModule<object, ParityArgs> = {
  command: 'parity <folder>',
  describe: 'Compare a live bot with a backtest of its time: first difference, cause, bridge of money',
  builder: options,
  handler: async (args) => (await import('./action.ts')).parity(args),
};
