// Seeded mark prices and funding rates that go with bars of a contract: the same bytes on every platform, as the bars themselves.

import { pow10 } from '../../../base/number/exact.ts';
import { seededRng } from '../../../base/number/rng.ts';
import type { BarColumns } from '../../../model/bars/bars.ts';
import { normal } from './generate.ts';
import type { SeriesColumns } from '../series/series.ts';

const FUNDING_MS = 8 * 3_600_000;
/** Eight digits, as exchanges give rates. */
const RATE_DIGITS = 8;
/** Interest of a funding time without any premium: 0.01 %. */
const BASE_RATE = 0.0001;
const MAX_RATE = 0.003;
/** Funding times come up to so many ms late. */
const JITTER_MS = 12;
/** Premium of the mark over the last price: how much of it stays from row to row, and its moves. */
const PREMIUM_MEMORY = 0.95;
const PREMIUM_STEP = 0.00005;
/** Premium that funding rates show, and how fast they follow. */
const RATE_MEMORY = 0.8;
const RATE_STEP = 0.00008;
/** The random numbers of a series are others than those of the bars of the same seed. */
const MARK_STREAM = 7919;
const FUNDING_STREAM = 104_729;

/** Klines of the mark price, row by row of the bars: nearer to each other than trades are, a little off the last price. */
export function generateMarks(bars: BarColumns, seed: number): SeriesColumns {
  const { instrument, length, openMs } = bars;
  const rng = seededRng(seed + MARK_STREAM);
  const scale = pow10(instrument.priceDigits);
  const onGrid = (price: number): number => Math.max(1, Math.floor(price * scale + 0.5)) / scale;
  const column = () => new Float64Array(length);
  const [open, high, low, close] = [column(), column(), column(), column()] as const;
  let premium = 0;
  let last = bars.open[0] ?? 0;
  for (let row = 0; row < length; row++) {
    premium = PREMIUM_MEMORY * premium + PREMIUM_STEP * normal(rng);
    const now = onGrid(bars.close[row]! * (1 + premium));
    // Half of what trades reached beyond both ends: a mark follows many exchanges.
    const top = Math.max(last, now);
    const bottom = Math.min(last, now);
    open[row] = last;
    close[row] = now;
    high[row] = Math.max(top, onGrid((top + bars.high[row]!) / 2));
    low[row] = Math.min(bottom, onGrid((bottom + bars.low[row]!) / 2));
    last = now;
  }
  return { length, timeMs: openMs.slice(), figures: [open, high, low, close], digits: instrument.priceDigits };
}

/** A rate at each eighth hour from the first bar to the last, some ms late, around 0.01 % and of either sign. */
export function generateFunding({ openMs, closeMs, length }: BarColumns, seed: number): SeriesColumns {
  const rng = seededRng(seed + FUNDING_STREAM);
  const times: number[] = [];
  const rates: number[] = [];
  const scale = pow10(RATE_DIGITS);
  let premium = 0;
  for (let hour = Math.ceil(openMs[0]! / FUNDING_MS) * FUNDING_MS; hour <= closeMs[length - 1]!; hour += FUNDING_MS) {
    premium = RATE_MEMORY * premium + RATE_STEP * normal(rng);
    const rate = Math.min(MAX_RATE, Math.max(-MAX_RATE, BASE_RATE + premium));
    times.push(hour + Math.floor(rng.next() * JITTER_MS));
    rates.push(Math.floor(rate * scale + 0.5) / scale);
  }
  return { length: times.length, timeMs: Float64Array.from(times), figures: [Float64Array.from(rates)], digits: RATE_DIGITS };
}
