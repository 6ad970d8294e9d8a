// Implements `isobar data download`, `record` and `instruments`: each calls the application and prints the result.

import { listKeys, type BarKey } from '../../adapters/catalog/files/paths.ts';
import { nowMs } from '../../adapters/clock/wallClock.ts';
import type { AccessOptions } from '../../access/settings.ts';
import { downloadBars, type DownloadedSet, type FailedSet } from '../../tasks/download/download.ts';
import { openMarketService, type OpenMarketService } from '../../tasks/download/open.ts';
import { recordBars, type RecordNews } from '../../tasks/download/recorder.ts';
import { refreshInstruments, type RefreshedInstrument } from '../../tasks/download/refresh.ts';
import { NoAnswer } from '../../tasks/download/service.ts';
import { checkOutFolder } from '../../adapters/disk/folders/out.ts';
import { ConfigError, EXIT } from '../../base/errors.ts';
import type { Market } from '../../model/instrument.ts';
import type { Interval } from '../../model/interval.ts';
import { formatTime } from '../../model/time.ts';
import { print, printError, printJson } from '../terminal/print.ts';
import { dateOf, intervalOf, splitByComma } from '../options/values.ts';
import { summaryOf } from './text.ts';
import { downloadText, failedText, newsText, refreshedText } from './downloadText.ts';
import { progressLine } from '../terminal/progressLine.ts';
import { stopOnSignal } from '../terminal/stopOnSignal.ts';
import { noteProxies } from '../terminal/proxyNote.ts';

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
interface InstrumentsArgs extends AccessOptions {
  readonly market?: Market | undefined;
  readonly symbol?: string | undefined;
  readonly catalog: string;
  readonly json: boolean;
}

export async function downloadData(args: DownloadArgs): Promise<void> {
  noteProxies();
  const { catalog, revised } = args;
  const sets = setsOf(args);
  const fromMs = args.from === undefined ? null : dateOf('--from', args.from);
  checkOutFolder('--catalog', catalog);
  const line = progressLine('sets');
  const onProgress = ({ symbol, interval }: BarKey, done: number) => line.show(`download ${symbol} ${interval}`, done, done / sets.length);
  const done = await withService(args, [args.market], (service) =>
    downloadBars(service, sets, { catalog, revised, fromMs, onProgress }),
  ).finally(line.clear);
  if (done.some(({ kind }) => kind === 'failed')) process.exitCode = EXIT.failed;
  if (args.json) return printJson(done.map(setJson));
  for (const set of done) {
    if (set.kind === 'stored') print(downloadText(set));
    else printProgress(failedText(set));
  }
  // The last line is for scripts: plain numbers in a permanent format.
  const stored = done.filter((set) => set.kind === 'stored');
  const total = (count: (set: DownloadedSet) => number) => stored.reduce((sum, set) => sum + count(set), 0);
  const [fresh, revisions] = [total(({ newRows }) => newRows), total((set) => set.revised.length)];
  print(`${fresh} new bars, ${revisions} revised, ${done.length - stored.length} sets failed`);
}

function setJson(set: DownloadedSet | FailedSet) {
  if (set.kind === 'failed') return set;
  const { manifest, made, revised, hole, ...rest } = set;
  return {
    ...rest,
    ...summaryOf(manifest),
    revised: revised.map(({ openMs, was, now }) => ({ open: formatTime(openMs), was, now })),
    hole: hole && { from: formatTime(hole.fromMs), bars: hole.bars },
    made: made && { path: made.path, ...summaryOf(made.manifest) },
  };
}

export async function recordData(args: SetArgs): Promise<void> {
  noteProxies();
  const { catalog, revised, json } = args;
  const sets = setsOf(args);
  checkOutFolder('--catalog', catalog);
  const stop = stopOnSignal();
  const names = sets.map(({ symbol, interval }) => `${symbol} ${interval}`).join(', ');
  if (!json) print(`recording ${names} (${args.market}) into ${catalog}; Ctrl-C ends it`);
  let bars = 0;
  const news = (item: RecordNews) => {
    if (item.kind === 'written') bars += item.bars;
    print(json ? JSON.stringify(newsJson(item, nowMs())) : newsText(item, nowMs()));
  };
  try {
    await withService(args, [args.market], (service) =>
      recordBars(service, sets, { catalog, revised, random: service.random, onNews: news }, stop.signal),
    );
  } finally {
    stop.release();
  }
  if (!json) print(`ended; ${bars} ${bars === 1 ? 'bar' : 'bars'} recorded and written`);
}

function newsJson(item: RecordNews, atMs: number) {
  const head = { at: formatTime(atMs), kind: item.kind };
  return item.kind === 'caughtUp' ? { ...head, ...setJson(item.set) } : { ...item, ...head };
}

export async function refreshRecords(args: InstrumentsArgs): Promise<void> {
  noteProxies();
  const { catalog } = args;
  const wanted = new Map<Market, ReadonlySet<string>>();
  if (args.symbol !== undefined) wanted.set(args.market ?? 'spot', new Set(splitByComma(args.symbol.toUpperCase())));
  else {
    for (const market of args.market === undefined ? (['spot', 'futures'] as const) : [args.market]) {
      const symbols = listKeys(catalog).filter((key) => key.market === market);
      if (symbols.length > 0) wanted.set(market, new Set(symbols.map(({ symbol }) => symbol)));
    }
    if (wanted.size === 0) throw new ConfigError(`${catalog}: the catalog has no instruments`, 'name some by --symbol');
  }
  const done: RefreshedInstrument[] = [];
  try {
    await withService(args, [...wanted.keys()], async (service) => {
      for (const [market, symbols] of wanted) done.push(...(await refreshInstruments(service, market, [...symbols], catalog)));
    });
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    printProgress(`${error.message}\n  ${error.remedy}`);
    process.exitCode = EXIT.failed;
  }
  if (args.json) return printJson(done);
  for (const each of done) print(refreshedText(each));
}

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

function setsOf(args: SetArgs): BarKey[] {
  const intervals = splitByComma(args.interval).map((text): Interval => intervalOf('--interval', text));
  const symbols = splitByComma(args.symbol.toUpperCase());
  return symbols.flatMap((symbol) => intervals.map((interval) => ({ market: args.market, symbol, interval })));
}

function printProgress(text: string): void {
  printError(text);
}
