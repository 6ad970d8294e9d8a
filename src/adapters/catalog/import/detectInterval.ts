// Finds the interval of bars from their rows, if neither an option nor the file name states it.

import { smallestOf } from '../../../base/number/extremes.ts';
import { ConfigError } from '../../../base/errors.ts';
import { INTERVAL_FORM, intervalOfLength, openOf, type Interval } from '../../../model/interval.ts';
import { readBarFile } from '../readers/readBars.ts';
import { splitSymbol } from '../records/instrumentRecord.ts';
import type { ImportOptions } from './importResult.ts';

/** Minimum number of rows. Fewer rows do not show the interval reliably. */
const MIN_ROWS = 3;

/**
 * Reads the times of a file and returns the interval of its bars. It is the shortest step between two rows if at least half of the steps
 * are that long. Throws ConfigError if the rows do not show it.
 */
export async function detectInterval(file: string, { symbol, skipBad, format }: ImportOptions): Promise<Interval> {
  const { columns } = await readBarFile(file, {
    file,
    // Bars of every interval open at a whole second.
    interval: '1s',
    priceDigits: null,
    roundToTick: false,
    skipBad: skipBad ?? false,
    baseAsset: splitSymbol(symbol ?? '')?.base ?? null,
    format: format ?? null,
  });
  const { length } = columns;
  const interval = intervalOf(columns.openMs.slice(0, length).toSorted());
  if (interval !== null) return interval;
  throw new ConfigError(`${file}: neither its name nor its ${length} rows say the interval`, `give it by --interval: ${INTERVAL_FORM}`);
}

/** Returns the interval of bars that open at `times`, ascending; null if no interval fits. */
export function intervalOf(times: Float64Array): Interval | null {
  const countByStepMs = new Map<number, number>();
  let distinctRows = 1;
  for (let index = 1; index < times.length; index++) {
    const stepMs = times[index]! - times[index - 1]!;
    if (stepMs === 0) continue;
    countByStepMs.set(stepMs, (countByStepMs.get(stepMs) ?? 0) + 1);
    distinctRows++;
  }
  if (distinctRows < MIN_ROWS) return null;
  const minStepMs = smallestOf(countByStepMs.keys());
  const isCommon = (countByStepMs.get(minStepMs) ?? 0) * 2 >= distinctRows - 1;
  const fits = (interval: Interval | null): interval is Interval => interval !== null && times.every((ms) => openOf(interval, ms) === ms);
  const interval = isCommon ? intervalOfLength(minStepMs) : null;
  if (fits(interval)) return interval;
  return fits('1M') ? '1M' : null;
}
