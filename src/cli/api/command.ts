// Options of `isobar api`. Its code is loaded when it runs.

import type { Argv } from 'yargs';
import { accessOptions } from '../options/access.ts';
import { TEXT_OPTION } from '../options/textOption.ts';

const flag = { type: 'boolean', default: false } as const;

/** Adds the options of the command. */
const options = (args: Argv) =>
  args
    .positional('endpoint', { type: 'string', describe: 'Name such as spot.klines; --list prints all of them' })
    .positional('parameters', { type: 'string', array: true, default: [], describe: 'name=value, such as symbol=BTCUSDT' })
    .options({
      list: { ...flag, describe: 'Print the endpoints with their parameters; with a name, all about that one' },
      'dry-run': { ...flag, describe: 'Print the request and the string to sign; send nothing' },
      json: { ...flag, describe: 'Print JSON alone on stdout; ids and decimals are text' },
      ...accessOptions,
      timeout: { ...TEXT_OPTION, default: '10', describe: 'Seconds to wait for the answer' },
      verbose: { ...flag, describe: 'Report every request on stderr' },
    })
    .example('$0 api spot.klines symbol=BTCUSDT interval=1h limit=5', 'the last five bars')
    .example('$0 api spot.newOrder symbol=BTCUSDT side=BUY type=LIMIT price=60000 volume=0.001 --dry-run', 'shown, not sent')
    .epilogue('Keys come from ISOBAR_API_KEY and ISOBAR_API_SECRET, or from files: docs/exchange-access.md');

/** Adds the command `isobar api`. */
export function addApiCommand(yargs: Argv): Argv {
  return yargs.command('api [endpoint] [parameters..]', 'Call one endpoint of an exchange', options, async (args) =>
    (await import('./action.ts')).api(args),
  );
}
