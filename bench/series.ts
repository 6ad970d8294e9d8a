// Makes the bars of the benchmark: a seeded one-minute random walk in steps of 0.01, the same on every machine.

import { rowsOf, type BarColumns } from '../dist/model/bars/bars.js';
import { seededRng } from '../dist/base/number/rng.js';
import { instrumentId, type Instrument } from '../dist/model/instrument.js';
import type { Interval } from '../dist/model/interval.js';
import { lots } from '../dist/base/brand.js';

/** First price, and the lowest one, in steps of 0.01. */
const START_CENTS = 3_000_000;
const MIN_CENTS = 100_000;
/** Largest distance between an open and the close before it, and of a high or low from its body. */
const MAX_GAP_CENTS = 20;
const MAX_WICK_CENTS = 800;
/** Change of a bar for a shock of 1. */
const SHOCK_CENTS = 1500;
/** Share of the distance to the start price by which a bar returns to it. */
const PULL_SHARE = 0.00002;
/** Largest volume of a bar, in thousandths. */
const MAX_VOLUME_THOUSANDTHS = 1e6;
const FIRST_MS = Date.UTC(2015, 0, 1);
const MINUTE_MS = 60_000;

/** Returns a spot pair with whole quantities and six digits of money, so that the C reference and the engine count the same units. */
export function benchInstrument(symbol: string): Instrument {
  return {
    id: instrumentId('spot', symbol),
    market: 'spot',
    wireName: symbol,
    base: symbol.slice(0, -4),
    quote: 'USDT',
    priceDigits: 2,
    quantityDigits: 0,
    quoteDigits: 6,
    baseDigits: 0,
    minLots: lots(1),
    makerFeePpm: 400,
    takerFeePpm: 400,
  };
}

/** Returns `rows` bars of a random walk from 30,000.00. Equal seeds give equal bars. */
export function randomWalk(symbol: string, rows: number, seed: number): BarColumns {
  const random = seededRng(seed);
  const column = () => new Float64Array(rows);
  const bars = {
    instrument: benchInstrument(symbol),
    interval: '1m' as Interval,
    length: rows,
    openMs: column(),
    closeMs: column(),
    open: column(),
    high: column(),
    low: column(),
    close: column(),
    volume: column(),
  };
  let lastClose = START_CENTS;
  for (let row = 0; row < rows; row++) {
    // Roughly normal, from -3 to 3.
    const shock = (random.next() + random.next() + random.next() - 1.5) * 2;
    // The open differs from the close before it.
    const open = lastClose + Math.round((random.next() - 0.5) * 2 * MAX_GAP_CENTS);
    // Prices are slowly pulled to the start price.
    const pull = (START_CENTS - open) * PULL_SHARE;
    const close = Math.max(MIN_CENTS, open + Math.round(shock * SHOCK_CENTS + pull));
    bars.openMs[row] = FIRST_MS + row * MINUTE_MS;
    bars.closeMs[row] = FIRST_MS + (row + 1) * MINUTE_MS;
    bars.open[row] = open / 100;
    bars.high[row] = (Math.max(open, close) + Math.floor(random.next() * MAX_WICK_CENTS)) / 100;
    bars.low[row] = (Math.min(open, close) - Math.floor(random.next() * MAX_WICK_CENTS)) / 100;
    bars.close[row] = close / 100;
    bars.volume[row] = Math.floor(random.next() * MAX_VOLUME_THOUSANDTHS) / 1000;
    lastClose = close;
  }
  return bars;
}

/** Returns the first `rows` rows, without a copy. */
export const firstRows = (bars: BarColumns, rows: number): BarColumns => rowsOf(bars, 0, rows);

/** Returns bars of `interval`, each made of `factor` rows. A last incomplete bar is left out. */
export function aggregateBars(bars: BarColumns, interval: Interval, factor: number): BarColumns {
  const rows = Math.floor(bars.length / factor);
  const column = () => new Float64Array(rows);
  const prices = { open: column(), high: column(), low: column(), close: column() };
  const coarseBars = { ...bars, interval, length: rows, openMs: column(), closeMs: column(), ...prices, volume: column() };
  for (let row = 0; row < rows; row++) {
    const firstRow = row * factor;
    const endRow = firstRow + factor;
    coarseBars.openMs[row] = bars.openMs[firstRow]!;
    coarseBars.closeMs[row] = bars.closeMs[endRow - 1]!;
    coarseBars.open[row] = bars.open[firstRow]!;
    coarseBars.close[row] = bars.close[endRow - 1]!;
    coarseBars.high[row] = bars.high.subarray(firstRow, endRow).reduce((max, price) => Math.max(max, price));
    coarseBars.low[row] = bars.low.subarray(firstRow, endRow).reduce((min, price) => Math.min(min, price));
    coarseBars.volume[row] = bars.volume.subarray(firstRow, endRow).reduce((sum, volume) => sum + volume);
  }
  return coarseBars;
}
