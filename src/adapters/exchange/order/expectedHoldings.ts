// What the account must hold according to its trades. A list without an order proves absence only if this equals the real holdings.

import { Decimal } from '../../../base/number/decimal.ts';
import type { Side } from '../../../model/order.ts';
import type { VenueHolding } from '../calls/venueCalls.ts';

/** Change of an asset by a trade, exact. */
export type HoldingChange = readonly [asset: string, by: Decimal];

/** Difference of a read from one state of the books, by name. Equal `key`s mean equal differences. */
export interface Gap {
  readonly key: string;
  readonly by: readonly HoldingChange[];
}

/** The changes of one trade, and its time, ms of the venue. */
interface Step {
  readonly timeMs: number;
  readonly changes: readonly HoldingChange[];
}

/** How long single trades are kept. No read of holdings is older than this. */
const KEPT_MS = 600_000;
const MAX_STEPS = 5000;

/**
 * Amounts by name: a baseline and the changes by each trade since. On a busy account, a read shows a state between two trades, so it is
 * right if it equals the state after any one of them.
 */
class SequencedTotals {
  readonly now = new Map<string, Decimal>();
  /** The newest trades, sorted by time. */
  readonly #steps: Step[] = [];

  set(name: string, amount: Decimal): void {
    this.now.set(name, amount);
  }
  forget(): void {
    this.now.clear();
    this.#steps.length = 0;
  }
  of(name: string): Decimal {
    return this.now.get(name) ?? ZERO;
  }
  add(changes: readonly HoldingChange[]): void {
    for (const [name, by] of changes) this.now.set(name, this.of(name).plus(by));
  }
  book(changes: readonly HoldingChange[], timeMs: number): void {
    this.add(changes);
    const steps = this.#steps;
    let at = steps.length;
    while (at > 0 && steps[at - 1]!.timeMs > timeMs) at--;
    steps.splice(at, 0, { timeMs, changes });
    const youngMs = steps.at(-1)!.timeMs - KEPT_MS;
    const old = steps.findIndex((step) => step.timeMs >= youngMs);
    steps.splice(0, Math.max(old, steps.length - MAX_STEPS));
  }
  /** Yields the differences of `held` from the current state and from each state since `sinceMs`, newest first. */
  *gaps(held: ReadonlyMap<string, Decimal>, names: ReadonlySet<string>, sinceMs: number): Iterable<Gap> {
    const state = new Map(this.now);
    for (let at = this.#steps.length; ; at--) {
      yield gapOf(held, state, names);
      const step = this.#steps[at - 1];
      if (step === undefined || step.timeMs < sinceMs) return;
      for (const [name, by] of step.changes) state.set(name, (state.get(name) ?? ZERO).minus(by));
    }
  }
}

const ZERO = new Decimal(0);

function gapOf(held: ReadonlyMap<string, Decimal>, state: ReadonlyMap<string, Decimal>, names: ReadonlySet<string>): Gap {
  const by: HoldingChange[] = [];
  for (const name of names) {
    const difference = (held.get(name) ?? ZERO).minus(state.get(name) ?? ZERO);
    if (!difference.isZero()) by.push([name, difference]);
  }
  return { key: by.map(([name, each]) => `${name} ${each.toFixed()}`).join(' '), by };
}

/** Totals by asset. */
export class HoldingBook {
  readonly #totals = new SequencedTotals();
  #isSet = false;

  get isSet(): boolean {
    return this.#isSet;
  }

  /** Sets the baseline. Unnamed assets are empty. */
  set(held: readonly VenueHolding[]): void {
    this.#totals.forget();
    this.#isSet = true;
    for (const { asset, total } of held) this.#totals.set(asset, new Decimal(total));
  }
  /** The operator has explained a difference: it becomes part of what the account must hold. */
  explain(gap: Gap): void {
    this.#totals.add(gap.by);
  }
  /** Books a trade at its venue time, if there is a baseline that does not include it. */
  book(changes: readonly HoldingChange[], timeMs: number): void {
    if (this.#isSet) this.#totals.book(changes, timeMs);
  }
  /** Yields, for these assets, the differences from the current totals and from those after each trade since `sinceMs`. */
  gaps(held: readonly VenueHolding[], assets: ReadonlySet<string>, sinceMs: number): Iterable<Gap> {
    return this.#totals.gaps(new Map(held.map(({ asset, total }) => [asset, new Decimal(total)])), assets, sinceMs);
  }
  /** Returns assets with their totals, for the journal. */
  entries(): readonly (readonly [string, string])[] {
    return Array.from(this.#totals.now, ([asset, total]) => [asset, total.toFixed()] as const);
  }
}

/** Net contracts by instrument, in lots: a baseline and the changes by trades since. */
export class PositionBook {
  readonly #totals: readonly SequencedTotals[];

  constructor(instruments: number) {
    this.#totals = Array.from({ length: instruments }, () => new SequencedTotals());
  }

  /** Returns null if not known yet. The result has a fraction if a fill was smaller than a lot. */
  lotsOf(instrument: number): number | null {
    return this.#totals[instrument]?.now.get(LOTS)?.toNumber() ?? null;
  }
  set(instrument: number, lots: number | Decimal): void {
    this.#totals[instrument]!.forget();
    this.#totals[instrument]!.set(LOTS, new Decimal(lots));
  }
  explain(instrument: number, gap: Gap): void {
    this.#totals[instrument]!.add(gap.by);
  }
  book(instrument: number, side: Side, lots: number | Decimal, timeMs: number): void {
    const totals = this.#totals[instrument]!;
    if (totals.now.has(LOTS)) totals.book([[LOTS, new Decimal(lots).times(side === 'buy' ? 1 : -1)]], timeMs);
  }
  gaps(instrument: number, lots: Decimal, sinceMs: number): Iterable<Gap> {
    return this.#totals[instrument]!.gaps(new Map([[LOTS, lots]]), ONLY_LOTS, sinceMs);
  }
}

const LOTS = 'lots';
const ONLY_LOTS: ReadonlySet<string> = new Set([LOTS]);
