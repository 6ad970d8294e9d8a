// Runs the live rules that are on. Each one receives the events that it needs, and halts trading with its own code.

import type { Fill } from '../../model/fill.ts';
import type { Order } from '../../model/order.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import { lossStreakRule, postTradeRule, repeatRule, unknownBudgetRule } from './outcomeRules.ts';
import { clockRule, deadManRule, nakedRule, nakedExitRule, staleAccountRule, staleDataRule } from './stalenessRules.ts';
import type { HaltBoard, Scope } from './halts.ts';
import type { LiveFacts, LiveRule, LiveWatch, Raiser } from './liveWatch.ts';
import type { ResolvedLimits } from '../limits/resolve.ts';

/** All live rules. They are the same for every market. */
export const LIVE_RULES: readonly LiveRule[] = [
  staleDataRule,
  staleAccountRule,
  clockRule,
  deadManRule,
  nakedRule,
  unknownBudgetRule,
  repeatRule,
  postTradeRule,
  lossStreakRule,
  // Must be last, because the earlier rules apply to the orders by which it closes positions.
  nakedExitRule,
];

/** The watches of the live rules that are on. */
export class LiveWatches {
  private readonly ledger: Ledger;
  private readonly halts: HaltBoard;
  /** The watch of each rule, by the code of the rule. */
  private readonly byCode = new Map<string, LiveWatch>();
  /** Kept when limits change, so that a cause raised under the old limits can be cleared under the new ones. */
  private readonly raisers = new Map<string, Raiser>();

  constructor(ledger: Ledger, halts: HaltBoard) {
    this.ledger = ledger;
    this.halts = halts;
  }

  /** True when a rule needs facts regularly. */
  get wantsFacts(): boolean {
    return [...this.byCode.values()].some((watch) => watch.tick !== undefined);
  }
  /** True when a live rule is on. */
  get hasAny(): boolean {
    return this.byCode.size > 0;
  }
  /** Starts a rule, or restarts it with other limits. */
  set(rule: LiveRule, limits: ResolvedLimits): void {
    const raiser = this.raisers.get(rule.code) ?? this.raiserOf(rule);
    this.raisers.set(rule.code, raiser);
    this.byCode.set(rule.code, rule.watch(limits, this.ledger, raiser));
  }

  /** Passes the current facts to the rules that watch them. */
  tick(facts: LiveFacts, nowMs: number): void {
    for (const watch of this.byCode.values()) watch.tick?.(facts, nowMs);
  }
  /** Reports that the outcome of `lostOrder` has become unknown; null: that one has become known. `openOrders`: all open orders. */
  onOutcome(openOrders: readonly Order[], lostOrder: Order | null, nowMs: number): void {
    for (const watch of this.byCode.values()) watch.outcome?.(openOrders, lostOrder, nowMs);
  }
  /** Reports a fill, with the mark price of its instrument in ticks. */
  onFill(order: Order, fill: Fill, markTicks: number): void {
    for (const watch of this.byCode.values()) watch.filled?.(order, fill, markTicks);
  }
  /** Reports an order that was denied by the bot or refused by the venue, with the code. */
  onRefusal(order: Order, code: string, nowMs: number): void {
    for (const watch of this.byCode.values()) watch.refused?.(order, code, nowMs);
  }

  /** Returns the raiser of a rule: it changes only causes that the rule has raised, because the exchange may raise the same code. */
  private raiserOf({ code }: LiveRule): Raiser {
    const halts = this.halts;
    const raisedScopes = new Set<string>();
    const isOwn = (scope: Scope): boolean => raisedScopes.has(JSON.stringify(scope));
    return {
      raise(scope, reason, atMs, state = 'HALT_NEW') {
        if (halts.holds(scope, code) && !isOwn(scope)) return;
        raisedScopes.add(JSON.stringify(scope));
        halts.raise(scope, state, code, reason, atMs);
      },
      clear(scope, atMs) {
        const wasRaised = raisedScopes.size > 0 && raisedScopes.delete(JSON.stringify(scope));
        if (wasRaised) halts.clear(scope, code, 'its cause is gone', atMs);
      },
    };
  }
}
