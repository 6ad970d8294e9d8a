// Converts a record of the profit history to a store row, and back.

import { type IdMaps, rowText } from '../orders/rows.ts';
import type { Instrument } from '../../model/instrument.ts';

/** One record of the profit history. Money is in units of the settlement asset. */
export interface Reduction {
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
  /** Funding received since then; below 0 when paid. */
  readonly fundingUnits: number;
  readonly openedMs: number;
  readonly timeMs: number;
}

export type ReductionRow = readonly [
  kind: 'r',
  uid: string,
  symbol: string,
  id: number,
  isLong: boolean,
  isCross: boolean,
  leverage: number,
  lots: number,
  openTicks: number | null,
  closeTicks: number | null,
  profitUnits: number,
  feeUnits: number,
  fundingUnits: number,
  openedMs: number,
  timeMs: number,
];

export function reductionText(account: number, of: Reduction, { uidOf }: IdMaps): string {
  const row: ReductionRow = [
    'r',
    uidOf(account),
    of.instrument.wireName,
    of.id,
    of.isLong,
    of.isCross,
    of.leverage,
    of.lots,
    of.openTicks,
    of.closeTicks,
    of.profitUnits,
    of.feeUnits,
    of.fundingUnits,
    of.openedMs,
    of.timeMs,
  ];
  return rowText(row);
}

/** JSON writes NaN as null. */
const ratio = (ticks: number | null): number => ticks ?? NaN;

export const reductionIn = (row: ReductionRow, { instrumentOf }: IdMaps): Reduction => ({
  id: row[3],
  instrument: instrumentOf(row[2]),
  isLong: row[4],
  isCross: row[5],
  leverage: row[6],
  lots: row[7],
  openTicks: ratio(row[8]),
  closeTicks: ratio(row[9]),
  profitUnits: row[10],
  feeUnits: row[11],
  fundingUnits: row[12],
  openedMs: row[13],
  timeMs: row[14],
});
