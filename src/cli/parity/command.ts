// Options of `isobar parity`. Its code is loaded when it runs.

import type { Argv, CommandModule } from 'yargs';
import { ConfigError } from '../../base/errors.ts';

const MAX_MS = 86_400_000;

function latencyOf(text: string): number | 'measured' {
  if (text === 'measured') return text;
  if (/^\d{1,8}$/.test(text) && Number(text) <= MAX_MS) return Number(text);
  throw new ConfigError(
    `--latency: expected ms from 0 to ${MAX_MS}, or measured, got ${JSON.stringify(text.slice(0, 40))}`,
    'such as --latency 300',
  );
}

const options = (args: Argv) =>
  args
    .positional('folder', { type: 'string', demandOption: true, describe: 'The data folder of a bot' })
    .options({
      config: {
        type: 'string',
        requiresArg: true,
        describe: 'The config that the bot ran with; default: the one that it was started with',
      },
      latency: {
        type: 'string',
        requiresArg: true,
        describe: 'Latency of the backtest: ms, or measured for the one that the bot had; default: fills.latencyMs of the config, else 0',
        coerce: latencyOf,
      },
      json: { type: 'boolean', default: false, describe: 'Print one JSON object on stdout' },
    })
    .example('$0 parity bot --latency measured', 'compare with a backtest that has the latency of the bot')
    .example('$0 parity bot', 'where did the bot and its backtest part, why, and what did each cause cost?');

type ParityArgs = ReturnType<typeof options> extends Argv<infer T> ? T : never;

export const parityCommand: CommandModule<object, ParityArgs> = {
  command: 'parity <folder>',
  describe: 'Compare a live bot with a backtest of its time: first difference, cause, bridge of money',
  builder: options,
  handler: async (args) => (await import('./action.ts')).parity(args),
};
