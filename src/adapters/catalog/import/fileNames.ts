// Derives symbol, interval and market of bars from a file name.

import { basename } from 'node:path';
import { ConfigError } from '../../../base/errors.ts';
import type { Market } from '../../../model/instrument.ts';
import { INTERVAL_FORM, parseInterval, type Interval } from '../../../model/interval.ts';
import { splitSymbol } from '../records/instrumentRecord.ts';
import { checkSymbol, type BarKey } from '../files/paths.ts';

/**
 * File names such as BTCUSDT-1m.csv.gz, BTCUSDT-1m-2024-01.zip, BTC_USDT-5m.feather and BTC_USDT_USDT-5m-futures.feather. Users and
 * browsers may add to them: BTCUSDT-1m-old.csv, BTCUSDT-1m-2024-01 (1).zip.
 */
const DASHED = /^(.+?)-(\d+[A-Za-z]+)(?:[-_ ]([^.]*))?(?:\.[A-Za-z0-9.]*)?$/;
/** Names that freqtrade and Binance use for other series of a pair. */
const OTHER_SERIES = /^(mark|index|premiumIndex|funding_rate|fundingRate)\b/;
const FUTURES = /^futures\b/;
/** CryptoDataDownload: Binance_BTCUSDT_1h.csv, Binance_BTCUSDT_2023_minute.csv. */
const DOWNLOADED = /^[A-Za-z]+_([A-Z0-9]+)_(?:\d{4}_)?([a-z0-9]+)\.csv(?:\.[A-Za-z0-9.]*)?$/;
/** File names such as BTCUSDT.csv. */
const BARE = /^([A-Z0-9]{5,20})\.[A-Za-z0-9.]*$/;
/** freqtrade writes only these types, and only freqtrade puts an underscore into pair names. */
const FREQTRADE = /\.(feather|json)(\.gz)?$/;
/** Interval names that occur only in file names. */
const OTHER_INTERVAL_NAMES: Readonly<Record<string, Interval>> = {
  minute: '1m',
  hour: '1h',
  '1hour': '1h',
  '1hr': '1h',
  d: '1d',
  daily: '1d',
  '1mo': '1M',
};

/** Parts of the key that the user gives. The name of each file supplies the others. */
export interface GivenKey {
  readonly symbol?: string | undefined;
  readonly interval?: Interval | undefined;
  readonly market?: Market | undefined;
}

/** Returns the interval in the name of a file, or null. */
export function namedInterval(file: string): Interval | null {
  return keyFromName(basename(file)).interval ?? null;
}

/** Returns symbol, interval and market of a file: as given, else from its name. The default market is spot. Throws ConfigError. */
export function keyOf(file: string, given: GivenKey): BarKey {
  const fromName = keyFromName(basename(file));
  const [, otherSeries] = OTHER_SERIES.exec(fromName.afterInterval) ?? [];
  if (otherSeries !== undefined) {
    throw new ConfigError(`${file}: by its name, ${otherSeries.replaceAll('_', ' ')}: no bars of trades`, 'import the bars of trades');
  }
  const interval = given.interval ?? fromName.interval;
  if (interval === undefined) {
    throw new ConfigError(`${file}: the name does not say the interval`, `give it by --interval: ${INTERVAL_FORM}`);
  }
  const symbolText = given.symbol ?? fromName.symbol;
  if (symbolText === undefined) {
    throw new ConfigError(`${file}: the name does not say the symbol`, 'give it by --symbol, or name the file like BTCUSDT-1m.csv');
  }
  const isPair = given.symbol === undefined && FREQTRADE.test(file);
  const symbol = checkSymbol(isPair ? wireName(symbolText) : symbolText, undefined, given.symbol === undefined ? `${file}: ` : '');
  const isFutures = FUTURES.test(fromName.afterInterval) || (isPair && symbolText.split('_').length === 3);
  return { market: given.market ?? (isFutures ? 'futures' : 'spot'), symbol, interval };
}

/** Returns the parts of a file name. `afterInterval` is the text behind the interval. */
function keyFromName(name: string): { symbol?: string; interval?: Interval; afterInterval: string } {
  const [, dashedSymbol, dashedInterval, afterInterval = ''] = DASHED.exec(name) ?? [];
  const [, downloadedSymbol, downloadedInterval] = DOWNLOADED.exec(name) ?? [];
  const interval = intervalOf(dashedInterval ?? downloadedInterval ?? '');
  const [, bareSymbol] = BARE.exec(name) ?? [];
  const isBareSymbol = bareSymbol !== undefined && splitSymbol(bareSymbol) !== null;
  const symbol = dashedSymbol ?? downloadedSymbol ?? (isBareSymbol ? bareSymbol : undefined);
  return {
    ...(symbol === undefined ? {} : { symbol }),
    ...(interval === null ? {} : { interval }),
    afterInterval,
  };
}

function intervalOf(name: string): Interval | null {
  return parseInterval(name) ?? OTHER_INTERVAL_NAMES[name] ?? null;
}

/**
 * freqtrade writes BTC/USDT as BTC_USDT and BTC/USDT:USDT as BTC_USDT_USDT; the wire name of both is BTCUSDT. If the quote asset is
 * unknown, the underscore stays to separate base and quote.
 */
export function wireName(symbol: string): string {
  const [base, quote, ...rest] = symbol.split('_');
  if (base === undefined || quote === undefined || rest.length > 1) return symbol;
  const split = splitSymbol(base + quote);
  return split?.base === base && split.quote === quote ? base + quote : `${base}_${quote}`;
}
