// The profit history: one record for each reduction of a position. The fees and funding of the records add up to those of the position.

import type { Instrument } from '../../model/instrument.ts';
import type { VenuePosition } from '../../venue/futures/position.ts';
import { type PagedRow, type IndexedList, PagedList } from '../orders/pagedList.ts';
import type { OrderRows, ArchiveSource } from '../orders/orderRows.ts';
import { firstFrom, page } from '../orders/page.ts';
import type { FuturesUserOrder, FuturesTrade } from './futuresOrder.ts';
import { type Reduction, reductionIn, type ReductionRecord, reductionRecord, reductionText } from './reductionRecord.ts';

/** The part of a position's fees and funding that earlier records have already reported. */
export interface ReportedAmounts {
  readonly positionId: number;
  readonly feeUnits: number;
  readonly fundingUnits: number;
}

/** Ms UTC, both ends included. */
export interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

export class ProfitHistory {
  /** Records that are not yet in the exchange store. */
  readonly fresh: { readonly account: number; readonly kept: PagedRow<Reduction> }[] = [];
  readonly #rows: Pick<OrderRows<FuturesUserOrder, FuturesTrade>, 'names' | 'tagOf'>;
  readonly #archive: ArchiveSource;
  readonly #byAccount: PagedList<Reduction>[] = [];
  readonly #reported = new Map<Readonly<VenuePosition>, ReportedAmounts>();
  #last = 0;

  constructor(rows: Pick<OrderRows<FuturesUserOrder, FuturesTrade>, 'names' | 'tagOf'>, archived: ArchiveSource) {
    this.#rows = rows;
    this.#archive = archived;
  }

  /** Makes the record of a reduction. No list has it until it is shown. `extraFee`: a fee that the position itself does not count. */
  record(
    position: Readonly<VenuePosition>,
    instrument: Instrument,
    of: {
      readonly lots: number;
      readonly closeTicks: number;
      readonly openTicks: number;
      readonly profitUnits: number;
      readonly extraFee: number;
    },
    timeMs: number,
  ): PagedRow<Reduction> {
    const { id, isLong, isCross, leverage, feeUnits, fundingUnits, openedMs } = position;
    const before = this.#reported.get(position);
    const reported = before?.positionId === id ? before : { feeUnits: 0, fundingUnits: 0 };
    this.#reported.set(position, { positionId: id, feeUnits, fundingUnits });
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
      feeUnits: feeUnits - reported.feeUnits + of.extraFee,
      fundingUnits: fundingUnits - reported.fundingUnits,
      openedMs,
      timeMs,
    };
    const kept = { row, tag: this.#rows.tagOf(instrument), place: -1 };
    this.fresh.push({ account: position.account, kept });
    return kept;
  }

  show(account: number, reduction: PagedRow<Reduction>): void {
    this.#listOf(account).push(reduction);
  }

  /** Returns what earlier records have reported of a position; null: nothing. */
  reportedOf(position: Readonly<VenuePosition>): ReportedAmounts | null {
    return this.#reported.get(position) ?? null;
  }
  restoreReported(position: Readonly<VenuePosition>, amounts: ReportedAmounts): void {
    this.#reported.set(position, amounts);
  }
  /** Restores a record of an earlier process. `place` is its offset in the store. */
  restore({ id, uid, symbol }: ReductionRecord, place: number): void {
    const { accountOf, instrumentOf } = this.#rows.names;
    this.#last = Math.max(this.#last, id);
    this.#listOf(accountOf(uid)).restore(place, this.#rows.tagOf(instrumentOf(symbol)));
  }
  textOf(account: number, reduction: Reduction): string {
    return reductionText(account, reduction, this.#rows.names);
  }

  /** Newest first (see `page`). `instrument` null: every contract. `range`: only records of these times, both ends included. */
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

  #listOf(account: number): PagedList<Reduction> {
    return (this.#byAccount[account] ??= new PagedList((place) =>
      reductionIn(this.#archive.reader.read(reductionRecord, place), this.#rows.names),
    ));
  }
}

/** Returns the records of a list within a time range. The list is ordered by time. */
function within(all: IndexedList<Reduction>, { fromMs, toMs }: TimeRange): IndexedList<Reduction> {
  const first = firstFrom(all, ({ timeMs }) => timeMs < fromMs);
  const end = firstFrom(all, ({ timeMs }) => timeMs <= toMs);
  return { length: Math.max(0, end - first), at: (at) => all.at(first + at), tagAt: (at) => all.tagAt(first + at) };
}
