// Keeps the worst case of an account as running sums over its instruments, so that a check takes equal time with one instrument and
// hundreds.

import { ChangedIndexes } from '../../base/memory/changedIndexes.ts';
import type { Reservations } from '../../orders/reserve/reservation.ts';
import type { AccountWorstCase, Draft, MarkPrices } from '../rules/rule.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;
const MAX_EXACT = Number.MAX_SAFE_INTEGER;
const { abs, floor } = Math;

/** The share of one instrument in the worst case of its account, in units of money. Hot: docs/performance.md#double-fields. */
export class WorstCasePart {
  /** Its part of the gross exposure, with the worst fills of its open orders. */
  gross = 0.5;
  /** The most that these fills may cost in fees. */
  fees = 0.5;
  /** Value of the holding at the mark. */
  value = 0.5;
}

/** Writes the part of an instrument at the price `ticks`, with `order` or without one. Hot: docs/performance.md#out-parameters. */
type PartOf = (instrumentIndex: number, ticks: number, order: Draft | null, into: WorstCasePart) => void;

/** Computes the parts of single instruments. An exposure model implements it. */
interface InstrumentModel {
  readonly partOf: PartOf;
  /** True when nothing is held and no order is open: the part is 0, whatever the price. */
  readonly isIdle: (instrumentIndex: number) => boolean;
}

/** The instruments of one market: the indices of the run from `first` up to, and without, `end`. */
interface MarketInstruments {
  readonly first: number;
  readonly end: number;
}

/** The ledger, as far as it reports changes of positions. */
interface Positions {
  readonly cashTotal: number;
  /** From now on marks in `changed` each instrument whose position changes. */
  follow(changed: ChangedIndexes): void;
}

/**
 * The running sums. The part of an instrument is computed again when its position or its open orders have changed; all parts are, when a
 * price may have changed. The sums are used only while every part is a whole number and every sum is below 2^53, so that they are exact.
 */
export class RunningWorstCase {
  private readonly first: number;
  private readonly end: number;
  private readonly reservations: Reservations;
  private readonly positions: Positions;
  private readonly partOf: PartOf;
  private readonly isIdle: InstrumentModel['isIdle'];
  private readonly changed: ChangedIndexes;
  private readonly part = new WorstCasePart();
  /** By instrument: its part of each sum. */
  private readonly grossOf: Float64Array;
  private readonly equityOf: Float64Array;
  /** Fees plus the absolute value of the holding. The sum of these bounds every partial sum of the equity. */
  private readonly sizeOf: Float64Array;
  /** The sums over all instruments. */
  private gross = 0.5;
  private equity = 0.5;
  private size = 0.5;
  private isExact = true;
  /** `MarkPrices.changes` when all parts were last computed; NaN if they must be computed again. */
  private updatedAt = NAN;
  private marks: MarkPrices | null = null;

  constructor({ first, end }: MarketInstruments, reservations: Reservations, positions: Positions, { partOf, isIdle }: InstrumentModel) {
    this.first = first;
    this.end = end;
    this.reservations = reservations;
    this.positions = positions;
    this.partOf = partOf;
    this.isIdle = isIdle;
    this.changed = new ChangedIndexes(reservations.instruments);
    this.grossOf = new Float64Array(end);
    this.equityOf = new Float64Array(end);
    this.sizeOf = new Float64Array(end);
    this.gross = this.equity = this.size = 0;
    positions.follow(this.changed);
    reservations.follow(this.changed);
  }

  /**
   * Writes the worst case with `order`, whose instrument is at the price `ticks`, into `account`. Returns false when the sums are not
   * exact, for example because a price is missing: then the caller adds up all instruments.
   */
  write(order: Draft, ticks: number, marks: MarkPrices, account: AccountWorstCase): boolean {
    const { changes } = marks;
    if (changes === undefined) return false;
    this.updateSums(marks, changes);
    const { part } = this;
    const { instrumentIndex } = order;
    const cash = this.positions.cashTotal;
    account.gross = this.gross;
    account.equity = cash + this.equity;
    // An order of the other market of the account adds nothing here.
    const isOfMarket = instrumentIndex >= this.first && instrumentIndex < this.end;
    if (!isOfMarket) return this.isExact && abs(cash) + this.size <= MAX_EXACT;
    this.partOf(instrumentIndex, ticks, order, part);
    const { gross, fees, value } = part;
    if (this.isExact === false || !(isWhole(gross) && isWhole(fees) && isWhole(abs(value)))) return false;
    account.gross += gross - this.grossOf[instrumentIndex]!;
    account.equity += value - fees - this.equityOf[instrumentIndex]!;
    return account.gross <= MAX_EXACT && abs(cash) + this.size + fees + abs(value) <= MAX_EXACT;
  }

  /** Computes the changed parts again, or all of them if prices may have changed. */
  private updateSums(marks: MarkPrices, changes: number): void {
    const { changed } = this;
    // The reservations count the newest order only when they are asked to, and report its change then.
    this.reservations.countNewest();
    if (marks === this.marks && changes === this.updatedAt && this.isExact === true) {
      for (let instrumentIndex = changed.removeNext(); instrumentIndex >= 0; instrumentIndex = changed.removeNext())
        this.updatePart(instrumentIndex, marks);
      return;
    }
    changed.clear();
    this.grossOf.fill(0);
    this.equityOf.fill(0);
    this.sizeOf.fill(0);
    this.gross = this.equity = this.size = 0;
    this.isExact = true;
    for (let instrumentIndex = this.first; instrumentIndex < this.end; instrumentIndex++)
      if (this.isIdle(instrumentIndex) === false) this.updatePart(instrumentIndex, marks);
    this.updatedAt = changes;
    this.marks = marks;
  }

  /** Computes one part again and updates the sums. */
  private updatePart(instrumentIndex: number, marks: MarkPrices): void {
    // Reservations report the orders of the other market of the account, too.
    if (instrumentIndex < this.first || instrumentIndex >= this.end) return;
    const { part } = this;
    this.partOf(instrumentIndex, marks.lastTicks(instrumentIndex), null, part);
    const { gross, fees, value } = part;
    const equity = value - fees;
    const size = fees + abs(value);
    this.gross += gross - this.grossOf[instrumentIndex]!;
    this.equity += equity - this.equityOf[instrumentIndex]!;
    this.size += size - this.sizeOf[instrumentIndex]!;
    this.grossOf[instrumentIndex] = gross;
    this.equityOf[instrumentIndex] = equity;
    this.sizeOf[instrumentIndex] = size;
    const hasWholeParts = isWhole(gross) && isWhole(fees) && isWhole(size);
    if (!(hasWholeParts && this.gross <= MAX_EXACT && this.size <= MAX_EXACT)) this.isExact = false;
  }
}

/** True for a whole number from 0 to 2^53 - 1. */
function isWhole(amount: number): boolean {
  return amount >= 0 && amount <= MAX_EXACT && floor(amount) === amount;
}
