// Implements `isobar data download`, `record` and `instruments`, and prints their results.

import { appendAll } from '../../base/memory/appendAll.ts';
import { listKeys, type BarKey } from '../../adapters/catalog/files/paths.ts';
import { nowMs } from '../../adapters/clock/wallClock.ts';
import type { AccessOptions } from '../../access/settings.ts';
import { downloadBars, type DownloadedSet, type FailedSet } from '../../tasks/download/download.ts';
import { openMarketService, type OpenMarketService } from '../../tasks/download/openMarketService.ts';
import { recordBars, type RecordNews } from '../../tasks/download/recordBars.ts';
import { refreshInstruments, type RefreshedInstrument } from '../../tasks/download/refreshInstruments.ts';
import { NoAnswer } from '../../tasks/download/marketService.ts';
import { checkOutFolder } from '../../adapters/disk/folders/checkOutFolder.ts';
import { ConfigError, EXIT } from '../../base/errors.ts';
import type { Market } from '../../model/instrument.ts';
import type { Interval } from '../../model/interval.ts';
import { formatTime } from '../../model/time.ts';
import { print, printError, printJson } from '../terminal/print.ts';
import { dateOf, intervalOption, splitByComma } from '../options/values.ts';
import { manifestFigures } from './barsText.ts';
import { downloadText, failedText, newsText, refreshedText } from './downloadText.ts';
import { progressLine } from '../terminal/progressLine.ts';
import { stopOnSignal } from '../terminal/stopOnSignal.ts';
import { noteProxies } from '../terminal/proxyNote.ts';

/** Options of `isobar data download` and `record`. */
interface SetArgs extends AccessOptions {
  readonly market: Market;
  /** One symbol, or several separated by commas. The same holds for the interval. */
  readonly symbol: string;
  readonly interval: string;
  readonly revised: 'keep' | 'replace';
  readonly catalog: string;
  readonly json: boolean;
}
interface DownloadArgs extends SetArgs {
  readonly from?: string | undefined;
}
/** Options of `isobar data instruments`. */
interface InstrumentsArgs extends AccessOptions {
  readonly market?: Market | undefined;
  readonly symbol?: string | undefined;
  readonly catalog: string;
  readonly json: boolean;
}

/** Runs `isobar data download`. The exit code is 1 when a set failed. */
export async function downloadData(args: DownloadArgs): Promise<void> {
  noteProxies();
  const { catalog, revised } = args;
  const sets = setsOf(args);
  const fromMs = args.from === undefined ? null : dateOf('--from', args.from);
  checkOutFolder('--catalog', catalog);
  const line = progressLine('sets');
  const onProgress = ({ symbol, interval }: BarKey, done: number) => line.show(`download ${symbol} ${interval}`, done, done / sets.length);
  const results = await withService(args, [args.market], (service) =>
    downloadBars(service, sets, { catalog, revised, fromMs, onProgress }),
  ).finally(line.clear);
  if (results.some(({ kind }) => kind === 'failed')) process.exitCode = EXIT.failed;
  if (args.json) return printJson(results.map(setJson));
  for (const set of results) {
    if (set.kind === 'stored') print(downloadText(set));
    else printError(failedText(set));
  }
  // The last line is for scripts: plain numbers in a permanent format.
  const stored = results.filter((set) => set.kind === 'stored');
  const newBars = stored.reduce((sum, { newRows }) => sum + newRows, 0);
  const revisions = stored.reduce((sum, set) => sum + set.revised.length, 0);
  print(`${newBars} new bars, ${revisions} revised, ${results.length - stored.length} sets failed`);
}

/** Returns the result of a set as `--json` prints it. */
function setJson(set: DownloadedSet | FailedSet) {
  if (set.kind === 'failed') return set;
  const { manifest, created, revised, hole, ...otherFields } = set;
  return {
    ...otherFields,
    ...manifestFigures(manifest),
    revised: revised.map(({ openMs, was, now }) => ({ open: formatTime(openMs), was, now })),
    hole: hole && { from: formatTime(hole.fromMs), bars: hole.bars },
    made: created && { path: created.path, ...manifestFigures(created.manifest) },
  };
}

/** Runs `isobar data record` until a signal ends it. */
export async function recordData(args: SetArgs): Promise<void> {
  noteProxies();
  const { catalog, revised, json } = args;
  const sets = setsOf(args);
  checkOutFolder('--catalog', catalog);
  const stop = stopOnSignal();
  const names = sets.map(({ symbol, interval }) => `${symbol} ${interval}`).join(', ');
  if (!json) print(`recording ${names} (${args.market}) into ${catalog}; Ctrl-C ends it`);
  let writtenBars = 0;
  const onNews = (news: RecordNews) => {
    if (news.kind === 'written') writtenBars += news.bars;
    print(json ? JSON.stringify(newsJson(news, nowMs())) : newsText(news, nowMs()));
  };
  try {
    await withService(args, [args.market], (service) =>
      recordBars(service, sets, { catalog, revised, random: service.random, onNews }, stop.signal),
    );
  } finally {
    stop.release();
  }
  if (!json) print(`ended; ${writtenBars} ${writtenBars === 1 ? 'bar' : 'bars'} recorded and written`);
}

/** Returns an event of `record` as `--json` prints it. */
function newsJson(news: RecordNews, timeMs: number) {
  const timeAndKind = { at: formatTime(timeMs), kind: news.kind };
  return news.kind === 'caughtUp' ? { ...timeAndKind, ...setJson(news.set) } : { ...news, ...timeAndKind };
}

/** Runs `isobar data instruments`. If the exchange stops answering, prints the records that were refreshed before. */
export async function refreshRecords(args: InstrumentsArgs): Promise<void> {
  noteProxies();
  const { catalog } = args;
  const symbolsByMarket = selectInstruments(args);
  const refreshed: RefreshedInstrument[] = [];
  try {
    await withService(args, [...symbolsByMarket.keys()], async (service) => {
      for (const [market, symbols] of symbolsByMarket)
        appendAll(refreshed, await refreshInstruments(service, market, [...symbols], catalog));
    });
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    printError(`${error.message}\n  ${error.remedy}`);
    process.exitCode = EXIT.failed;
  }
  if (args.json) return printJson(refreshed);
  for (const instrument of refreshed) print(refreshedText(instrument));
}

/** Returns the symbols of `--symbol`, or those of all bars in the catalog, by market. Throws ConfigError when there are none. */
function selectInstruments({ market, symbol, catalog }: InstrumentsArgs): ReadonlyMap<Market, ReadonlySet<string>> {
  if (symbol !== undefined) return new Map([[market ?? 'spot', new Set(splitByComma(symbol.toUpperCase()))]]);
  const symbolsByMarket = new Map<Market, ReadonlySet<string>>();
  const markets = market === undefined ? (['spot', 'futures'] as const) : [market];
  for (const listedMarket of markets) {
    const keys = listKeys(catalog).filter((key) => key.market === listedMarket);
    if (keys.length > 0) symbolsByMarket.set(listedMarket, new Set(keys.map((key) => key.symbol)));
  }
  if (symbolsByMarket.size > 0) return symbolsByMarket;
  throw new ConfigError(`${catalog}: the catalog has no instruments`, 'name some by --symbol');
}

/** Returns the result of `use`, and closes the service afterwards. */
async function withService<T>(
  args: AccessOptions,
  markets: readonly Market[],
  use: (service: OpenMarketService) => Promise<T>,
): Promise<T> {
  const service = openMarketService(args, markets);
  try {
    return await use(service);
  } finally {
    await service.close();
  }
}

/** Returns every combination of a symbol and an interval of the command line. */
function setsOf(args: SetArgs): BarKey[] {
  const intervals = splitByComma(args.interval).map((text): Interval => intervalOption('--interval', text));
  const symbols = splitByComma(args.symbol.toUpperCase());
  return symbols.flatMap((symbol) => intervals.map((interval) => ({ market: args.market, symbol, interval })));
}
