// Fills of one strategy and instrument grouped into flat-to-flat episodes, exactly: the rule, and what each of them won or lost.

import { mulDiv } from '../../base/number/exact.ts';

/** What a fill, or its part on one side of zero, does to money, fee included (see valuation.ts), and to the holding. */
export interface Move {
  readonly flow: number;
  readonly base: number;
}

/**
 * The rule of flat: a reducing fill that leaves less of the base asset than the smallest order closes the episode, because what is left
 * cannot be sold. That dust keeps its share of what was paid for it (rounded toward zero) and hands it to the next episode, so that
 * closed profit plus open profit is the change of the balances to the last unit. A close is final once a fill enlarges the position
 * again: the rest of a close that was filled in parts belongs to the episode that it ends. A fill across zero is split there, its money
 * in proportion to quantity. An entry whose fee takes every coin of it leaves nothing to close: where nothing else is held the episode is
 * over, with the loss of what was paid.
 */
export abstract class Episodes<Of extends Move> {
  /** Base units held, dust included. */
  base = 0;
  /** Quote units that went for `base`: minus its cost. */
  flow = 0;
  /** 1 long, -1 short, 0 between episodes. */
  side: 1 | -1 | 0 = 0;
  readonly #minUnits: number;
  #closable = false;
  #entryFlow = 0;
  #entryBase = 0;
  #exitFlow = 0;
  #exitBase = 0;

  /** `minUnits`: less than that is dust. */
  constructor(minUnits: number) {
    this.#minUnits = minUnits;
  }

  /** The run is over: a close that nothing followed is final. */
  end(): void {
    if (this.#closable) this.#finish();
  }

  protected take(move: Of): void {
    const direction = move.base < 0 ? -1 : 1;
    if (this.#closable && (direction === this.side || this.base * this.side <= 0)) this.#finish();
    if (this.side === 0) this.#begin(direction, move);
    else this.continues(move);
    const after = this.base + move.base;
    if (after * this.side < 0 && Math.abs(after) >= this.#minUnits && this.base * this.side > 0) {
      const [closing, rest] = this.split(move, Math.abs(this.base), Math.abs(move.base));
      this.#add(closing);
      this.#finish();
      this.#begin(direction, move);
      this.#add(rest);
    } else this.#add(move);
  }

  /** The first `part` / `whole` of a fill, and the rest of it. */
  protected abstract split(move: Of, part: number, whole: number): readonly [Of, Of];
  /** An episode begins with the fill. */
  protected abstract began(move: Of): void;
  /** A fill comes within an episode, and is not booked yet. */
  protected abstract continues(move: Of): void;
  protected abstract added(move: Of, isEntry: boolean): void;
  /** An episode is over; its fields are those of the episode until the next one begins. */
  protected abstract finished(pnlUnits: number): void;

  #begin(side: 1 | -1, move: Of): void {
    this.side = side;
    // Dust that was left comes in with its cost.
    this.#entryFlow = this.flow;
    this.#entryBase = this.base * side;
    this.#exitFlow = this.#exitBase = 0;
    this.began(move);
  }

  #add(move: Of): void {
    const { flow, base } = move;
    // A fill that moves no coin is a buy whose fee took them all.
    const isEntry = base === 0 ? this.side > 0 : base * this.side > 0;
    if (isEntry) {
      this.#entryFlow += flow;
      this.#entryBase += Math.abs(base);
    } else {
      this.#exitFlow += flow;
      this.#exitBase += Math.abs(base);
    }
    this.flow += flow;
    this.base += base;
    this.#closable = isEntry ? this.base === 0 : Math.abs(this.base) < this.#minUnits;
    this.added(move, isEntry);
  }

  #finish(): void {
    const carried = this.base === 0 ? 0 : this.#dustFlow();
    this.finished(this.flow - carried);
    this.flow = carried;
    this.side = 0;
    this.#closable = false;
  }

  /** The part of the flow that belongs to what is left: its share of what it was bought (or sold) for. */
  #dustFlow(): number {
    const isEntry = this.base * this.side > 0;
    const flow = isEntry ? this.#entryFlow : this.#exitFlow;
    return share(flow, Math.abs(this.base), isEntry ? this.#entryBase : this.#exitBase);
  }
}

/** `part` / `whole` of so much money, rounded toward zero. */
export function share(units: number, part: number, whole: number): number {
  return (units < 0 ? -1 : 1) * mulDiv(Math.abs(units), part, whole, 'down');
}
