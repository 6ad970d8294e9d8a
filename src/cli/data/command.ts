// The command `isobar data`, and the options of its subcommands that need no exchange. Their code is loaded when one runs.

import type { Argv, CommandModule } from 'yargs';
import { downloadCommand, instrumentsCommand } from './download.ts';
import { recordCommand } from './record.ts';
import { FORMATS } from '../../adapters/catalog/rows/formats.ts';
import { TEXT_OPTION } from '../options/textOption.ts';

const catalog = { ...TEXT_OPTION, default: 'data', describe: 'Folder of the catalog' } as const;
const market = { choices: ['spot', 'futures'] as const, describe: 'Market' } as const;
const json = { type: 'boolean', default: false, describe: 'Print JSON alone on stdout' } as const;
const symbol = { ...TEXT_OPTION, describe: 'Symbol as on the wire, such as BTCUSDT' } as const;
const FILES = "Files such as BTCUSDT-1m.csv.gz, or patterns such as 'klines/BTCUSDT-1m-*.zip'";
const interval = { ...TEXT_OPTION, describe: 'Length of a bar, such as 5s, 1m, 3m, 2h, 1d, 1w or 1M' } as const;

/** Adds `isobar data import`. */
const importCommand = (yargs: Argv) =>
  yargs.command(
    'import <file...>',
    'Import bar files (CSV, JSON, feather, Parquet; plain, gzip or zip) into the catalog',
    (args) =>
      args.positional('file', { type: 'string', array: true, demandOption: true, describe: FILES }).options({
        symbol: { ...symbol, describe: 'Symbol; default: from the file name' },
        interval: { ...interval, describe: 'Interval; default: from the file name' },
        market: { ...market, describe: 'Market; default: from the file name, else spot' },
        as: {
          choices: ['bars', 'mark', 'funding', 'trades', 'series'] as const,
          default: 'bars' as const,
          describe:
            'Kind of the rows: bars, klines of the mark price or funding rates of a contract, single trades, or values of an external series',
        },
        name: { ...TEXT_OPTION, describe: 'With --as series: name by which strategies read the series' },
        time: { ...TEXT_OPTION, describe: 'With --as series: column of the times of the values' },
        'known-at': { ...TEXT_OPTION, describe: 'With --as series: column of the times at which the values became known' },
        value: { ...TEXT_OPTION, describe: 'With --as series: column of the values; default: the series name, or the only other column' },
        format: { choices: FORMATS, describe: 'Format of the files; default: found from their content' },
        catalog,
        instrument: { ...TEXT_OPTION, describe: 'JSON file with the instrument record' },
        'round-to-tick': {
          type: 'boolean',
          default: false,
          describe: 'Round prices that are finer than the precision instead of rejecting them',
        },
        'skip-bad': { type: 'boolean', default: false, describe: 'Set bad rows aside in a reject file instead of ending with the first' },
        rejects: { ...TEXT_OPTION, describe: 'The reject file; default: beside the bars, such as 1m.rejects.csv' },
        json,
      }),
    async (args) => {
      const { as } = args;
      if (as === 'series') return (await import('./externalSeries.ts')).importExternalData(args);
      (await import('./externalSeries.ts')).checkNotOfSeries(args, as);
      if (as === 'trades') return (await import('./importTrades.ts')).importTradeData(args);
      if (as !== 'bars') return (await import('./importSeries.ts')).importSeriesData({ ...args, as });
      return (await import('./actions.ts')).importData(args);
    },
  );

/** Adds `isobar data list`. */
const listCommand = (yargs: Argv) =>
  yargs.command(
    'list',
    'Show what the catalog has',
    (args) => args.options({ catalog, json }),
    async (args) => (await import('./actions.ts')).listData(args),
  );

/** Adds `isobar data check`. */
const checkCommand = (yargs: Argv) =>
  yargs.command(
    'check',
    'Check all bars and rewrite their gap manifests; exit code 1 when a file is damaged',
    (args) => args.options({ symbol, interval, market, catalog, json }),
    async (args) => (await import('./actions.ts')).checkData(args),
  );

/** Adds `isobar data resample`. */
const resampleCommand = (yargs: Argv) =>
  yargs.command(
    'resample',
    'Make bars of a longer interval from those of a shorter one',
    (args) =>
      args.options({
        symbol: { ...symbol, demandOption: true },
        interval: { ...interval, demandOption: true, describe: 'Interval to make' },
        from: { ...TEXT_OPTION, describe: 'Interval to make it from; default: the longest that divides it' },
        'min-coverage': {
          ...TEXT_OPTION,
          default: '0',
          describe: 'Least share of its shorter bars that a bar needs, 0 to 1; others are left out',
        },
        market: { ...market, default: 'spot' as const },
        catalog,
        json,
      }),
    async (args) => (await import('./actions.ts')).resampleData(args),
  );

/** Adds `isobar data generate`. */
const generateCommand = (yargs: Argv) =>
  yargs.command(
    'generate',
    'Make seeded synthetic bars with volatility clustering, labelled synthetic',
    (args) =>
      args.options({
        symbol: { ...symbol, demandOption: true, describe: 'Symbol such as SYNUSDT, or several: SYNUSDT,TWOUSDT; each has the next seed' },
        interval: { ...interval, demandOption: true },
        from: { ...TEXT_OPTION, demandOption: true, describe: 'Time of the first bar, such as 2024-01-01 (UTC)' },
        bars: { ...TEXT_OPTION, demandOption: true, describe: 'Number of bars' },
        seed: { ...TEXT_OPTION, demandOption: true, describe: 'Seed, a whole number from 0: the same seed, the same bars' },
        price: { ...TEXT_OPTION, default: '30000', describe: 'Price at the start, in the quote asset' },
        'gap-share': { ...TEXT_OPTION, default: '0', describe: 'Share of bars to leave out, 0 to 0.5' },
        market: { ...market, default: 'spot' as const },
        catalog,
        json,
      }),
    async (args) => (await import('./actions.ts')).generateData(args),
  );

/** The command `isobar data` with its subcommands. */
export const dataCommand: CommandModule = {
  command: 'data',
  describe: 'Manage the catalog of bars: import, download, record, list, check, resample, ...',
  builder: (yargs) =>
    [importCommand, downloadCommand, recordCommand, listCommand, checkCommand, resampleCommand, generateCommand, instrumentsCommand]
      .reduce((parser: Argv, addCommand) => addCommand(parser), yargs)
      .demandCommand(1, 1, 'Name a command: import, download, record, list, check, resample, generate or instruments'),
  handler: () => {},
};
