// Options of `isobar data download` and `isobar data instruments`. Their code is loaded when one runs.

import type { Argv } from 'yargs';
import { accessOptions } from '../options/access.ts';
import { TEXT_OPTION } from '../options/textOption.ts';

const market = { choices: ['spot', 'futures'] as const, default: 'spot' as const, describe: 'Market' } as const;
const catalog = { ...TEXT_OPTION, default: 'data', describe: 'Folder of the catalog' } as const;
const json = { type: 'boolean', default: false, describe: 'Print JSON alone on stdout' } as const;

/** Options that `download` and `record` share: which sets, and how revised bars are handled. */
export const setOptions = {
  market,
  symbol: { ...TEXT_OPTION, demandOption: true, describe: 'Symbol as on the wire, or several: BTCUSDT,ETHUSDT; E-BTC-USDT on futures' },
  interval: { ...TEXT_OPTION, demandOption: true, describe: 'Length of a bar, such as 1m, 3m or 1d, or several: 1m,1h' },
  revised: {
    choices: ['keep', 'replace'] as const,
    default: 'keep' as const,
    describe: "Bars for which the exchange now has other figures: keep the catalog's, or replace them",
  },
  catalog,
  json,
} as const;

/** Adds the command `isobar data download`. */
export const downloadCommand = (yargs: Argv) =>
  yargs.command(
    'download',
    'Add the newest bars of an exchange to the catalog: at most 300 of each set',
    (args) =>
      args
        .options({
          ...setOptions,
          from: { ...TEXT_OPTION, describe: 'Leave out bars before this time, such as 2026-11-20 or 2026-11-20T08:00 (UTC)' },
        })
        .options(accessOptions),
    async (args) => (await import('./downloadActions.ts')).downloadData(args),
  );

/** Adds the command `isobar data instruments`. */
export const instrumentsCommand = (yargs: Argv) =>
  yargs.command(
    'instruments',
    'Refresh instrument records from what the exchange lists',
    (args) =>
      args
        .options({
          market: { ...market, default: undefined, describe: 'Market; default: both, or spot with --symbol' },
          symbol: { ...TEXT_OPTION, describe: 'Symbol, or several; default: all of the catalog' },
          catalog,
          json,
        })
        .options(accessOptions),
    async (args) => (await import('./downloadActions.ts')).refreshRecords(args),
  );
