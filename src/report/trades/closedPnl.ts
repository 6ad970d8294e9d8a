// Computes the net results of closed trades alone. The figures of a sweep need no other columns of trades.

import type { Instrument } from '../../model/instrument.ts';
import type { FillColumns } from '../../model/run/run.ts';
import { Episodes, share, type Move } from './episodes.ts';
import { paymentsUntil } from './payments.ts';
import { positionKey, type PositionSource, shortsOf } from './positions.ts';
import { holdingChangeOf, dustBelow, flowOf, valuationOf, type Valuation } from './valuation.ts';

/** Returns the net results of the closed trades in closing order, in units. They equal `closed.pnlUnits` of `tradesOf`. */
export function closedPnl(record: PositionSource): Float64Array {
  const { instruments, fills, payments } = record;
  const shorts = shortsOf(record);
  const books = new ResultBooks(instruments);
  // Spot has no payments, so no function is called at each fill.
  // hot: docs/performance.md#no-closure
  const bookOf = (strategyIndex: number, instrumentIndex: number, isLong: boolean) =>
    books.bookAt(positionKey(strategyIndex, instrumentIndex, shorts !== null && !isLong));
  const pay = payments === undefined ? null : paymentsUntil(payments, bookOf);
  for (let row = 0; row < fills.length; row++) {
    pay?.(row);
    books.book(fills, row, shorts !== null && shorts(row));
  }
  pay?.(Infinity);
  return books.end();
}

/** One book for each position of a strategy. */
class ResultBooks {
  readonly #instruments: readonly Instrument[];
  readonly #results = new ResultCollector();
  readonly #books = new Map<number, ResultBook>();
  /** Key and book of the previous fill. The next fill mostly has the same ones. */
  #lastKey = -1;
  #lastBook: ResultBook | undefined;

  constructor(instruments: readonly Instrument[]) {
    this.#instruments = instruments;
  }

  /** Returns the book with this key. Undefined while it has no fill. */
  bookAt(key: number): ResultBook | undefined {
    return this.#books.get(key);
  }

  /** Books the fill of a row in the book of its position. */
  book(fills: FillColumns, row: number, isShort: boolean): void {
    const instrument = fills.instrument[row]!;
    const key = positionKey(fills.strategy[row]!, instrument, isShort);
    if (key !== this.#lastKey) {
      this.#lastKey = key;
      this.#lastBook = this.#books.get(key);
    }
    if (this.#lastBook === undefined) {
      this.#lastBook = new ResultBook(this.#instruments[instrument]!, this.#results);
      this.#books.set(key, this.#lastBook);
    }
    this.#lastBook.book(fills, row);
  }

  /** Ends the run. Returns all results in closing order. */
  end(): Float64Array {
    for (const book of this.#books.values()) book.end();
    return this.#results.inOrder();
  }
}

/** Collects the results of the episodes of all books. */
class ResultCollector {
  readonly #units: number[] = [];
  readonly #lastFills: number[] = [];
  /** True while the results arrive in closing order. */
  #isOrdered = true;

  /** Adds the result of an episode in units. `lastFill` is the row of its last fill. */
  add(units: number, lastFill: number): void {
    const { length } = this.#units;
    if (length > 0 && lastFill < this.#lastFills[length - 1]!) this.#isOrdered = false;
    this.#units.push(units);
    this.#lastFills.push(lastFill);
  }

  /**
   * Returns the results ordered by the last fill of each trade. A book reports a close only when it is final, so the order of arrival
   * differs.
   */
  inOrder(): Float64Array {
    const units = Float64Array.from(this.#units);
    if (this.#isOrdered) return units;
    const order = [...this.#lastFills.keys()].toSorted((a, b) => this.#lastFills[a]! - this.#lastFills[b]!);
    return Float64Array.from(order, (index) => units[index]!);
  }
}

/** A fill and its effect. One object is reused for all fills, because a sweep books thousands of them for each set. */
class FillMove implements Move {
  // hot: docs/performance.md#double-fields
  flow = 0.5;
  base = 0.5;
  isBuy = false;
  notionalUnits = 0.5;
  lots = 0.5;
  feeUnits = 0.5;
  feeInBase = false;

  /** Takes the terms of a fill from the columns. */
  read(fills: FillColumns, row: number): void {
    this.isBuy = fills.side[row] === 0;
    this.notionalUnits = fills.notional[row]!;
    this.lots = fills.lots[row]!;
    this.feeUnits = fills.fee[row]!;
    this.feeInBase = fills.feeInBase[row] === 1;
  }
}

/** Episodes of one position. Only their net results are kept. */
class ResultBook extends Episodes<Move> {
  readonly #valuation: Valuation;
  readonly #results: ResultCollector;
  readonly #move = new FillMove();
  #row = 0;
  #lastFill = 0;

  constructor(instrument: Instrument, results: ResultCollector) {
    const valuation = valuationOf(instrument);
    super(dustBelow(instrument, valuation));
    this.#valuation = valuation;
    this.#results = results;
  }

  /** Books the fill in a row of the columns. */
  book(fills: FillColumns, row: number): void {
    const move = this.#move;
    move.read(fills, row);
    move.flow = flowOf(this.#valuation, move);
    move.base = holdingChangeOf(this.#valuation, move);
    this.#row = row;
    this.take(move);
  }

  /** Books money without a fill in the open episode. */
  pay(units: number): void {
    this.flow += units;
  }

  protected override onBegin(): void {}
  protected override onContinue(): void {}
  protected override onAdd(): void {
    this.#lastFill = this.#row;
  }
  protected override onFinish(pnlUnits: number): void {
    this.#results.add(pnlUnits, this.#lastFill);
  }
  protected override split(move: Move, part: number, whole: number): readonly [Move, Move] {
    const first = { flow: share(move.flow, part, whole), base: (move.base < 0 ? -1 : 1) * part };
    return [first, { flow: move.flow - first.flow, base: move.base - first.base }];
  }
}
