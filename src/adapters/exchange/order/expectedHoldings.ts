// Computes what the account must hold according to its trades. An order counts as absent only if the real holdings equal this.

import { Decimal } from '../../../base/number/decimal.ts';
import type { Side } from '../../../model/order.ts';
import type { VenueHolding } from '../calls/venueCalls.ts';

/** Change of an asset by a trade, exact. */
export type HoldingChange = readonly [asset: string, differences: Decimal];

/** The read holdings minus those of one state of the books, by asset. Equal differences have equal keys. */
export interface Gap {
  readonly key: string;
  readonly differences: readonly HoldingChange[];
}

/** The changes by one trade, and its venue time in ms. */
interface TradeStep {
  readonly timeMs: number;
  readonly changes: readonly HoldingChange[];
}

/** Single trades are kept this long (venue time). A read of the holdings is always younger. */
const RETENTION_MS = 600_000;
/** At most this many trades are kept, the newest ones. */
const MAX_STEPS = 5000;

/**
 * Amounts by name: a baseline and the changes by each trade since. While the account trades, a read of the holdings shows the state after
 * any one of these trades. So a read agrees with the books if it equals one of these states.
 */
class SequencedTotals {
  readonly now = new Map<string, Decimal>();
  /** The newest trades, sorted by time. */
  readonly #steps: TradeStep[] = [];

  set(name: string, amount: Decimal): void {
    this.now.set(name, amount);
  }
  /** Removes all amounts and trades. */
  forget(): void {
    this.now.clear();
    this.#steps.length = 0;
  }
  of(name: string): Decimal {
    return this.now.get(name) ?? ZERO;
  }
  /** Changes the current state and the baseline. */
  add(changes: readonly HoldingChange[]): void {
    for (const [name, differences] of changes) this.now.set(name, this.of(name).plus(differences));
  }
  /** Books a trade at its venue time. Forgets the oldest trades. */
  book(changes: readonly HoldingChange[], timeMs: number): void {
    this.add(changes);
    const steps = this.#steps;
    let index = steps.length;
    while (index > 0 && steps[index - 1]!.timeMs > timeMs) index--;
    steps.splice(index, 0, { timeMs, changes });
    const keptSinceMs = steps.at(-1)!.timeMs - RETENTION_MS;
    const firstKept = steps.findIndex((step) => step.timeMs >= keptSinceMs);
    steps.splice(0, Math.max(firstKept, steps.length - MAX_STEPS));
  }
  /** Yields the differences of `venueHoldings` from the current state and from each state since `sinceMs`, newest first. */
  *gaps(venueHoldings: ReadonlyMap<string, Decimal>, names: ReadonlySet<string>, sinceMs: number): Iterable<Gap> {
    const state = new Map(this.now);
    for (let count = this.#steps.length; ; count--) {
      yield gapOf(venueHoldings, state, names);
      const step = this.#steps[count - 1];
      if (step === undefined || step.timeMs < sinceMs) return;
      for (const [name, differences] of step.changes) state.set(name, (state.get(name) ?? ZERO).minus(differences));
    }
  }
}

const ZERO = new Decimal(0);

/** Returns the difference of holdings from one state, over the assets `names`. */
function gapOf(venueHoldings: ReadonlyMap<string, Decimal>, state: ReadonlyMap<string, Decimal>, names: ReadonlySet<string>): Gap {
  const changes: HoldingChange[] = [];
  for (const name of names) {
    const difference = (venueHoldings.get(name) ?? ZERO).minus(state.get(name) ?? ZERO);
    if (!difference.isZero()) changes.push([name, difference]);
  }
  return { key: changes.map(([name, difference]) => `${name} ${difference.toFixed()}`).join(' '), differences: changes };
}

/** Totals by asset. */
export class HoldingBook {
  readonly #totals = new SequencedTotals();
  #isSet = false;

  /** True once a baseline was set. */
  get isSet(): boolean {
    return this.#isSet;
  }

  /** Sets the baseline. Assets that `holdings` does not name are empty. */
  set(holdings: readonly VenueHolding[]): void {
    this.#totals.forget();
    this.#isSet = true;
    for (const { asset, total } of holdings) this.#totals.set(asset, new Decimal(total));
  }
  /** Accepts a difference that the operator has explained: it becomes part of what the account must hold. */
  explain(gap: Gap): void {
    this.#totals.add(gap.differences);
  }
  /** Books a trade at its venue time. Without a baseline it does nothing, because the baseline will include the trade. */
  book(changes: readonly HoldingChange[], timeMs: number): void {
    if (this.#isSet) this.#totals.book(changes, timeMs);
  }
  /** Yields, for these assets, the differences from the current totals and from those after each trade since `sinceMs`. */
  gaps(holdings: readonly VenueHolding[], assets: ReadonlySet<string>, sinceMs: number): Iterable<Gap> {
    return this.#totals.gaps(new Map(holdings.map(({ asset, total }) => [asset, new Decimal(total)])), assets, sinceMs);
  }
  /** Returns assets with their totals, for the journal. */
  entries(): readonly (readonly [string, string])[] {
    return Array.from(this.#totals.now, ([asset, total]) => [asset, total.toFixed()] as const);
  }
}

/** An amount of a position that is compared with the exchange: the net lots, or in two-way mode those of one side. */
export type PositionPart = 'lots' | 'long' | 'short';

/** The lots of a position by part, above 0 bought: those of the short side are below 0. */
export type PositionLots = ReadonlyMap<PositionPart, Decimal>;

const NET: readonly PositionPart[] = ['lots'];
const SIDES: readonly PositionPart[] = ['long', 'short'];

/** Returns the part of the position that a change of its long or its short side belongs to. */
export function positionPartOf(isTwoWay: boolean, isLong: boolean): PositionPart {
  if (!isTwoWay) return 'lots';
  return isLong ? 'long' : 'short';
}

/**
 * Contracts by instrument, in lots: a baseline and the changes by trades since. In two-way mode long and short are apart, because an equal
 * sum hides a change of both.
 */
export class PositionBook {
  readonly #totals: readonly SequencedTotals[];
  readonly #isTwoWay: (instrumentIndex: number) => boolean;

  constructor(instrumentCount: number, isTwoWay: (instrumentIndex: number) => boolean) {
    this.#totals = Array.from({ length: instrumentCount }, () => new SequencedTotals());
    this.#isTwoWay = isTwoWay;
  }

  /** Returns what is compared of an instrument. */
  comparedParts(instrumentIndex: number): readonly PositionPart[] {
    return this.#isTwoWay(instrumentIndex) ? SIDES : NET;
  }
  /** True once a baseline was set. */
  isKnown(instrumentIndex: number): boolean {
    return this.#totals[instrumentIndex]!.now.size > 0;
  }
  /** Returns the lots of a part; null if not known yet. The result has a fraction if a fill was smaller than a lot. */
  lotsOf(instrumentIndex: number, part: PositionPart): Decimal | null {
    return this.#totals[instrumentIndex]!.now.get(part) ?? null;
  }
  /** Returns the net lots, below 0 short; null if not known yet. */
  netLotsOf(instrumentIndex: number): Decimal | null {
    if (!this.isKnown(instrumentIndex)) return null;
    return this.comparedParts(instrumentIndex).reduce((net, part) => net.plus(this.#totals[instrumentIndex]!.of(part)), ZERO);
  }
  /** True if no lots are expected on either side, and if none are known yet. */
  isFlat(instrumentIndex: number): boolean {
    return this.comparedParts(instrumentIndex).every((part) => this.#totals[instrumentIndex]!.of(part).isZero());
  }
  /** Sets the baseline of an instrument. */
  set(instrumentIndex: number, lots: PositionLots): void {
    this.#totals[instrumentIndex]!.forget();
    for (const part of this.comparedParts(instrumentIndex)) this.#totals[instrumentIndex]!.set(part, lots.get(part) ?? ZERO);
  }
  /**
   * Sets the baseline from the journal: the net lots, and in two-way mode the long ones. A journal of net mode, or of an earlier version, has
   * the net lots alone. They count as one side then: if the exchange shows two, the audit names the difference.
   */
  restore(instrumentIndex: number, net: Decimal, long: Decimal | null): void {
    const longLots = long ?? Decimal.max(net, 0);
    this.set(instrumentIndex, new Map([['lots', net], ['long', longLots], ['short', net.minus(longLots)]])); // prettier-ignore
  }
  /** Accepts a difference, so that it is expected from now on. */
  explain(instrumentIndex: number, gap: Gap): void {
    this.#totals[instrumentIndex]!.add(gap.differences);
  }
  /** Adds a trade to the expected lots, once a baseline was set. */
  book(instrumentIndex: number, part: PositionPart, side: Side, lots: number | Decimal, timeMs: number): void {
    if (this.isKnown(instrumentIndex))
      this.#totals[instrumentIndex]!.book([[part, new Decimal(lots).times(side === 'buy' ? 1 : -1)]], timeMs);
  }
  /** Yields the differences of the venue's lots from the expected ones: of now, and of each state since `sinceMs`, newest first. */
  gaps(instrumentIndex: number, lots: PositionLots, sinceMs: number): Iterable<Gap> {
    return this.#totals[instrumentIndex]!.gaps(lots, new Set(this.comparedParts(instrumentIndex)), sinceMs);
  }
}
