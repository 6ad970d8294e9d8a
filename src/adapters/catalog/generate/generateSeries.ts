// Generates seeded mark prices and funding rates for bars of a contract, byte-identical on every platform.

import { pow10 } from '../../../base/number/exact.ts';
import { seededRng } from '../../../base/number/rng.ts';
import type { BarColumns } from '../../../model/bars/bars.ts';
import { normal } from './generate.ts';
import type { SeriesColumns } from '../series/seriesColumns.ts';

const FUNDING_MS = 8 * 3_600_000;
/** Eight decimals, as venues publish rates. */
const RATE_DIGITS = 8;
/** Rate of a funding time without premium: 0.01 %. */
const BASE_RATE = 0.0001;
const MAX_RATE = 0.003;
/** Funding times are up to this many ms late. */
const JITTER_MS = 12;
/** Premium of the mark over the last price: the fraction that carries over to the next row, and the size of its moves. */
const PREMIUM_MEMORY = 0.95;
const PREMIUM_STEP = 0.00005;
/** Premium in funding rates: the fraction that carries over to the next rate, and the size of its moves. */
const RATE_MEMORY = 0.8;
const RATE_STEP = 0.00008;
/** Seed offsets, so that each series uses other random numbers than the bars of the same seed. */
const MARK_STREAM = 7919;
const FUNDING_STREAM = 104_729;

/** Returns mark price klines, one for each bar: smoother than trades and slightly off the last price. */
export function generateMarks(bars: BarColumns, seed: number): SeriesColumns {
  const { instrument, length, openMs } = bars;
  const rng = seededRng(seed + MARK_STREAM);
  const scale = pow10(instrument.priceDigits);
  const onGrid = (price: number): number => Math.max(1, Math.floor(price * scale + 0.5)) / scale;
  const column = () => new Float64Array(length);
  const open = column();
  const high = column();
  const low = column();
  const close = column();
  let premium = 0;
  let last = bars.open[0] ?? 0;
  for (let row = 0; row < length; row++) {
    premium = PREMIUM_MEMORY * premium + PREMIUM_STEP * normal(rng);
    const mark = onGrid(bars.close[row]! * (1 + premium));
    // Marks average many venues, so they go half as far beyond open and close as trades did.
    const highest = Math.max(last, mark);
    const lowest = Math.min(last, mark);
    open[row] = last;
    close[row] = mark;
    high[row] = Math.max(highest, onGrid((highest + bars.high[row]!) / 2));
    low[row] = Math.min(lowest, onGrid((lowest + bars.low[row]!) / 2));
    last = mark;
  }
  return { length, timeMs: openMs.slice(), figures: [open, high, low, close], digits: instrument.priceDigits };
}

/** Returns a rate for every eighth hour of the bars. Times are less than 12 ms late. Rates vary around 0.01 % and may be negative. */
export function generateFunding({ openMs, closeMs, length }: BarColumns, seed: number): SeriesColumns {
  const rng = seededRng(seed + FUNDING_STREAM);
  const times: number[] = [];
  const rates: number[] = [];
  const scale = pow10(RATE_DIGITS);
  let premium = 0;
  for (let gridMs = Math.ceil(openMs[0]! / FUNDING_MS) * FUNDING_MS; gridMs <= closeMs[length - 1]!; gridMs += FUNDING_MS) {
    premium = RATE_MEMORY * premium + RATE_STEP * normal(rng);
    const rate = Math.min(MAX_RATE, Math.max(-MAX_RATE, BASE_RATE + premium));
    times.push(gridMs + Math.floor(rng.next() * JITTER_MS));
    rates.push(Math.floor(rate * scale + 0.5) / scale);
  }
  return { length: times.length, timeMs: Float64Array.from(times), figures: [Float64Array.from(rates)], digits: RATE_DIGITS };
}
