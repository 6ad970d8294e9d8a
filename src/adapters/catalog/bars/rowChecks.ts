// Checks rows that were read from the catalog: their times rise, and their prices are whole numbers of ticks.

import { ConfigError } from '../../../base/errors.ts';
import { pow10 } from '../../../base/number/exact.ts';
import type { BarColumns } from '../../../model/bars/bars.ts';
import { formatMinute } from '../../../model/time.ts';
import { damagedArrowFile } from '../arrow/arrowReader.ts';

/** Throws ConfigError if the times do not rise. Hot: docs/performance.md#index-loops. */
export function checkTimes({ openMs, length }: BarColumns, path: string): void {
  for (let i = 1; i < length; i++) {
    if (openMs[i]! <= openMs[i - 1]!) throw damagedArrowFile(path, `the times do not rise after ${formatMinute(openMs[i - 1]!)}`);
  }
}

/** Throws ConfigError for a price that is not a whole number of ticks: another program wrote the file, or the record was changed. */
export function checkTicks({ instrument, openMs, length, open, high, low, close }: BarColumns, path: string, record: string): void {
  const scale = pow10(instrument.priceDigits);
  for (const [column, prices] of Object.entries({ open, high, low, close })) {
    const row = firstBetweenTicks(prices, length, scale);
    if (row === null) continue;
    throw notInTicks({ path, record, openMs: openMs[row]!, column, price: prices[row]!, priceDigits: instrument.priceDigits });
  }
}

/** Returns the first row with a price that is not a whole number of ticks of 1 / `scale`, or null. Hot: docs/performance.md#index-loops. */
function firstBetweenTicks(prices: Float64Array, length: number, scale: number): number | null {
  for (let i = 0; i < length; i++) {
    const price = prices[i]!;
    // The first form is faster, and finds all whole ticks below 2^31.
    if (((price * scale + 0.5) | 0) / scale !== price && Math.round(price * scale) / scale !== price) return i;
  }
  return null;
}

/** A price of a stored bar that is not a whole number of ticks. `record`: path of the record of the instrument. */
interface PriceFault {
  readonly path: string;
  readonly record: string;
  readonly openMs: number;
  readonly column: string;
  readonly price: number;
  readonly priceDigits: number;
}

/** Returns the error for a price that is not a whole number of ticks. */
export function notInTicks({ path, record, openMs, column, price, priceDigits }: PriceFault): ConfigError {
  return new ConfigError(
    `${path}: the bar of ${formatMinute(openMs)}: ${column} ${price} is not a price of ${priceDigits} digits`,
    `isobar data check shows whether another program changed the bars: then import them again; else correct pricePrecision in ${record}`,
  );
}
