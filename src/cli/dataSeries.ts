// What `isobar data import --as mark` and `--as funding` do.

import { importSeries } from '../adapters/bars/futures/importSeries.ts';
import { MARK_INTERVALS, parseMarkInterval } from '../adapters/bars/futures/markInterval.ts';
import { expandFiles } from '../adapters/bars/import/globs.ts';
import type { SeriesKey } from '../adapters/bars/paths.ts';
import { ConfigError } from '../base/errors.ts';
import type { Market } from '../model/instrument.ts';
import { print, printJson } from './dataActions.ts';
import { importedSeriesText, seriesJson } from './seriesText.ts';

interface SeriesArgs {
  readonly as: SeriesKey['kind'];
  readonly file: readonly string[];
  readonly symbol?: string | undefined;
  readonly interval?: string | undefined;
  readonly market?: Market | undefined;
  readonly catalog: string;
  readonly json: boolean;
}

export async function importSeriesData(args: SeriesArgs): Promise<void> {
  const { as: kind, catalog, symbol } = args;
  if (args.market === 'spot') throw new ConfigError(`--as ${kind}: spot has none`, 'leave out --market, or say futures');
  const interval = args.interval === undefined ? undefined : (parseMarkInterval(args.interval) ?? undefined);
  if (args.interval !== undefined && interval === undefined) {
    throw new ConfigError(`--interval: expected one of ${MARK_INTERVALS.join(' ')}, got ${JSON.stringify(args.interval)}`, 'correct it');
  }
  const done = await importSeries(expandFiles(args.file), { catalog, kind, symbol, interval });
  if (args.json) return printJson(done.map(({ entry, ...rest }) => ({ ...rest, ...seriesJson(entry) })));
  for (const each of done) print(importedSeriesText(each));
  // The last line is for scripts: plain numbers, in this form for ever.
  const total = (of: (each: (typeof done)[number]) => number) => done.reduce((sum, each) => sum + of(each), 0);
  print(`${total(({ entry }) => entry.rows)} rows, ${total(({ newRows }) => newRows)} new`);
}
