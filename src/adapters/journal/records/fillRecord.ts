// Converts a FILL record back to a fill in whole numbers.

import { Fill } from '../../../model/fill.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { RecordOf } from './records.ts';
import { scaledFromRecord } from './recordDecimals.ts';

/**
 * Returns the fill of a record. Throws ConfigError for an amount finer than the instrument's digits. A trade id above 2^53 - 1 becomes 0;
 * the record has it as text.
 */
export function fillFromRecord(
  record: RecordOf<'FILL'>,
  { priceDigits, quantityDigits, quoteDigits, baseDigits, base, quote }: Instrument,
): Fill {
  const fill = new Fill();
  const tradeId = Number(record.tradeId);
  fill.tradeId = Number.isSafeInteger(tradeId) ? tradeId : 0;
  fill.price = scaledFromRecord(record.price, priceDigits);
  fill.lots = scaledFromRecord(record.qty, quantityDigits);
  fill.notional = scaledFromRecord(record.notional, quoteDigits);
  fill.feeInBase = record.feeCoin === base && base !== quote;
  fill.fee = scaledFromRecord(record.fee, fill.feeInBase ? baseDigits : quoteDigits);
  fill.isMaker = record.maker;
  fill.timeMs = record.executedMs;
  return fill;
}
