// Warm-up bars: catalog and exchange are joined only where their bars overlap and are equal, without a hole.

import { expect, test } from 'vitest';
import type { MarketBar } from '../../../adapters/exchange/klines/window.ts';
import { lots } from '../../../base/brand.ts';
import type { BarColumns } from '../../../model/bars/bars.ts';
import { instrumentId, type Instrument } from '../../../model/instrument.ts';
import { barsSince, joinWarmup, missingWarmup } from './warmup.ts';

const MINUTE = 60_000;
const BTC: Instrument = {
  id: instrumentId('spot', 'BTCUSDT'), market: 'spot', wireName: 'BTCUSDT', base: 'BTC', quote: 'USDT',
  priceDigits: 2, quantityDigits: 5, quoteDigits: 8, baseDigits: 8, minLots: lots(1), makerFeePpm: 1000, takerFeePpm: 1000,
}; // prettier-ignore
const priceAt = (minute: number): number => 100 + minute / 100;

function catalog(from: number, to: number): BarColumns {
  const column = (of: (minute: number) => number) => Float64Array.from({ length: to - from }, (_, at) => of(from + at));
  const price = column(priceAt);
  return {
    instrument: BTC, interval: '1m', length: to - from,
    openMs: column((minute) => minute * MINUTE), closeMs: column((minute) => (minute + 1) * MINUTE),
    open: price, high: price.slice(), low: price.slice(), close: price.slice(), volume: column(() => 1),
  }; // prettier-ignore
}
function exchange(from: number, to: number): MarketBar[] {
  return Array.from({ length: to - from }, (_, at) => {
    const price = priceAt(from + at);
    const openMs = (from + at) * MINUTE;
    return { openMs, closeMs: openMs + MINUTE, open: price, high: price, low: price, close: price, volume: 1, barsIn: 1 };
  });
}
const join = (stored: BarColumns | null, window: readonly MarketBar[]) => {
  const { bars, note } = joinWarmup({ instrument: BTC, interval: '1m', catalog: stored, window, room: 1000 });
  return { minutes: Array.from({ length: bars.length }, (_, row) => bars.openMs[row]! / MINUTE), note };
};
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);

test('overlapping bars that are equal join into one series', () => {
  expect(join(catalog(0, 50), exchange(40, 80))).toEqual({ minutes: range(0, 80), note: null });
  expect(join(catalog(0, 100), exchange(40, 80)).minutes).toEqual(range(0, 80));
});

test('without a catalog, or without bars of the exchange, there is the one', () => {
  expect(join(null, exchange(40, 80))).toEqual({ minutes: range(40, 80), note: null });
  expect(join(catalog(0, 50), [])).toEqual({ minutes: range(0, 50), note: null });
});

test('a hole between them leaves the catalog out, and names the missing bars', () => {
  const { minutes, note } = join(catalog(0, 30), exchange(40, 80));
  expect(minutes).toEqual(range(40, 80));
  expect(note).toBe(
    'BTCUSDT 1m: 10 bars are missing from 1970-01-01 00:30 UTC to 1970-01-01 00:40 UTC, after the end of the catalog: it is left out',
  );
});

test('sets that only touch are not joined', () => {
  expect(join(catalog(0, 40), exchange(40, 80)).note).toContain('so they cannot be compared');
});

test('one bar that differs shows another source, so the sets are not joined', () => {
  const stored = catalog(0, 50);
  stored.close[45] = 99.99;
  const { minutes, note } = join(stored, exchange(40, 80));
  expect(minutes).toEqual(range(40, 80));
  expect(note).toBe('BTCUSDT 1m: the bar of 1970-01-01 00:45 UTC differs between catalog and exchange: the catalog is left out');
});

test('a bar that the exchange does not have, in the middle of its own, is another source too', () => {
  const window = exchange(40, 80).filter(({ openMs }) => openMs !== 45 * MINUTE);
  expect(join(catalog(0, 50), window).note).toContain('the bar of 1970-01-01 00:45 UTC');
});

test('missing warm-up is reported with the times of the missing bars', () => {
  const stored = catalog(100, 150);
  expect(missingWarmup('Cross', stored, 50)).toBeNull();
  expect(missingWarmup('Cross', stored, 60)).toBe(
    'Cross needs 60 bars of BTCUSDT 1m before it can begin; 10 are missing, from 1970-01-01 01:30 UTC to 1970-01-01 01:40 UTC',
  );
  expect(missingWarmup('Cross', catalog(0, 0), 60)).toBe('Cross needs 60 bars of BTCUSDT 1m before it can begin, and there are none');
});

const since = (lastMinute: number, stored: BarColumns | null, window: readonly MarketBar[]) =>
  barsSince(lastMinute * MINUTE, { instrument: BTC, interval: '1m', catalog: stored, window }).map(({ openMs }) => openMs / MINUTE);

/** `catalog` without some minutes. */
function without({ length, ...bars }: BarColumns, minutes: readonly number[]): BarColumns {
  const isLeft = (_: number, row: number): boolean => !minutes.includes(bars.openMs[row]! / MINUTE);
  const { openMs, closeMs, open, high, low, close, volume } = bars;
  return {
    ...bars,
    length: length - minutes.length,
    openMs: openMs.filter(isLeft),
    closeMs: closeMs.filter(isLeft),
    open: open.filter(isLeft),
    high: high.filter(isLeft),
    low: low.filter(isLeft),
    close: close.filter(isLeft),
    volume: volume.filter(isLeft),
  };
}

test('bars since a bot was down come from the exchange, and in front of them from the catalog', () => {
  expect(since(45, null, exchange(40, 50))).toEqual(range(46, 50));
  expect(since(39, null, exchange(40, 50))).toEqual(range(40, 50));
  expect(since(20, catalog(0, 45), exchange(40, 50))).toEqual(range(21, 50));
  // A download that begins where the bars are missing.
  expect(since(20, catalog(21, 45), exchange(40, 50))).toEqual(range(21, 50));
});

test('bars that neither has are named by their range', () => {
  const missing = (count: number, from: number, to: number): string =>
    `${count} are missing from 1970-01-01 00:${from} UTC to 1970-01-01 00:${to} UTC`;
  expect(() => since(20, null, exchange(40, 50))).toThrow(missing(19, 21, 40));
  expect(() => since(20, catalog(25, 45), exchange(40, 50))).toThrow(missing(4, 21, 25));
  expect(() => since(20, without(catalog(0, 45), [30, 31]), exchange(40, 50))).toThrow(missing(2, 30, 32));
  expect(() => since(20, without(catalog(0, 45), [25, 30]), exchange(40, 50))).toThrow(missing(2, 25, 31));
  // Another history.
  const other = exchange(40, 50).map((bar) => ({ ...bar, close: bar.close + 1 }));
  expect(() => since(20, catalog(0, 45), other)).toThrow(`${missing(19, 21, 40)} (BTCUSDT 1m: the bar of`);
});
