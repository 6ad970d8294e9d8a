// The stored form of the profit history: writes its entries as records, and reads them back.

import type { Instrument } from '../../model/instrument.ts';
import type { IdMaps } from '../orders/orderRecords.ts';
import { storedCount, storedFlag, storedRatio, storedText, storedInteger } from '../records/fields.ts';
import { storedRecord, type StoredRecordOf } from '../records/record.ts';

/** One record of the profit history. Money is in units of the settlement asset. */
export interface ReportedReduction {
  /** Running number across all records of the exchange. */
  readonly id: number;
  readonly instrument: Instrument;
  /** Side and margin mode of the position. */
  readonly isLong: boolean;
  readonly isCross: boolean;
  readonly leverage: number;
  readonly lots: number;
  /** Average open price of the position, and close price of this part of it. Ticks with a fraction. */
  readonly openTicks: number;
  readonly closeTicks: number;
  readonly profitUnits: number;
  /** Fees paid since the previous record, or since the position was opened. Above 0 when paid. */
  readonly feeUnits: number;
  /** Funding received in the same time; below 0 when paid. */
  readonly fundingUnits: number;
  readonly openedMs: number;
  readonly timeMs: number;
}

/** The members of a stored record, in their order. */
export const reductionRecord = storedRecord('reduction', {
  uid: storedText,
  symbol: storedText,
  id: storedCount,
  isLong: storedFlag,
  isCross: storedFlag,
  leverage: storedCount,
  lots: storedCount,
  openTicks: storedRatio,
  closeTicks: storedRatio,
  profitUnits: storedInteger,
  feeUnits: storedInteger,
  fundingUnits: storedInteger,
  openedMs: storedCount,
  timeMs: storedCount,
});

/** The stored fields of a reduction. */
export type ReductionRecord = StoredRecordOf<typeof reductionRecord>;

/** Returns the text of a record. */
export const reductionText = (accountIndex: number, { instrument, ...members }: ReportedReduction, { uidOf }: IdMaps): string =>
  reductionRecord.text({ ...members, uid: uidOf(accountIndex), symbol: instrument.wireName });

/** Returns the reduction in a stored record. */
export function reductionIn(stored: ReductionRecord, { instrumentOf }: IdMaps): ReportedReduction {
  const { uid: _uid, symbol, ...members } = stored;
  return { ...members, instrument: instrumentOf(symbol) };
}
