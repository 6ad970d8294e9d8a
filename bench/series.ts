// A seeded one-minute random walk on a grid of 0.01: the bars of the benchmark, the same on every machine.

import { rowsOf, type BarColumns } from '../dist/model/bars/bars.js';
import { seededRng } from '../dist/base/number/rng.js';
import { instrumentId, type Instrument } from '../dist/model/instrument.js';
import type { Interval } from '../dist/model/interval.js';
import { lots } from '../dist/base/brand.js';

const START_CENTS = 3_000_000;
const FIRST_MS = 1_420_070_400_000; // 2015-01-01
const MINUTE_MS = 60_000;

/** Whole quantities and six digits of money, so that the C reference and the engine count the same units. */
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

export function walk(symbol: string, rows: number, seed: number): BarColumns {
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
  let last = START_CENTS;
  for (let row = 0; row < rows; row++) {
    const shock = (random.next() + random.next() + random.next() - 1.5) * 2; // about normal
    const open = last + Math.round((random.next() - 0.5) * 40); // an open differs from the close before it
    const close = Math.max(100_000, open + Math.round(shock * 1500 + (START_CENTS - open) * 0.00002)); // slow pull to the start
    bars.openMs[row] = FIRST_MS + row * MINUTE_MS;
    bars.closeMs[row] = FIRST_MS + (row + 1) * MINUTE_MS;
    bars.open[row] = open / 100;
    bars.high[row] = (Math.max(open, close) + Math.floor(random.next() * 800)) / 100;
    bars.low[row] = (Math.min(open, close) - Math.floor(random.next() * 800)) / 100;
    bars.close[row] = close / 100;
    bars.volume[row] = Math.floor(random.next() * 1e6) / 1000;
    last = close;
  }
  return bars;
}

/** The first `rows` rows, without a copy. */
export const head = (bars: BarColumns, rows: number): BarColumns => rowsOf(bars, 0, rows);

/** Bars of `factor` rows each: for the run over two intervals. Only whole ones. */
export function coarser(bars: BarColumns, interval: Interval, factor: number): BarColumns {
  const rows = Math.floor(bars.length / factor);
  const column = () => new Float64Array(rows);
  const out = { ...bars, interval, length: rows, openMs: column(), closeMs: column(), open: column(), high: column(), low: column(), close: column(), volume: column() }; // prettier-ignore
  for (let row = 0; row < rows; row++) {
    const from = row * factor;
    const to = from + factor;
    out.openMs[row] = bars.openMs[from]!;
    out.closeMs[row] = bars.closeMs[to - 1]!;
    out.open[row] = bars.open[from]!;
    out.close[row] = bars.close[to - 1]!;
    out.high[row] = bars.high.subarray(from, to).reduce((max, price) => Math.max(max, price));
    out.low[row] = bars.low.subarray(from, to).reduce((min, price) => Math.min(min, price));
    out.volume[row] = bars.volume.subarray(from, to).reduce((sum, volume) => sum + volume);
  }
  return out;
}
