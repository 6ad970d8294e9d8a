// Records the fills, cancels and liquidations of a venue, each with the matching rule that caused it.

import type { Fill } from '../../model/fill.ts';
import { MATCHING_RULE, type MatchingRule, type MatchTracer, type TracedOrder } from './matchTracer.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** One act of the venue. Price in ticks, quantities in lots, money in units; NaN for a field that does not apply. */
export interface VenueAct {
  readonly kind: 'fill' | 'cancel' | 'liquidation';
  /** The caller's number of the order; null for a liquidation, whose order is recorded after it. */
  readonly ref: number | null;
  readonly instrument: string;
  readonly timeMs: number;
  /** The rule that acted; null: the order ended because its owner cancelled it. */
  readonly rule: MatchingRule | null;
  /** Further rules that affected it, ascending. */
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
interface NewestRule {
  readonly rule: MatchingRule;
  readonly also: readonly MatchingRule[];
  readonly quoted: number;
  readonly timeMs: number;
}

/** What a trace needs to know of rows and legs beyond what the books know. */
export interface TraceContext {
  /** Returns the open of the row before the one that opens at `openMs`, ms UTC; minus infinity if it is the first. */
  rowBefore(instrument: string, openMs: number): number;
  /** Returns the open of the row that is being matched, ms UTC. */
  openOfRow(instrument: string): number;
  /** Returns the number of the entry of a leg; 0 for an order that is not a leg. */
  entryOf(ref: number): number;
  /** True for a market order that was sent as a limit order at the collar. */
  isAtCollar(ref: number): boolean;
}

const NO_FILL = { tradeId: NAN, quoted: NAN, price: NAN, lots: NAN, fee: NAN, feeInBase: false, isMaker: false };

/** The acts of a venue during a traced run, in their order. */
export class MatchTrace implements MatchTracer {
  /** The recorded acts, oldest first. */
  readonly recordedActs: VenueAct[] = [];
  private readonly context: TraceContext;
  private readonly newestRules = new Map<number, NewestRule>();
  /** By entry: the time of its last fill. */
  private readonly entryFills = new Map<number, number>();

  constructor(context: TraceContext) {
    this.context = context;
  }

  acts(order: TracedOrder, rule: MatchingRule, quoted: number, timeMs: number): void {
    this.newestRules.set(order.ref, { ...this.rulesOf(order, rule, timeMs), quoted, timeMs });
  }

  filled(order: TracedOrder, fill: Fill, budgetLots: number): void {
    const { ref, instrument } = order;
    const { price, lots, timeMs, fee, feeInBase, isMaker, tradeId } = fill;
    this.entryFills.set(ref, timeMs);
    const newestRule = this.newestRules.get(ref);
    const also: MatchingRule[] = [
      ...this.legRule(ref, instrument.id),
      ...(newestRule?.also ?? []),
      ...(newestRule?.rule === MATCHING_RULE.child ? [MATCHING_RULE.fired] : []),
    ];
    if (newestRule !== undefined && newestRule.quoted !== price) also.push(MATCHING_RULE.slippage);
    if (hasRemainder(order)) also.push(budgetLots <= 0 ? MATCHING_RULE.share : MATCHING_RULE.funds);
    this.recordedActs.push({
      kind: 'fill',
      ref,
      instrument: instrument.id,
      timeMs,
      rule: newestRule?.rule ?? null,
      also: also.toSorted((a, b) => a - b),
      tradeId,
      quoted: newestRule?.quoted ?? price,
      price,
      lots,
      fee,
      feeInBase,
      isMaker,
    });
  }

  ended(order: TracedOrder, timeMs: number, budgetLots: number): void {
    const newestRule = this.newestRules.get(order.ref);
    this.newestRules.delete(order.ref);
    this.recordedActs.push({
      ...NO_FILL,
      kind: 'cancel',
      ref: order.ref,
      instrument: order.instrument.id,
      timeMs,
      ...causeOf(order, newestRule, timeMs, budgetLots),
    });
  }

  liquidated({ id }: { readonly id: string }, { price, lots, timeMs, fee, feeInBase, tradeId }: Fill): void {
    const { liquidation: rule, liquidationPrice } = MATCHING_RULE;
    const also = [liquidationPrice];
    this.recordedActs.push({
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

  /** Returns the rules of an act. A collar order is a limit for the venue, but a market order by the rules. */
  private rulesOf(order: TracedOrder, rule: MatchingRule, timeMs: number): Pick<NewestRule, 'rule' | 'also'> {
    const { open, inForce, market } = MATCHING_RULE;
    if ((rule === open || rule === inForce) && this.context.isAtCollar(order.ref))
      return { rule: market, also: rule === inForce ? [rule] : [] };
    return { rule: rule === open ? this.openRule(order, timeMs) : rule, also: [] };
  }
  /** Returns the rule of a fill at the open: `gap` for a limit that rested in an earlier row. */
  private openRule({ instrument, admittedMs }: TracedOrder, openMs: number): MatchingRule {
    return this.context.rowBefore(instrument.id, openMs) >= admittedMs ? MATCHING_RULE.gap : MATCHING_RULE.open;
  }

  /** Returns the rule for a leg whose entry filled in the same row, at its open or inside it. */
  private legRule(ref: number, instrument: string): MatchingRule[] {
    const entry = this.context.entryOf(ref);
    const filledMs = entry === 0 ? undefined : this.entryFills.get(entry);
    const openMs = this.context.openOfRow(instrument);
    if (filledMs === undefined || filledMs < openMs) return [];
    return [filledMs === openMs ? MATCHING_RULE.legAtOpen : MATCHING_RULE.legMidBar];
  }
}

/** True when an order by quantity has a remainder after a fill. */
function hasRemainder({ quoteUnits, lots, filledLots }: TracedOrder): boolean {
  return quoteUnits === 0 && filledLots < lots;
}

/** Returns the rules behind the end of an order; none for a resting order, which only its owner cancels. */
function causeOf(
  order: TracedOrder,
  newestRule: NewestRule | undefined,
  timeMs: number,
  budgetLots: number,
): Pick<VenueAct, 'rule' | 'also'> {
  if (newestRule?.timeMs !== timeMs || (order.limit !== 0 && order.timeInForce === null)) return { rule: null, also: [] };
  const { rule } = newestRule;
  const also = newestRule.also;
  if (budgetLots <= 0) return { rule: MATCHING_RULE.share, also: [rule, ...also].toSorted((a, b) => a - b) };
  if (order.timeInForce !== null) return { rule, also };
  return { rule, also: order.quoteUnits === 0 ? [...also, MATCHING_RULE.funds] : also };
}
