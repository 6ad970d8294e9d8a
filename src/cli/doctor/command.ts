// Options of `isobar doctor`. Its code is loaded when it runs.

import type { Argv, CommandModule } from 'yargs';
import { accessOptions } from '../options/access.ts';
import { TEXT_OPTION } from '../options/textOption.ts';

/** Adds the options of the command. */
const options = (args: Argv) =>
  args
    .options({
      market: { choices: ['spot', 'futures', 'both'] as const, describe: 'Markets to check; default: those with an address' },
      symbol: { ...TEXT_OPTION, describe: 'Symbols to trade: BTCUSDT,ETHUSDT,E-BTC-USDT; default: the catalog' },
      catalog: { ...TEXT_OPTION, default: 'data', describe: 'Folder whose instrument records are compared' },
      ...accessOptions,
      timeout: { ...TEXT_OPTION, default: '10', describe: 'Seconds to wait for each answer' },
      json: { type: 'boolean', default: false, describe: 'Print JSON alone on stdout' },
      bundle: { ...TEXT_OPTION, describe: 'Write a support bundle to this file: no key, no amounts' },
    })
    .example('$0 doctor --spot-url https://api.example.com', 'can this computer trade there, and if not, why')
    .epilogue('Changes nothing and places nothing. docs/doctor.md explains every check.');

type DoctorCommandArgs = ReturnType<typeof options> extends Argv<infer T> ? T : never;

/** The command `isobar doctor`. */
export const doctorCommand: CommandModule<object, DoctorCommandArgs> = {
  command: 'doctor',
  describe: 'Look for what keeps this computer from trading on an exchange, and say how to fix it',
  builder: options,
  handler: async (args) => (await import('./action.ts')).doctor(args),
};
