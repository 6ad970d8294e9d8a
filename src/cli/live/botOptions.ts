// Options that select the bot, for all commands about a running bot.

import type { Argv } from 'yargs';
import { TEXT_OPTION } from '../options/textOption.ts';

/** The options of each command about a running bot. */
export const botOptions = {
  data: { ...TEXT_OPTION, describe: 'Data folder of the bot; default: that of --config, ./bot, or the only running bot' },
  config: { ...TEXT_OPTION, describe: 'Config of the bot, which names its data folder' },
  json: { type: 'boolean', default: false, describe: 'Print JSON alone on stdout' },
} as const;

/** The option for the reason of an action. */
export const reasonOption = { why: { ...TEXT_OPTION, demandOption: true, describe: 'Reason, stored in the journal' } } as const;

/** Returns a command with these options. */
export const withBotOptions = (args: Argv) => args.options(botOptions);

/** The options that select a bot. */
export interface BotSelection {
  readonly data?: string | undefined;
  readonly config?: string | undefined;
}
