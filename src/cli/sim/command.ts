// Options of `isobar sim`. Its code is loaded when it runs.

import type { Argv, CommandModule } from 'yargs';
import { TEXT_OPTION } from '../options/textOption.ts';

/** Adds the options of the command. */
const options = (args: Argv) =>
  args
    .positional('what', { type: 'string', demandOption: true, describe: 'A run definition, or the config of a bot (.yaml)' })
    .options({
      days: { ...TEXT_OPTION, describe: 'Number of days, each with its own seed; default: 10' },
      from: { ...TEXT_OPTION, describe: 'First seed; default: 1' },
      seed: { ...TEXT_OPTION, describe: 'Simulate only the day of this seed' },
      loud: { type: 'boolean', default: false, describe: 'With --seed: print every event of the day on stderr' },
      json: { type: 'boolean', default: false, describe: 'Print one JSON object on stdout' },
    })
    .example('$0 sim backtests/smaCross.yaml --days 20', 'shows the cost of faults on 20 days, and the worst day')
    .example('$0 sim backtests/smaCross.yaml --seed 7 --loud', 'repeats one day, and prints all its events');

type SimArgs = ReturnType<typeof options> extends Argv<infer T> ? T : never;

/** The command `isobar sim`. */
export const simCommand: CommandModule<object, SimArgs> = {
  command: 'sim <what>',
  describe: 'Simulate days of a bot with lost answers, kills and outages; report broken rules and costs',
  builder: options,
  handler: async (args) => (await import('./action.ts')).sim(args),
};
