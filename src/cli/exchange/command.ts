// Options of `isobar exchange`. Its code is loaded when it runs.

import type { Argv, CommandModule } from 'yargs';
import { TEXT_OPTION } from '../options/textOption.ts';

/** Adds the options of the command. */
const options = (args: Argv) =>
  args
    .positional('config', { type: 'string', describe: 'YAML file: instruments, accounts, limits (docs/paper-exchange.md)' })
    .options({
      demo: { type: 'boolean', default: false, describe: 'No file: seeded synthetic prices and one funded account' },
      port: { ...TEXT_OPTION, default: '8080', describe: 'Port of both interfaces; 0 takes a free one' },
      host: { ...TEXT_OPTION, default: '127.0.0.1', describe: 'Address to listen on' },
      speed: { ...TEXT_OPTION, describe: 'Replay speed for bars, 1 is real time; bars that match orders advance only with it' },
      profile: { ...TEXT_OPTION, describe: 'YAML file of switch values, over the profile of the config' },
      control: { ...TEXT_OPTION, describe: 'Port for faults and time, on loopback; off by default' },
      follow: { ...TEXT_OPTION, describe: 'Base URL of a service whose public prices and books this exchange follows' },
      data: { ...TEXT_OPTION, describe: 'Folder that stores accounts, orders and trades; without it they end with the process' },
      seed: { ...TEXT_OPTION, describe: 'Seed of synthetic prices, over that of the config' },
      quiet: { type: 'boolean', default: false, describe: 'Print nothing on stderr' },
    })
    .example('$0 exchange --demo --port 0', 'its first line on stdout is JSON: addresses, key and secret')
    .example('$0 exchange config/exchange.example.yaml', 'an exchange of your own');

type ExchangeArgs = ReturnType<typeof options> extends Argv<infer T> ? T : never;

/** The command `isobar exchange`. */
export const exchangeCommand: CommandModule<object, ExchangeArgs> = {
  command: 'exchange [config]',
  describe: 'Run a paper exchange: real HTTP, signatures, limits and errors',
  builder: options,
  handler: async (args) => (await import('./action.ts')).exchange(args),
};
