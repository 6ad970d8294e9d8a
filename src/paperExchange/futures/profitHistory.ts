// The profit history: one record for each reduction of a position. The fees and funding of the records add up to those of the position.

import type { Instrument } from '../../model/instrument.ts';
import type { VenuePosition } from '../../venue/futures/position.ts';
import { type PagedRow, type IndexedList, PagedList } from '../orders/pagedList.ts';
import type { OrderRows, ArchiveSource } from '../orders/orderRows.ts';
import { firstRowFrom, listPage } from '../orders/page.ts';
import type { FuturesUserOrder, FuturesTrade } from './futuresOrder.ts';
import { type ReportedReduction, reductionIn, type ReductionRecord, reductionRecord, reductionText } from './reductionRecord.ts';

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

/** Selects records of an account. */
export interface ReductionQuery {
  /** Null: every contract. */
  readonly instrument: Instrument | null;
  /** Maximum number of records. */
  readonly limit: number;
  /** The oldest records from this id on. Null: the newest. */
  readonly fromId: number | null;
  /** Null: any time. */
  readonly range: TimeRange | null;
}

/** The profit histories of all accounts of an exchange. */
export class ProfitHistory {
  /** Records that are not yet in the exchange store. */
  readonly unsaved: { readonly account: number; readonly pagedRow: PagedRow<ReportedReduction> }[] = [];
  readonly #orderRows: Pick<OrderRows<FuturesUserOrder, FuturesTrade>, 'names' | 'tagOf'>;
  readonly #archive: ArchiveSource;
  readonly #byAccount: PagedList<ReportedReduction>[] = [];
  readonly #reported = new Map<Readonly<VenuePosition>, ReportedAmounts>();
  #lastId = 0;

  constructor(rows: Pick<OrderRows<FuturesUserOrder, FuturesTrade>, 'names' | 'tagOf'>, archived: ArchiveSource) {
    this.#orderRows = rows;
    this.#archive = archived;
  }

  /** Makes the record of a reduction. No list has it until it is shown. `extraFee`: a fee that the position itself does not count. */
  record(
    position: Readonly<VenuePosition>,
    instrument: Instrument,
    amounts: {
      readonly lots: number;
      readonly closeTicks: number;
      readonly openTicks: number;
      readonly profitUnits: number;
      readonly extraFee: number;
    },
    timeMs: number,
  ): PagedRow<ReportedReduction> {
    const { id, isLong, isCross, leverage, feeUnits, fundingUnits, openedMs } = position;
    const reportedBefore = this.#reported.get(position);
    const reported = reportedBefore?.positionId === id ? reportedBefore : { feeUnits: 0, fundingUnits: 0 };
    this.#reported.set(position, { positionId: id, feeUnits, fundingUnits });
    const row: ReportedReduction = {
      id: ++this.#lastId,
      instrument,
      isLong,
      isCross,
      leverage,
      lots: amounts.lots,
      openTicks: amounts.openTicks,
      closeTicks: amounts.closeTicks,
      profitUnits: amounts.profitUnits,
      feeUnits: feeUnits - reported.feeUnits + amounts.extraFee,
      fundingUnits: fundingUnits - reported.fundingUnits,
      openedMs,
      timeMs,
    };
    const stored = { row, tag: this.#orderRows.tagOf(instrument), storeOffset: -1 };
    this.unsaved.push({ account: position.account, pagedRow: stored });
    return stored;
  }

  /** Makes a reduction visible to reads. */
  show(accountIndex: number, reduction: PagedRow<ReportedReduction>): void {
    this.#listOf(accountIndex).push(reduction);
  }

  /** Returns what earlier records have reported of a position; null: nothing. */
  reportedOf(position: Readonly<VenuePosition>): ReportedAmounts | null {
    return this.#reported.get(position) ?? null;
  }
  /** Restores the amounts that were already reported for a position. */
  restoreReported(position: Readonly<VenuePosition>, amounts: ReportedAmounts): void {
    this.#reported.set(position, amounts);
  }
  /** Restores a record of an earlier process. `storeOffset` is its offset in the store. */
  restore({ id, uid, symbol }: ReductionRecord, storeOffset: number): void {
    const { accountOf, instrumentOf } = this.#orderRows.names;
    this.#lastId = Math.max(this.#lastId, id);
    this.#listOf(accountOf(uid)).restore(storeOffset, this.#orderRows.tagOf(instrumentOf(symbol)));
  }
  /** Returns the stored form of a reduction. */
  textOf(accountIndex: number, reduction: ReportedReduction): string {
    return reductionText(accountIndex, reduction, this.#orderRows.names);
  }

  /** Returns records of an account, newest first (see `listPage`). */
  list(accountIndex: number, { instrument, limit, fromId, range }: ReductionQuery): readonly ReportedReduction[] {
    const isBefore = fromId === null ? null : ({ id }: ReportedReduction): boolean => id < fromId;
    const history = this.#listOf(accountIndex);
    const rows = range === null ? history : recordsWithin(history, range);
    return listPage(rows, limit, instrument === null ? null : this.#orderRows.tagOf(instrument), isBefore);
  }

  #listOf(accountIndex: number): PagedList<ReportedReduction> {
    return (this.#byAccount[accountIndex] ??= new PagedList((storeOffset) =>
      reductionIn(this.#archive.reader.read(reductionRecord, storeOffset), this.#orderRows.names),
    ));
  }
}

/** Returns the records of a list within a time range. The list is ordered by time. */
function recordsWithin(history: IndexedList<ReportedReduction>, { fromMs, toMs }: TimeRange): IndexedList<ReportedReduction> {
  const first = firstRowFrom(history, ({ timeMs }) => timeMs < fromMs);
  const end = firstRowFrom(history, ({ timeMs }) => timeMs <= toMs);
  return { length: Math.max(0, end - first), at: (index) => history.at(first + index), tagAt: (index) => history.tagAt(first + index) };
}
