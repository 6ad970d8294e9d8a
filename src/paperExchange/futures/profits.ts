// The profit history: one record for each reduction of a position, whose fees and funding add up to those of the position.

import type { Instrument } from '../../model/instrument.ts';
import type { Position } from '../../venue/futures/position.ts';
import { type Kept, type Listed, LongList } from '../orders/longList.ts';
import { readRow } from '../orders/rows.ts';
import type { OrderRows, Shelved } from '../orders/orderRows.ts';
import { firstFrom, page } from '../orders/page.ts';
import type { FuturesOrder, FuturesTrade } from './futuresOrder.ts';
import { reductionIn, type ReductionRow, reductionText, type Reduction } from './reductionRow.ts';

/** What of a position has been told already. */
export interface Told {
  readonly positionId: number;
  readonly feeUnits: number;
  readonly fundingUnits: number;
}

/** Ms UTC, both ends included. */
export interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

export class Profits {
  /** Those that stand nowhere yet but here. */
  readonly fresh: { readonly account: number; readonly kept: Kept<Reduction> }[] = [];
  readonly #rows: Pick<OrderRows<FuturesOrder, FuturesTrade>, 'names' | 'tagOf'>;
  readonly #shelved: Shelved;
  readonly #byAccount: LongList<Reduction>[] = [];
  readonly #told = new Map<Readonly<Position>, Told>();
  #last = 0;

  constructor(rows: Pick<OrderRows<FuturesOrder, FuturesTrade>, 'names' | 'tagOf'>, shelved: Shelved) {
    this.#rows = rows;
    this.#shelved = shelved;
  }

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
  ): Kept<Reduction> {
    const { id, isLong, isCross, leverage, feeUnits, fundingUnits, openedMs } = position;
    const before = this.#told.get(position);
    const told = before?.positionId === id ? before : { feeUnits: 0, fundingUnits: 0 };
    this.#told.set(position, { positionId: id, feeUnits, fundingUnits });
    const row: Reduction = {
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
    const kept = { row, tag: this.#rows.tagOf(instrument), place: -1 };
    this.fresh.push({ account: position.account, kept });
    return kept;
  }

  show(account: number, reduction: Kept<Reduction>): void {
    this.#listOf(account).push(reduction);
  }

  /** What of a position has been told already; null: nothing. */
  toldOf(position: Readonly<Position>): Told | null {
    return this.#told.get(position) ?? null;
  }
  restoreTold(position: Readonly<Position>, told: Told): void {
    this.#told.set(position, told);
  }
  /** A record of an earlier life of the exchange, which lies there. */
  restore(row: ReductionRow, place: number): void {
    const { accountOf, instrumentOf } = this.#rows.names;
    this.#last = Math.max(this.#last, row[3]);
    this.#listOf(accountOf(row[1])).restore(place, this.#rows.tagOf(instrumentOf(row[2])));
  }
  rowOf(account: number, reduction: Reduction): string {
    return reductionText(account, reduction, this.#rows.names);
  }

  /** Newest first (see `page`); null: of every contract. `range`: those of these times alone, both ends included. */
  list(
    account: number,
    instrument: Instrument | null,
    limit: number,
    fromId: number | null,
    range: TimeRange | null,
  ): readonly Reduction[] {
    const isBefore = fromId === null ? null : ({ id }: Reduction): boolean => id < fromId;
    const all = this.#listOf(account);
    const rows = range === null ? all : within(all, range);
    return page(rows, limit, instrument === null ? null : this.#rows.tagOf(instrument), isBefore);
  }

  #listOf(account: number): LongList<Reduction> {
    return (this.#byAccount[account] ??= new LongList((place) =>
      reductionIn(readRow<ReductionRow>(this.#shelved.reader.read(place), 'r'), this.#rows.names),
    ));
  }
}

/** The records of a list, whose times rise, that lie in a range. */
function within(all: Listed<Reduction>, { fromMs, toMs }: TimeRange): Listed<Reduction> {
  const first = firstFrom(all, ({ timeMs }) => timeMs < fromMs);
  const end = firstFrom(all, ({ timeMs }) => timeMs <= toMs);
  return { length: Math.max(0, end - first), at: (at) => all.at(first + at), tagAt: (at) => all.tagAt(first + at) };
}
