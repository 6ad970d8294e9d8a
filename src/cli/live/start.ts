// Options of `isobar live`. Its code is loaded when it runs.

import type { Argv, CommandModule } from 'yargs';
import { TEXT_OPTION } from '../options/textOption.ts';

/** Adds the options of the command. */
const options = (args: Argv) =>
  args
    .positional('config', { type: 'string', describe: 'YAML file: strategy, feeds, capital, exchange (docs/live.md)' })
    .options({
      live: { type: 'boolean', default: false, describe: 'Trade with real money; the config needs mode: live as well' },
      confirm: { ...TEXT_OPTION, describe: 'Fingerprint of the account; needed once, before the first trade for real money' },
      demo: {
        type: 'boolean',
        default: false,
        describe: 'Without a config: a paper exchange, and a strategy that trades on it at once',
      },
      'accept-changes': {
        type: 'boolean',
        default: false,
        describe: 'Accept the changes of code, parameters or bars that the last start listed',
      },
      'require-proof': {
        type: 'boolean',
        default: false,
        describe: 'Accept only strategies whose code isobar prove or a backtest has proved',
      },
      json: { type: 'boolean', default: false, describe: 'Print the log as JSON lines, also on a terminal' },
      seconds: { ...TEXT_OPTION, describe: 'Stop the bot after this many seconds' },
    })
    .example('$0 live --demo', 'a bot at work within seconds; Ctrl-C ends it')
    .example('$0 live config/bot.paper-spot.example.yaml', 'a bot of your own on the paper exchange');

type LiveArgs = ReturnType<typeof options> extends Argv<infer T> ? T : never;

/** The command `isobar live`. */
export const liveCommand: CommandModule<object, LiveArgs> = {
  command: 'live [config]',
  describe: 'Run a bot on the paper exchange, or with real money',
  builder: options,
  handler: async (args) => (await import('./startAction.ts')).live(args),
};
