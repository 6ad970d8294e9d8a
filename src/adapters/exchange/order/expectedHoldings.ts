// What the account must hold by its trades: a list that shows no order is believed only where this agrees with what it holds.

import { Decimal } from '../../../base/number/decimal.ts';
import type { Side } from '../../../model/order.ts';
import type { VenueHolding } from '../calls/venueCalls.ts';

/** Changes of an asset by a trade, in exact decimals. */
export type HoldingChange = readonly [asset: string, by: Decimal];

/** What a reading differs by from one state of the books, by name; equal `key`s are equal differences. */
export interface Gap {
  readonly key: string;
  readonly by: readonly HoldingChange[];
}

/** The state of the books after one trade, and when that trade was, ms of the exchange. */
interface Step {
  readonly timeMs: number;
  readonly changes: readonly HoldingChange[];
}

/** Trades that are kept one by one: no reading is older than the time that they cover. */
const KEPT_MS = 600_000;
const MAX_STEPS = 5000;

/**
 * Amounts by name as they were read once, and as each trade has changed them since. A reading of a busy account shows a state between two
 * trades: it is right where it equals the state after any one of them.
 */
class SequencedTotals {
  readonly now = new Map<string, Decimal>();
  /** The newest trades, by time. */
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
  /** What `held` differs by from the state now, and from each that was so since `sinceMs`, newest first. */
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

  /** From here on. Assets that are not named are empty. */
  set(held: readonly VenueHolding[]): void {
    this.#totals.forget();
    this.#isSet = true;
    for (const { asset, total } of held) this.#totals.set(asset, new Decimal(total));
  }
  /** A person has explained this difference: it belongs to what the account must hold. */
  explain(gap: Gap): void {
    this.#totals.add(gap.by);
  }
  /** A trade whose changes no reading of the account has shown yet, at its time at the exchange. */
  book(changes: readonly HoldingChange[], timeMs: number): void {
    if (this.#isSet) this.#totals.book(changes, timeMs);
  }
  /** Of these assets: by what a reading differs from the totals now, and from those after each trade since `sinceMs`. */
  gaps(held: readonly VenueHolding[], assets: ReadonlySet<string>, sinceMs: number): Iterable<Gap> {
    return this.#totals.gaps(new Map(held.map(({ asset, total }) => [asset, new Decimal(total)])), assets, sinceMs);
  }
  /** For the journal: an asset and its total. */
  entries(): readonly (readonly [string, string])[] {
    return Array.from(this.#totals.now, ([asset, total]) => [asset, total.toFixed()] as const);
  }
}

/** Net contracts by instrument, in lots: as they were read once, and as trades have changed them since. */
export class PositionBook {
  readonly #totals: readonly SequencedTotals[];

  constructor(instruments: number) {
    this.#totals = Array.from({ length: instruments }, () => new SequencedTotals());
  }

  /** Null: not known yet. A fraction where a fill was finer than a lot. */
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
