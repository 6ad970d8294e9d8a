// The profit history: one record for each reduction of a position, whose fees and funding add up to those of the position.

import type { Instrument } from '../../model/instrument.ts';
import type { Position } from '../../venue/futures/position.ts';
import { page } from '../orders/page.ts';

/** Money in units of the settlement asset. */
export interface Reduction {
  /** Counts the records of the exchange. */
  readonly id: number;
  readonly instrument: Instrument;
  /** Of the position. */
  readonly isLong: boolean;
  readonly isCross: boolean;
  readonly leverage: number;
  readonly lots: number;
  /** Ticks with a fraction: at which the position was opened, and at which this part of it was closed. */
  readonly openTicks: number;
  readonly closeTicks: number;
  readonly profitUnits: number;
  /** Paid since the record before it, or since the position was opened; above 0. */
  readonly feeUnits: number;
  /** Received since then; below 0 paid. */
  readonly fundingUnits: number;
  readonly openedMs: number;
  readonly timeMs: number;
}

/** What of a position has been told already. */
interface Told {
  readonly positionId: number;
  readonly feeUnits: number;
  readonly fundingUnits: number;
}

export class Profits {
  readonly #byAccount: Reduction[][] = [];
  readonly #told = new Map<Readonly<Position>, Told>();
  #last = 0;

  /** What a reduction is to be told as; it stands in no list until it is shown. `extraFee`: what the position itself does not count. */
  record(
    position: Readonly<Position>,
    instrument: Instrument,
    of: {
      readonly lots: number;
      readonly closeTicks: number;
      readonly openTicks: number;
      readonly profitUnits: number;
      readonly extraFee: number;
    },
    timeMs: number,
  ): Reduction {
    const { id, isLong, isCross, leverage, feeUnits, fundingUnits, openedMs } = position;
    const before = this.#told.get(position);
    const told = before?.positionId === id ? before : { feeUnits: 0, fundingUnits: 0 };
    this.#told.set(position, { positionId: id, feeUnits, fundingUnits });
    return {
      id: ++this.#last,
      instrument,
      isLong,
      isCross,
      leverage,
      lots: of.lots,
      openTicks: of.openTicks,
      closeTicks: of.closeTicks,
      profitUnits: of.profitUnits,
      feeUnits: feeUnits - told.feeUnits + of.extraFee,
      fundingUnits: fundingUnits - told.fundingUnits,
      openedMs,
      timeMs,
    };
  }

  show(account: number, reduction: Reduction): void {
    (this.#byAccount[account] ??= []).push(reduction);
  }

  /** Newest first (see `page`); null: of every contract. */
  list(account: number, instrument: Instrument | null, limit: number, fromId: number | null): readonly Reduction[] {
    const isBefore = fromId === null ? null : ({ id }: Reduction): boolean => id < fromId;
    return page(this.#byAccount[account] ?? [], limit, (row) => instrument === null || row.instrument === instrument, isBefore);
  }
}
