// A naive venue for the campaign of the envelope: it holds at most one order and one position, and fills on the path of single ticks.

import { cancelsAt, entersAt, exitsAt, levelsOf, type EntryLevels, type Plan, type LadderRung, type TicksPerBar } from './envelopeWorld.ts';

/** How the naive venue fills a limit order. */
export interface LimitFillRule {
  /** True: a touch of the limit price fills. False: the price must go through it. */
  readonly atTouch: boolean;
  readonly isMaker: boolean;
}

/** The input of a naive run. */
export interface NaiveRun {
  readonly plan: Plan;
  /** One price a minute, in ticks. */
  readonly path: Int32Array;
  readonly ticksPerBar: TicksPerBar;
  readonly rule: LimitFillRule;
  /** Value of one lot at a price of one tick. */
  readonly unitsPerTick: number;
}

/** The open position. Prices are in ticks. */
interface Position {
  /** Best price since the entry. */
  best: number;
  readonly stop: number;
  readonly rungs: LadderRung[];
  lots: number;
  /** Share of the bought coins that the fee in coins has left. */
  readonly keptShare: number;
}

/** Returns the net profit of a plan over the path, in units of money. An open position counts at the last price. */
export function naiveNet(run: NaiveRun): number {
  const venue = new NaiveVenue(run);
  const { plan, path, ticksPerBar } = run;
  const bars = Math.floor(path.length / ticksPerBar);
  for (let bar = 0; bar < bars; bar++) {
    const prices = path.subarray(bar * ticksPerBar, (bar + 1) * ticksPerBar);
    prices.forEach((price, index) => venue.step(price, index === 0));
    const open = prices[0]!;
    const close = prices.at(-1)!;
    if (exitsAt(plan, bar)) venue.leave();
    else if (cancelsAt(plan, bar)) venue.cancel();
    if (entersAt(plan, bar, open, close)) venue.enter(levelsOf(plan, close));
  }
  return venue.netAt(path[bars * ticksPerBar - 1]!);
}

/** The venue: at most one order and one position. */
class NaiveVenue {
  readonly #plan: Plan;
  readonly #rule: LimitFillRule;
  readonly #unitsPerTick: number;
  /** 1 for a long plan, -1 for a short one. */
  readonly #sign: number;
  /** Fee of a limit order that has waited in the book. */
  readonly #limitPpm: number;
  #net = 0;
  #order: EntryLevels | null = null;
  #position: Position | null = null;
  #isLeaving = false;

  constructor({ plan, rule, unitsPerTick }: NaiveRun) {
    this.#plan = plan;
    this.#rule = rule;
    this.#unitsPerTick = unitsPerTick;
    this.#sign = plan.isLong ? 1 : -1;
    this.#limitPpm = rule.isMaker ? plan.makerPpm : plan.takerPpm;
  }

  enter(levels: EntryLevels): void {
    this.#order = levels;
  }
  cancel(): void {
    this.#order = null;
  }
  /** Cancels the entry, and closes the position at the next price. */
  leave(): void {
    this.#order = null;
    this.#isLeaving = true;
  }

  /** Lets the order and the position meet one price. */
  step(price: number, isOpen: boolean): void {
    if (this.#isLeaving && this.#position !== null) this.#close(this.#position, this.#slipped(price, -this.#sign), this.#plan.takerPpm);
    this.#isLeaving = false;
    if (this.#order !== null) this.#fillEntry(this.#order, price, isOpen);
    if (this.#position !== null) this.#fillExits(this.#position, price, isOpen);
  }

  /** Returns the net profit with an open position valued at `price`. */
  netAt(price: number): number {
    const position = this.#position;
    if (position === null) return this.#net;
    return this.#net + position.keptShare * this.#sign * price * position.lots * this.#unitsPerTick;
  }

  /** Fills the entry if the price reaches it. `isOpen`: the price is the open of a bar, or the one at which the order arrives. */
  #fillEntry(order: EntryLevels, price: number, isOpen: boolean): void {
    const { kind, takerPpm } = this.#plan;
    const sign = this.#sign;
    const { level } = order;
    const slipped = this.#slipped(price, sign);
    if (kind === 'market') this.#open(order, slipped, takerPpm);
    // A limit order that can fill at its arrival is a taker, and never pays more than its limit.
    else if (kind === 'limit' && isOpen && sign * (level - price) >= 0)
      this.#open(order, sign * Math.min(sign * slipped, sign * level), takerPpm);
    else if (kind === 'limit' && this.#isReached(price, level, { direction: -sign, isOpen: false }))
      this.#open(order, level, this.#limitPpm);
    else if (kind === 'trigger' && sign * (price - level) >= 0) this.#open(order, slipped, takerPpm);
  }

  /** Closes the position at its stop, or in part at each target that the price reaches. */
  #fillExits(position: Position, price: number, isOpen: boolean): void {
    const sign = this.#sign;
    if (sign * (price - this.#stopLevel(position)) <= 0) {
      this.#close(position, this.#slipped(price, -sign), this.#plan.takerPpm);
      return;
    }
    const { rungs } = position;
    while (rungs.length > 0 && this.#isReached(price, rungs[0]!.price, { direction: sign, isOpen })) {
      const rung = rungs.shift()!;
      this.#close(position, rung.price, this.#limitPpm, rung.lots);
    }
    position.best = sign > 0 ? Math.max(position.best, price) : Math.min(position.best, price);
  }

  /** Returns the stop nearest to the price: the stop-loss or the trailing stop. */
  #stopLevel({ best, stop }: Position): number {
    const sign = this.#sign;
    const none = -sign * Infinity;
    const trailing = this.#plan.trailing > 0 ? best - sign * this.#plan.trailing : none;
    const fixed = stop > 0 ? stop : none;
    return sign > 0 ? Math.max(trailing, fixed) : Math.min(trailing, fixed);
  }

  /** True when a limit at `level` fills. At the open of a bar a touch is enough: rule 5 of docs/matching.md. */
  #isReached(price: number, level: number, { direction, isOpen }: { readonly direction: number; readonly isOpen: boolean }): boolean {
    const minTicksBeyond = this.#rule.atTouch || isOpen ? 0 : 1;
    return direction * (price - level) >= minTicksBeyond;
  }

  /** Returns a price after slippage. `direction`: 1 for a buy, -1 for a sell. */
  #slipped(price: number, direction: number): number {
    return price + direction * this.#plan.slippageTicks;
  }

  /** Opens the position at a price, in ticks, and pays the fee: in money, or by a smaller position. */
  #open({ stop, rungs }: EntryLevels, price: number, feePpm: number): void {
    const { lots, feesIn } = this.#plan;
    const paysInCoins = feesIn === 'received';
    this.#net -= this.#sign * price * lots * this.#unitsPerTick + (paysInCoins ? 0 : this.#fee(price, feePpm, lots));
    this.#position = { best: price, stop, rungs: [...rungs], lots, keptShare: paysInCoins ? 1 - feePpm / 1e6 : 1 };
    this.#order = null;
  }

  /** Closes lots of the position at a price, in ticks. By default it closes all lots. */
  #close(position: Position, price: number, feePpm: number, lots = position.lots): void {
    this.#net += position.keptShare * (this.#sign * price * lots * this.#unitsPerTick - this.#fee(price, feePpm, lots));
    position.lots -= lots;
    if (position.lots === 0) this.#position = null;
  }

  /** Returns the fee of lots at a price, in units of money. */
  #fee(price: number, feePpm: number, lots: number): number {
    return (price * lots * this.#unitsPerTick * feePpm) / 1e6;
  }
}
