// Options of `isobar status` and `isobar positions`. Their code is loaded when they run.

import type { CommandModule } from 'yargs';
import { withBotOptions, type BotSelection } from './botOptions.ts';

type Args = BotSelection & { readonly json: boolean };

/** The command `isobar status`. */
export const statusCommand: CommandModule<object, Args> = {
  command: 'status',
  describe: 'Show a running bot: states and causes, equity, orders, limits, health',
  builder: (args) => withBotOptions(args).example('$0 status --data bot', 'the bot whose data folder is ./bot'),
  handler: async (args) => (await import('./botActions.ts')).printStatus(args),
};

/** The command `isobar positions`. */
export const positionsCommand: CommandModule<object, Args> = {
  command: 'positions',
  describe: 'Show the positions of a running bot',
  builder: withBotOptions,
  handler: async (args) => (await import('./botActions.ts')).printPositions(args),
};
