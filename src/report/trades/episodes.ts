// Groups the fills of one strategy and instrument into flat-to-flat episodes, and computes the exact result of each.

import { mulDiv } from '../../base/number/exact.ts';

/** The effect of a fill on money (including the fee, see valuation.ts) and on the holding. A fill across zero has one part on each side. */
export interface Move {
  readonly flow: number;
  readonly base: number;
}

/**
 * Flat-to-flat episodes. A reducing fill that leaves less of the base asset than the smallest order closes the episode, because the
 * remainder cannot be sold. This dust carries its share of its cost (rounded toward zero) into the next episode. So closed plus open profit
 * equals the change of the balances to the last unit.
 *
 * A close becomes final when a later fill enlarges the position again. Until then, further parts of the closing order belong to the same
 * episode. A fill across zero is split there, and its money is divided in proportion to quantity.
 *
 * When the fee takes every coin of an entry and nothing else is held, the episode ends with a loss of the whole price.
 */
export abstract class Episodes<Of extends Move> {
  /** Base units held, dust included. */
  base = 0;
  /** Quote units received for `base`: minus its cost. */
  flow = 0;
  /** 1 long, -1 short, 0 between episodes. */
  side: 1 | -1 | 0 = 0;
  /** A smaller holding is dust. */
  readonly #minUnits: number;
  /** True when the episode has ended unless the next fill continues it. */
  #isClosable = false;
  /** Money and base units of the entries and of the exits of the episode. */
  #entryFlow = 0;
  #entryBase = 0;
  #exitFlow = 0;
  #exitBase = 0;

  /** A holding below `minUnits` is dust. */
  constructor(minUnits: number) {
    this.#minUnits = minUnits;
  }

  /** Ends the run: a close without a later fill becomes final. */
  end(): void {
    if (this.#isClosable) this.#finish();
  }

  /** Books a fill: begins, continues, splits or ends the episode. */
  protected take(move: Of): void {
    const direction = move.base < 0 ? -1 : 1;
    if (this.#isClosable && (direction === this.side || this.base * this.side <= 0)) this.#finish();
    if (this.side === 0) this.#begin(direction, move);
    else this.onContinue(move);
    const after = this.base + move.base;
    const crossesZero = after * this.side < 0 && this.base * this.side > 0;
    if (crossesZero && Math.abs(after) >= this.#minUnits) {
      const [closing, opening] = this.split(move, Math.abs(this.base), Math.abs(move.base));
      this.#add(closing);
      this.#finish();
      this.#begin(direction, move);
      this.#add(opening);
    } else this.#add(move);
  }

  /** Splits a fill into its first `part` / `whole` and the remainder. */
  protected abstract split(move: Of, part: number, whole: number): readonly [Of, Of];
  /** Called when an episode begins with the fill. */
  protected abstract onBegin(move: Of): void;
  /** Called for a fill within an episode, before it is booked. */
  protected abstract onContinue(move: Of): void;
  /** Called after a fill, or a part of it, was booked. */
  protected abstract onAdd(move: Of, isEntry: boolean): void;
  /** Called when an episode has ended. Its fields stay valid until the next episode begins. */
  protected abstract onFinish(pnlUnits: number): void;

  /** Begins an episode on a side, with what the last one has left. */
  #begin(side: 1 | -1, move: Of): void {
    this.side = side;
    // Dust from the previous episode enters with its cost.
    this.#entryFlow = this.flow;
    this.#entryBase = this.base * side;
    this.#exitFlow = this.#exitBase = 0;
    this.onBegin(move);
  }

  /** Adds a fill to the entry or to the exit of the episode. */
  #add(move: Of): void {
    const { flow, base } = move;
    // A fill that moves no coin is a buy whose fee took all of them.
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
    this.#isClosable = isEntry ? this.base === 0 : Math.abs(this.base) < this.#minUnits;
    this.onAdd(move, isEntry);
  }

  /** Ends the episode, and reports its result. */
  #finish(): void {
    const dustFlow = this.base === 0 ? 0 : this.#dustFlow();
    this.onFinish(this.flow - dustFlow);
    this.flow = dustFlow;
    this.side = 0;
    this.#isClosable = false;
  }

  /** Returns the flow of the remaining dust: its share of the money of the entries, or of the exits when dust was oversold. */
  #dustFlow(): number {
    const isEntry = this.base * this.side > 0;
    const flow = isEntry ? this.#entryFlow : this.#exitFlow;
    return share(flow, Math.abs(this.base), isEntry ? this.#entryBase : this.#exitBase);
  }
}

/** Returns `part` / `whole` of an amount of money, rounded toward zero. */
export function share(units: number, part: number, whole: number): number {
  return (units < 0 ? -1 : 1) * mulDiv(Math.abs(units), part, whole, 'down');
}
