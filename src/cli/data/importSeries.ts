// Implements `isobar data import --as mark` and `--as funding`.

import { importSeries } from '../../adapters/catalog/import/importSeries.ts';
import { MARK_INTERVALS, parseMarkInterval } from '../../adapters/catalog/files/markInterval.ts';
import { expandFiles } from '../../adapters/catalog/import/globs.ts';
import type { SeriesKey } from '../../adapters/catalog/files/paths.ts';
import { ConfigError } from '../../base/errors.ts';
import type { Market } from '../../model/instrument.ts';
import { print, printJson } from '../terminal/print.ts';
import { importedSeriesText, seriesJson } from './seriesText.ts';

/** Options of `isobar data import --as mark` and `--as funding`. */
interface SeriesArgs {
  readonly as: SeriesKey['kind'];
  readonly file: readonly string[];
  readonly symbol?: string | undefined;
  readonly interval?: string | undefined;
  readonly market?: Market | undefined;
  readonly catalog: string;
  readonly json: boolean;
  readonly instrument?: string | undefined;
  readonly format?: string | undefined;
  readonly rejects?: string | undefined;
  readonly roundToTick: boolean;
  readonly skipBad: boolean;
}

/** Options that apply only to bars. With series they are an error, because ignoring them would surprise the user. */
const BAR_OPTIONS = ['instrument', 'format', 'rejects', 'roundToTick', 'skipBad'] as const;

/** Runs `isobar data import --as mark` or `--as funding`. Throws ConfigError for an option that does not apply. */
export async function importSeriesData(args: SeriesArgs): Promise<void> {
  const { as: kind, catalog, symbol } = args;
  if (args.market === 'spot')
    throw new ConfigError(`--as ${kind}: expected the market futures, got spot`, 'remove --market, or use --market futures');
  const unusable = BAR_OPTIONS.find((option) => args[option] !== undefined && args[option] !== false);
  if (unusable !== undefined) {
    const option = unusable.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw new ConfigError(`--${option}: expected only with --as bars, got it with --as ${kind}`, `remove --${option}`);
  }
  if (kind === 'funding' && args.interval !== undefined)
    throw new ConfigError('--interval: expected not to be given with --as funding', 'remove --interval');
  const interval = args.interval === undefined ? undefined : (parseMarkInterval(args.interval) ?? undefined);
  if (args.interval !== undefined && interval === undefined) {
    throw new ConfigError(
      `--interval: expected one of ${MARK_INTERVALS.join(' ')}, got ${JSON.stringify(args.interval)}`,
      'correct the interval',
    );
  }
  const imported = await importSeries(expandFiles(args.file), { catalog, kind, symbol, interval });
  if (args.json) return printJson(imported.map(({ entry, ...otherFields }) => ({ ...otherFields, ...seriesJson(entry) })));
  let rows = 0;
  let newRows = 0;
  for (const series of imported) {
    print(importedSeriesText(series));
    rows += series.entry.rows;
    newRows += series.newRows;
  }
  // The last line is for scripts: plain numbers in a permanent format.
  print(`${rows} rows, ${newRows} new`);
}
