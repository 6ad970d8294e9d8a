// Returns a double as the shortest plain decimal text that reads back as the same double: never an exponent, empty for NaN and infinity.

import { Decimal } from '../../base/number/decimal.ts';

export function plainReading(value: number): string {
  if (!Number.isFinite(value)) return '';
  const text = String(value);
  return text.includes('e') ? new Decimal(value).toFixed() : text;
}
