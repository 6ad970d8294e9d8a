// Tests that the warm-up joins bars of catalog and exchange only where they overlap, are equal and have no hole.

import { expect, test } from 'vitest';
import type { MarketBar } from '../../../adapters/exchange/klines/klineWindow.ts';
import { lots } from '../../../base/brand.ts';
import type { BarColumns } from '../../../model/bars/bars.ts';
import { instrumentId, type Instrument } from '../../../model/instrument.ts';
import { barsAfter, joinWarmup, missingWarmup } from './warmup.ts';

const MINUTE_MS = 60_000;
const BTC: Instrument = {
  id: instrumentId('spot', 'BTCUSDT'), market: 'spot', wireName: 'BTCUSDT', base: 'BTC', quote: 'USDT',
  priceDigits: 2, quantityDigits: 5, quoteDigits: 8, baseDigits: 8, minLots: lots(1), makerFeePpm: 1000, takerFeePpm: 1000,
}; // prettier-ignore
const priceAt = (minute: number): number => 100 + minute / 100;

/** Returns the bars of the minutes [from, to) as a catalog has them. */
function catalogBars(from: number, to: number): BarColumns {
  const column = (valueAt: (minute: number) => number) => Float64Array.from({ length: to - from }, (_, index) => valueAt(from + index));
  const price = column(priceAt);
  return {
    instrument: BTC, interval: '1m', length: to - from,
    openMs: column((minute) => minute * MINUTE_MS), closeMs: column((minute) => (minute + 1) * MINUTE_MS),
    open: price, high: price.slice(), low: price.slice(), close: price.slice(), volume: column(() => 1),
  }; // prettier-ignore
}
/** Returns the bars of the minutes [from, to) as the exchange sends them. */
function exchangeBars(from: number, to: number): MarketBar[] {
  return Array.from({ length: to - from }, (_, index) => {
    const price = priceAt(from + index);
    const openMs = (from + index) * MINUTE_MS;
    return { openMs, closeMs: openMs + MINUTE_MS, open: price, high: price, low: price, close: price, volume: 1, barsIn: 1 };
  });
}
const joinedMinutes = (stored: BarColumns | null, window: readonly MarketBar[]) => {
  const { bars, note } = joinWarmup({ instrument: BTC, interval: '1m', catalog: stored, window, capacityRows: 1000 });
  return { minutes: Array.from({ length: bars.length }, (_, row) => bars.openMs[row]! / MINUTE_MS), note };
};
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

test('bars of catalog and exchange that overlap and are equal join into one series', () => {
  expect(joinedMinutes(catalogBars(0, 50), exchangeBars(40, 80))).toEqual({ minutes: range(0, 80), note: null });
  expect(joinedMinutes(catalogBars(0, 100), exchangeBars(40, 80)).minutes).toEqual(range(0, 80));
});

test('a volume that differs as sums of doubles do is equal, and a real difference is not', () => {
  const sumOfDoubles = 0.1 + 0.2;
  const otherVolume = 0.30001;
  const withVolume = (volume: number) => exchangeBars(40, 80).map((bar) => ({ ...bar, volume }));
  const stored = { ...catalogBars(0, 50), volume: new Float64Array(50).fill(0.3) };
  expect(sumOfDoubles).not.toBe(0.3);
  expect(joinedMinutes(stored, withVolume(sumOfDoubles))).toEqual({ minutes: range(0, 80), note: null });
  expect(joinedMinutes(stored, withVolume(otherVolume)).note).toContain('differs between catalog and exchange');
});

test('volumes are equal in whole lots: an exchange has no finer ones, a catalog of contracts has', () => {
  const contract: Instrument = { ...BTC, id: instrumentId('futures', 'E-BTC-USDT'), market: 'futures', quantityDigits: 0, baseDigits: 0 };
  const noteOf = (catalogVolume: number, exchangeVolume: number) => {
    const catalog = { ...catalogBars(0, 50), instrument: contract, volume: new Float64Array(50).fill(catalogVolume) };
    const window = exchangeBars(40, 80).map((bar) => ({ ...bar, volume: exchangeVolume }));
    return joinWarmup({ instrument: contract, interval: '1m', catalog, window, capacityRows: 1000 }).note;
  };
  expect(noteOf(7736.6, 7737)).toBe(null);
  expect(noteOf(0.4, 0)).toBe(null);
  expect(noteOf(7736.6, 7736)).toContain('differs between catalog and exchange');
});

test('the warm-up uses one source if the other has no bars', () => {
  expect(joinedMinutes(null, exchangeBars(40, 80))).toEqual({ minutes: range(40, 80), note: null });
  expect(joinedMinutes(catalogBars(0, 50), [])).toEqual({ minutes: range(0, 50), note: null });
});

test('a hole between catalog and exchange leaves the catalog out, and the note names the missing bars', () => {
  const { minutes, note } = joinedMinutes(catalogBars(0, 30), exchangeBars(40, 80));
  expect(minutes).toEqual(range(40, 80));
  expect(note).toBe(
    'BTCUSDT 1m: 10 bars are missing from 1970-01-01 00:30 UTC to 1970-01-01 00:40 UTC, after the end of the catalog: it is left out',
  );
});

test('bars of catalog and exchange that only touch are not joined', () => {
  expect(joinedMinutes(catalogBars(0, 40), exchangeBars(40, 80)).note).toContain('so they cannot be compared');
});

test('one bar that differs between catalog and exchange leaves the catalog out', () => {
  const stored = catalogBars(0, 50);
  stored.close[45] = 99.99;
  const { minutes, note } = joinedMinutes(stored, exchangeBars(40, 80));
  expect(minutes).toEqual(range(40, 80));
  expect(note).toBe('BTCUSDT 1m: the bar of 1970-01-01 00:45 UTC differs between catalog and exchange: the catalog is left out');
});

test('a catalog bar that the exchange lacks between its own bars leaves the catalog out', () => {
  const window = exchangeBars(40, 80).filter(({ openMs }) => openMs !== 45 * MINUTE_MS);
  expect(joinedMinutes(catalogBars(0, 50), window).note).toContain('the bar of 1970-01-01 00:45 UTC');
});

test('missing warm-up bars are reported with their times', () => {
  const stored = catalogBars(100, 150);
  expect(missingWarmup('Cross', stored, 50)).toBeNull();
  expect(missingWarmup('Cross', stored, 60)).toBe(
    'Cross needs 60 bars of BTCUSDT 1m before it can begin; 10 are missing, from 1970-01-01 01:30 UTC to 1970-01-01 01:40 UTC',
  );
  expect(missingWarmup('Cross', { ...stored, interval: '9ticks' }, 60)).toBe(
    'Cross needs 60 bars of BTCUSDT 9ticks before it can begin; 10 are missing, before 1970-01-01 01:40 UTC',
  );
  expect(missingWarmup('Cross', catalogBars(0, 0), 60)).toBe('Cross needs 60 bars of BTCUSDT 1m before it can begin, and there are none');
});

const minutesSince = (lastMinute: number, stored: BarColumns | null, window: readonly MarketBar[]) =>
  barsAfter(lastMinute * MINUTE_MS, { instrument: BTC, interval: '1m', catalog: stored, window }).map(({ openMs }) => openMs / MINUTE_MS);

/** Returns the bars without those of `minutes`. */
function withoutMinutes({ length, ...bars }: BarColumns, minutes: readonly number[]): BarColumns {
  const isPresent = (_: number, row: number): boolean => !minutes.includes(bars.openMs[row]! / MINUTE_MS);
  const { openMs, closeMs, open, high, low, close, volume } = bars;
  return {
    ...bars,
    length: length - minutes.length,
    openMs: openMs.filter(isPresent),
    closeMs: closeMs.filter(isPresent),
    open: open.filter(isPresent),
    high: high.filter(isPresent),
    low: low.filter(isPresent),
    close: close.filter(isPresent),
    volume: volume.filter(isPresent),
  };
}

test('bars since a bot was down come from the exchange, and earlier ones from the catalog', () => {
  expect(minutesSince(45, null, exchangeBars(40, 50))).toEqual(range(46, 50));
  expect(minutesSince(39, null, exchangeBars(40, 50))).toEqual(range(40, 50));
  expect(minutesSince(20, catalogBars(0, 45), exchangeBars(40, 50))).toEqual(range(21, 50));
  // A download that begins where the bars are missing.
  expect(minutesSince(20, catalogBars(21, 45), exchangeBars(40, 50))).toEqual(range(21, 50));
});

test('the error about bars that both catalog and exchange lack names their range', () => {
  const missing = (count: number, from: number, to: number): string =>
    `${count} are missing from 1970-01-01 00:${from} UTC to 1970-01-01 00:${to} UTC`;
  expect(() => minutesSince(20, null, exchangeBars(40, 50))).toThrow(missing(19, 21, 40));
  expect(() => minutesSince(20, catalogBars(25, 45), exchangeBars(40, 50))).toThrow(missing(4, 21, 25));
  expect(() => minutesSince(20, withoutMinutes(catalogBars(0, 45), [30, 31]), exchangeBars(40, 50))).toThrow(missing(2, 30, 32));
  expect(() => minutesSince(20, withoutMinutes(catalogBars(0, 45), [25, 30]), exchangeBars(40, 50))).toThrow(missing(2, 25, 31));
  // The bars of the exchange differ from those of the catalog.
  const otherHistory = exchangeBars(40, 50).map((bar) => ({ ...bar, close: bar.close + 1 }));
  expect(() => minutesSince(20, catalogBars(0, 45), otherHistory)).toThrow(`${missing(19, 21, 40)} (BTCUSDT 1m: the bar of`);
});
