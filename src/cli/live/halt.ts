// Options of `isobar halt`, `resume`, `acknowledge` and `tighten`. Their code is loaded when they run.

import type { Argv, CommandModule } from 'yargs';
import { withBotOptions, reasonOption, type BotSelection } from './botOptions.ts';
import { TEXT_OPTION } from '../options/textOption.ts';

/** The help of the argument `scope`. */
const SCOPE = 'account (default), market:spot, symbol:spot:BTCUSDT or strategy:NAME';

/** Adds the options of `isobar halt`. */
const haltOptions = (args: Argv) =>
  withBotOptions(args)
    .positional('scope', { type: 'string', default: 'account', describe: SCOPE })
    .options({ 'cancel-only': { type: 'boolean', default: false, describe: 'Also stop orders that reduce a position' }, ...reasonOption })
    .example('$0 halt symbol:spot:BTCUSDT --why "strange prices"', 'stops orders that open positions in one symbol');
/** Adds the options of `isobar resume`. */
const resumeOptions = (args: Argv) =>
  withBotOptions(args)
    .positional('scope', { type: 'string', default: 'account', describe: SCOPE })
    .options({ code: { ...TEXT_OPTION, describe: 'Cause to clear, as isobar status shows it; default: your own halt' }, ...reasonOption })
    .example('$0 resume account --code KILLED --why "looked at every position"', 're-arm after a kill, then start the bot');

/** Adds the options of `isobar tighten`. */
const tightenOptions = (args: Argv) =>
  withBotOptions(args)
    .positional('limit', { type: 'string', demandOption: true, describe: 'Limit under risk: of the config, such as maxOrderNotional' })
    .positional('value', { type: 'string', demandOption: true, describe: 'New value, written as in the config' })
    .options(reasonOption)
    .example('$0 tighten maxOrderNotional 1000 --why "thin market"', 'smaller orders from now on');

type TightenArgs = ReturnType<typeof tightenOptions> extends Argv<infer T> ? T : never;
type HaltArgs = ReturnType<typeof haltOptions> extends Argv<infer T> ? T : never;
type ResumeArgs = ReturnType<typeof resumeOptions> extends Argv<infer T> ? T : never;

/** The command `isobar halt`. */
export const haltCommand: CommandModule<object, HaltArgs> = {
  command: 'halt [scope]',
  describe: 'Stop new risk on a running bot; orders that reduce still leave',
  builder: haltOptions,
  handler: async (args) => (await import('./botActions.ts')).halt(args),
};

/** The command `isobar acknowledge`. */
export const acknowledgeCommand: CommandModule<object, BotSelection & { readonly json: boolean }> = {
  command: 'acknowledge',
  describe: 'Acknowledge the alarms of a running bot',
  builder: withBotOptions,
  handler: async (args) => (await import('./botActions.ts')).acknowledge(args),
};

/** The command `isobar tighten`. */
export const tightenCommand: CommandModule<object, TightenArgs> = {
  command: 'tighten <limit> <value>',
  describe: 'Tighten a risk limit of a running bot until its next start',
  builder: tightenOptions,
  handler: async (args) => (await import('./botActions.ts')).tighten(args),
};

/** The command `isobar resume`. */
export const resumeCommand: CommandModule<object, ResumeArgs> = {
  command: 'resume [scope]',
  describe: 'Clear a cause that stops a bot',
  builder: resumeOptions,
  handler: async (args) => (await import('./botActions.ts')).resume(args),
};
