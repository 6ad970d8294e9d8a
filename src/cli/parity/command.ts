// Options of `isobar parity`. Its code is loaded when it runs.

import type { Argv, CommandModule } from 'yargs';
import { ConfigError } from '../../base/errors.ts';

/** Maximum latency of the backtest, ms: a day. */
const MAX_LATENCY_MS = 86_400_000;

/** Returns the latency in ms, or `measured`. Throws ConfigError for any other text. */
function latencyOf(text: string): number | 'measured' {
  if (text === 'measured') return text;
  if (/^\d{1,8}$/.test(text) && Number(text) <= MAX_LATENCY_MS) return Number(text);
  throw new ConfigError(
    `--latency: expected ms from 0 to ${MAX_LATENCY_MS}, or measured, got ${JSON.stringify(text.slice(0, 40))}`,
    'such as --latency 300',
  );
}

/** Adds the options of the command. */
const options = (args: Argv) =>
  args
    .positional('folder', { type: 'string', demandOption: true, describe: 'The data folder of a bot' })
    .options({
      config: {
        type: 'string',
        requiresArg: true,
        describe: 'Config of the bot; default: the one of its last start',
      },
      latency: {
        type: 'string',
        requiresArg: true,
        describe: 'Latency of the backtest: ms, or measured for that of the bot; default: fills.latencyMs of the config, else 0',
        coerce: latencyOf,
      },
      json: { type: 'boolean', default: false, describe: 'Print one JSON object on stdout' },
    })
    .example('$0 parity bot --latency measured', 'compare with a backtest that has the latency of the bot')
    .example('$0 parity bot', 'shows where bot and backtest first differ, why, and how much money each cause cost');

type ParityArgs = ReturnType<typeof options> extends Argv<infer T> ? T : never;

/** The command `isobar parity`. */
export const parityCommand: CommandModule<object, ParityArgs> = {
  command: 'parity <folder>',
  describe: 'Compare a live bot with a backtest of its time: first difference, cause, bridge of money',
  builder: options,
  handler: async (args) => (await import('./action.ts')).parity(args),
};
