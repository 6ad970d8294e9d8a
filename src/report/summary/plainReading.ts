// Writes doubles as plain decimals for the files of a run folder.

import { Decimal } from '../../base/number/decimal.ts';

/** Returns the shortest decimal text that reads back as the same double, without an exponent. Empty for NaN and infinity. */
export function plainReading(value: number): string {
  if (!Number.isFinite(value)) return '';
  const text = String(value);
  return text.includes('e') ? new Decimal(value).toFixed() : text;
}
