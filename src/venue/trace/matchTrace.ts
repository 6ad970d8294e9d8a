// Keeps what a venue did and by which rule, in the order in which it happened.

import type { Fill } from '../../model/fill.ts';
import { MATCHING_RULE, type MatchingRule, type MatchTracer, type TracedOrder } from './matchTracer.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** One act of the venue. Price in ticks, quantities in lots, money in units; NaN where it has none. */
export interface VenueAct {
  readonly kind: 'fill' | 'cancel' | 'liquidation';
  /** The caller's number of the order; null for a liquidation, whose order is made after it. */
  readonly ref: number | null;
  readonly instrument: string;
  readonly timeMs: number;
  /** The rule that acted; null: the order ended because its owner cancelled it. */
  readonly rule: MatchingRule | null;
  /** Further rules that had a part in it, ascending. */
  readonly also: readonly MatchingRule[];
  readonly tradeId: number;
  /** The price before slippage. */
  readonly quoted: number;
  readonly price: number;
  readonly lots: number;
  readonly fee: number;
  readonly feeInBase: boolean;
  readonly isMaker: boolean;
}

/** The newest rule that acted on an order. */
interface Acting {
  readonly rule: MatchingRule;
  readonly also: readonly MatchingRule[];
  readonly quoted: number;
  readonly timeMs: number;
}

/** What a trace has to know of the rows and the legs, which the books do not. */
export interface TraceWorld {
  /** Returns the open of the row before the one that opens at `openMs`, ms UTC; minus infinity if it is the first. */
  rowBefore(instrument: string, openMs: number): number;
  /** Returns the open of the row that is being matched, ms UTC. */
  openOfRow(instrument: string): number;
  /** Returns the number of the entry that an order is a leg of; 0: it is not a leg. */
  entryOf(ref: number): number;
  /** True for an order that its owner sent as a market order, although it has a limit: the collar. */
  isAtCollar(ref: number): boolean;
}

export class MatchTrace implements MatchTracer {
  readonly done: VenueAct[] = [];
  private readonly world: TraceWorld;
  private readonly acting = new Map<number, Acting>();
  /** By entry: when it was filled last. */
  private readonly entryFills = new Map<number, number>();

  constructor(world: TraceWorld) {
    this.world = world;
  }

  acts(order: TracedOrder, rule: MatchingRule, quoted: number, timeMs: number): void {
    this.acting.set(order.ref, { ...this.rulesOf(order, rule, timeMs), quoted, timeMs });
  }

  filled(order: TracedOrder, fill: Fill, budgetLots: number): void {
    const { ref, instrument } = order;
    const { price, lots, timeMs, fee, feeInBase, isMaker, tradeId } = fill;
    this.entryFills.set(ref, timeMs);
    const acting = this.acting.get(ref);
    const also: MatchingRule[] = [
      ...this.legRule(ref, instrument.id),
      ...(acting?.also ?? []),
      ...(acting?.rule === MATCHING_RULE.child ? [MATCHING_RULE.fired] : []),
    ];
    if (acting !== undefined && acting.quoted !== price) also.push(MATCHING_RULE.slippage);
    if (isCut(order)) also.push(budgetLots <= 0 ? MATCHING_RULE.share : MATCHING_RULE.funds);
    this.done.push({
      kind: 'fill',
      ref,
      instrument: instrument.id,
      timeMs,
      rule: acting?.rule ?? null,
      also: also.toSorted((a, b) => a - b),
      tradeId,
      quoted: acting?.quoted ?? price,
      price,
      lots,
      fee,
      feeInBase,
      isMaker,
    });
  }

  ended(order: TracedOrder, timeMs: number, budgetLots: number): void {
    const acting = this.acting.get(order.ref);
    this.acting.delete(order.ref);
    this.done.push({
      ...NO_FILL,
      kind: 'cancel',
      ref: order.ref,
      instrument: order.instrument.id,
      timeMs,
      ...causeOf(order, acting, timeMs, budgetLots),
    });
  }

  liquidated({ id }: { readonly id: string }, { price, lots, timeMs, fee, feeInBase, tradeId }: Fill): void {
    const { liquidation: rule, liquidationPrice } = MATCHING_RULE;
    const also = [liquidationPrice];
    this.done.push({
      kind: 'liquidation',
      ref: null,
      instrument: id,
      timeMs,
      rule,
      also,
      tradeId,
      quoted: price,
      price,
      lots,
      fee,
      feeInBase,
      isMaker: false,
    });
  }

  /** A market order at its collar is a limit to the venue, with a time in force where it may open a position. */
  private rulesOf(order: TracedOrder, rule: MatchingRule, timeMs: number): Pick<Acting, 'rule' | 'also'> {
    const { open, inForce, market } = MATCHING_RULE;
    if ((rule === open || rule === inForce) && this.world.isAtCollar(order.ref))
      return { rule: market, also: rule === inForce ? [rule] : [] };
    return { rule: rule === open ? this.openRule(order, timeMs) : rule, also: [] };
  }
  /** A limit that an earlier row has passed over rests; the open of this row jumps over it. */
  private openRule({ instrument, admittedMs }: TracedOrder, openMs: number): MatchingRule {
    return this.world.rowBefore(instrument.id, openMs) >= admittedMs ? MATCHING_RULE.gap : MATCHING_RULE.open;
  }

  /** The entry of a leg may have filled in the same row, at its open or inside it. */
  private legRule(ref: number, instrument: string): MatchingRule[] {
    const entry = this.world.entryOf(ref);
    const filledMs = entry === 0 ? undefined : this.entryFills.get(entry);
    const openMs = this.world.openOfRow(instrument);
    if (filledMs === undefined || filledMs < openMs) return [];
    return [filledMs === openMs ? MATCHING_RULE.legAtOpen : MATCHING_RULE.legMidBar];
  }
}

const NO_FILL = { tradeId: NAN, quoted: NAN, price: NAN, lots: NAN, fee: NAN, feeInBase: false, isMaker: false };

/** True when a fill has left a part of an order by quantity. */
function isCut({ quoteUnits, lots, filledLots }: TracedOrder): boolean {
  return quoteUnits === 0 && filledLots < lots;
}

/** An order that rests ends only because its owner cancels it. */
function causeOf(order: TracedOrder, acting: Acting | undefined, timeMs: number, budgetLots: number): Pick<VenueAct, 'rule' | 'also'> {
  if (acting?.timeMs !== timeMs || (order.limit !== 0 && order.timeInForce === null)) return { rule: null, also: [] };
  const { rule } = acting;
  const also = acting.also;
  if (budgetLots <= 0) return { rule: MATCHING_RULE.share, also: [rule, ...also].toSorted((a, b) => a - b) };
  if (order.timeInForce !== null) return { rule, also };
  return { rule, also: order.quoteUnits === 0 ? [...also, MATCHING_RULE.funds] : also };
}
