// Options of `isobar sim`. Its code is loaded when it runs.

import type { Argv, CommandModule } from 'yargs';
import { text } from '../options/text.ts';

const options = (args: Argv) =>
  args
    .positional('what', { type: 'string', demandOption: true, describe: 'A run definition, or the config of a bot (.yaml)' })
    .options({
      days: { ...text, describe: 'How many days, a seed each; default 10' },
      from: { ...text, describe: 'The first seed; default 1' },
      seed: { ...text, describe: 'The day of this seed alone' },
      loud: { type: 'boolean', default: false, describe: 'With --seed: print all that happens on the day, on stderr' },
      json: { type: 'boolean', default: false, describe: 'Print one JSON object on stdout' },
    })
    .example('$0 sim backtests/smaCross.yaml --days 20', 'what do 20 days of faults cost, and which is the worst?')
    .example('$0 sim backtests/smaCross.yaml --seed 7 --loud', 'one day again, with everything visible');

type SimArgs = ReturnType<typeof options> extends Argv<infer T> ? T : never;

export const simCommand: CommandModule<object, SimArgs> = {
  command: 'sim <what>',
  describe: 'Let a bot live through days of lost answers, kills and outages: what breaks, what does it cost?',
  builder: options,
  handler: async (args) => (await import('./action.ts')).sim(args),
};
