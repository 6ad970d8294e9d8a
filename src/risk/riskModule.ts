// Checks every order before it is sent: applies all rules that are on and reserves the worst case, in one synchronous call.

import type { Ratio } from '../base/number/decimalText.ts';
import { ConfigError } from '../base/errors.ts';
import type { Fill } from '../model/fill.ts';
import type { Instrument } from '../model/instrument.ts';
import type { ApprovedOrder, Order } from '../model/order.ts';
import type { Reservations } from '../orders/reserve/reservation.ts';
import type { Ledger } from '../portfolio/ledger.ts';
import * as approval from './approve.ts';
import { rulesForLedger } from './exposure/convertedRules.ts';
import { exposureOf } from './exposure/pairedExposure.ts';
import { isReduction } from './rules/openOrderRules.ts';
import { mayOpen } from './rules/openOrders.ts';
import { CLEARED_BY, HaltBoard, type HaltCause, type Scope } from './live/halts.ts';
import type { RiskLimits } from './limits/limits.ts';
import { LiveWatches } from './live/liveRules.ts';
import type { LiveFacts } from './live/liveWatch.ts';
import { SentOrders } from './rules/sentOrders.ts';
import { denialBefore, explainRules, type RuleVerdict } from './explain.ts';
import { resolveLimits, type ResolvedLimits } from './limits/resolve.ts';
import { AccountWorstCase, type Draft, type MarkPrices, type OrderRule, type RiskRule, type RiskState } from './rules/rule.ts';
import { guardFlaw } from './rules/guardSide.ts';
import { chainOf, type Chain } from './rules/ruleChain.ts';
import { LossWatches } from './rules/lossWatches.ts';
import { rulesFor } from './rules.ts';
import { tightenLimits } from './limits/tighten.ts';
import { lotsText, limitPriceText, quoteText } from './limits/limitTexts.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

// hot: docs/performance.md#imported-constants
const { approve } = approval;
const { floor } = Math;
const MAX_EXACT = Number.MAX_SAFE_INTEGER;
/** Code of an order whose numbers are missing, negative or NaN. It is denied before any rule sees it. */
export const BAD_INPUT = 'BAD_INPUT';

/** What the risk module takes. */
export interface RiskModuleDeps {
  readonly ledger: Ledger;
  readonly reservations: Reservations;
  readonly limits: RiskLimits;
  /** The result of `resolveLimits(limits)`, for a caller that makes many modules with the same limits. */
  readonly resolved?: ResolvedLimits;
  /** The rules to apply; by default all rules of the ledger's market. A test may leave out one rule. */
  readonly rules?: readonly RiskRule[];
}

/** The exposure of an account in its worst case, in units of money; NaN or Infinity where a mark is missing. */
export interface UsedExposure {
  /** The worst notional of all instruments. */
  readonly gross: number;
  /** The equity minus the fees of open orders. */
  readonly equity: number;
  /** The worst notional of each instrument of the run. */
  readonly notional: readonly number[];
}

/** The risk checks of one account. */
export class RiskModule {
  /** Risk states and causes. The operator halts and resumes here. */
  readonly halts: HaltBoard;
  private readonly state: RiskState;
  private readonly reservations: Reservations;
  /** The instrument by its index; null for an instrument of another market than the ledger's. */
  private readonly tradable: readonly (Instrument | null)[];
  /** Instrument and strategy of the newest order. The next order mostly has the same, so that they are looked up only for another. */
  private newestInstrument = 0;
  private newestStrategy = 0;
  private readonly rules: readonly RiskRule[];
  private currentLimits: RiskLimits = {};
  private chain: Chain = () => null;
  private orderRules: readonly OrderRule[] = [];
  private readonly lossWatches: LossWatches;
  /** True when a loss rule is on: the engine must call `begin` once, and `observe` before it calls `check`. */
  watchesEquity = false;
  private readonly liveWatches: LiveWatches;
  private codesOn: readonly string[] = [];
  /** The latest denial: its code, its order, and the rule or halt cause that denied it. */
  private denialCode: string | null = null;
  private deniedDraft: Draft | null = null;
  private denyingRule: OrderRule | null = null;
  private denyingCause: HaltCause | null = null;

  /** Throws ConfigError naming an invalid limit. */
  constructor({
    ledger,
    reservations,
    limits,
    resolved = resolveLimits(limits, ledger.instruments),
    rules = rulesFor(ledger.market),
  }: RiskModuleDeps) {
    const { instruments, strategies, market } = ledger;
    const sent = sentOrders(resolved);
    this.halts = new HaltBoard(instruments, strategies);
    this.reservations = reservations;
    this.rules = rulesForLedger(ledger, rules);
    this.liveWatches = new LiveWatches(ledger, this.halts);
    this.lossWatches = new LossWatches(ledger, this.halts);
    this.tradable = instruments.map((instrument) => (market === 'both' || instrument.market === market ? instrument : null));
    this.state = {
      instruments,
      ledger,
      reservations,
      exposure: exposureOf(ledger, reservations),
      limits: resolved,
      sent,
      keepsSent: sent.isRecording,
      account: new AccountWorstCase(),
      marks: { lastTicks: () => NAN },
      rangeTicks: () => NAN,
      tradable: this.tradable[0]!,
      nowMs: NAN,
      mark: NAN,
    };
    this.setRules(limits, resolved);
  }

  /** Turns on the rules whose limits are set. Rules whose limits have changed restart. */
  private setRules(limits: RiskLimits, resolved: ResolvedLimits): void {
    const earlierLimits = this.currentLimits;
    this.currentLimits = limits;
    this.state.limits = resolved;
    const rulesOn = this.rules.filter(({ keys }) => keys.length === 0 || keys.some((key) => resolved.set.has(key)));
    this.codesOn = rulesOn.map(({ code }) => code);
    this.orderRules = rulesOn.filter((rule) => rule.kind === 'order');
    this.chain = chainOf(this.orderRules);
    const changedRules = rulesOn.filter(({ keys }) => keys.some((key) => limits[key] !== earlierLimits[key]));
    for (const rule of changedRules) {
      if (rule.kind === 'live') this.liveWatches.set(rule, resolved);
      else if (rule.kind === 'equity') this.lossWatches.set(rule, resolved);
    }
    this.watchesEquity = this.lossWatches.hasAny;
    this.watchesOutcomes = this.liveWatches.hasAny || resolved.set.has('parent') || resolved.set.has('maxOrdersPerFill');
  }

  /** The limits in force. */
  get limits(): RiskLimits {
    return this.currentLimits;
  }
  /**
   * Tightens limits of a running bot; limits that are not named stay. Throws ConfigError, and changes nothing, for a limit that would be
   * wider. Also throws for a loss rule that was off, because the earlier equity was not watched.
   */
  tighten(requested: RiskLimits): void {
    const state = this.state;
    const limits = tightenLimits(this.currentLimits, requested, state.instruments);
    for (const { kind, code, keys } of this.rules) {
      if (kind !== 'equity' || this.lossWatches.has(code)) continue;
      for (const key of keys)
        if (limits[key] !== undefined) throw new ConfigError(`risk.${key}: this limit was off`, 'a loss limit needs a restart');
    }
    const earlierSent = state.sent;
    this.setRules(limits, resolveLimits(limits, state.instruments));
    state.sent = sentOrders(state.limits);
    state.keepsSent = state.sent.isRecording;
    state.sent.takeOver(earlierSent);
  }

  /** Returns the codes of the rules that are on, in the order in which they are checked. */
  rulesOn(): readonly string[] {
    return this.codesOn;
  }

  /** Connects the prices of all instruments of the run. Rules on the whole account need them. */
  attach(marks: MarkPrices, rangeTicks: RiskState['rangeTicks'] = () => NAN): void {
    this.state.marks = marks;
    this.state.rangeTicks = rangeTicks;
  }

  // --- Equity, for the loss rules

  /** Starts the loss rules with the account's equity at the start of the run. */
  begin(units: number, nowMs: number): void {
    this.lossWatches.begin(units, nowMs);
  }
  /** Passes the equity: every row before `length` is marked. Rows of an earlier call are not read again, so the number of calls does not matter. */
  observe(timeMs: Float64Array, units: Float64Array, length: number): void {
    this.lossWatches.observe(timeMs, units, length);
  }
  /** Returns the baselines of the loss rules, by rule. They are journalled when they change, and restored after `begin` at a restart. */
  snapshot(): ReadonlyMap<string, readonly number[]> {
    return this.lossWatches.snapshot();
  }
  restore(baselines: ReadonlyMap<string, readonly number[]>): void {
    this.lossWatches.restore(baselines);
  }
  /** Returns the equity that a loss rule measures from; NaN if it is off. */
  lossBaseline(code: string): number {
    return this.lossWatches.baseline(code);
  }
  /** Returns why an equity of `units` has lost at least `times` a loss limit; null if it has not, or if no such limit is set. */
  lossBeyond(units: number, times: Ratio): string | null {
    return this.lossWatches.lossBeyond(units, times);
  }

  // --- Exposure
  /** Returns the worst case of positions and open orders, without a new order, as the rules on exposure count it. */
  headroom(): UsedExposure {
    const { exposure, instruments } = this.state;
    const { gross, equity } = exposure.computeWorstCase(null, this.state);
    return { gross, equity, notional: instruments.map((_, index) => exposure.notional(index, null, this.state)) };
  }

  // --- Outcomes of orders, for rules that watch them

  /** True when a rule needs the outcomes of orders; otherwise the engine need not report them. */
  watchesOutcomes = false;
  /** Reports a fill, after the ledger has booked it. */
  filled(order: Order, fill: Fill): void {
    if (order.parent > 0) this.state.sent.noteLegFill(order.parent, fill.lots);
    this.state.sent.noteFill(order.strategy, fill.timeMs);
    this.liveWatches.onFill(order, fill, this.state.marks.lastTicks(order.instrumentIndex));
  }
  refused(order: Order, code: string, nowMs: number): void {
    this.liveWatches.onRefusal(order, code, nowMs);
  }
  /** Reports that the outcome of `lostOrder` has become unknown; null: that the outcome of an order has become known. */
  outcome(lostOrder: Order | null, nowMs: number): void {
    this.liveWatches.onOutcome(this.state.marks.openOrders?.() ?? [], lostOrder, nowMs);
  }
  /** True when a rule that is on needs `tick`. */
  get wantsFacts(): boolean {
    return this.liveWatches.wantsFacts;
  }
  /** Reports that time has reached `nowMs`: rules on age and certainty check the facts. A live bot calls it about once a second. */
  tick(facts: LiveFacts, nowMs: number): void {
    this.liveWatches.tick(facts, nowMs);
  }

  // --- Risk states

  /** Halts new risk on an instrument, for a cause that the caller clears with `clearInstrumentHalt`. */
  haltInstrument(instrumentIndex: number, code: string, nowMs: number, reason = code): void {
    this.halts.raise({ kind: 'symbol', instrument: instrumentIndex }, 'HALT_NEW', code, reason, nowMs);
  }
  clearInstrumentHalt(instrumentIndex: number, code: string, nowMs: number): void {
    this.halts.clear({ kind: 'symbol', instrument: instrumentIndex }, code, 'its cause is gone', nowMs);
  }
  /** Clears a cause for the operator; loss rules count from now on. Returns false when the cause is not in force. */
  resume(scope: Scope, code: string, who: string, nowMs: number): boolean {
    if (!this.halts.clear(scope, code, CLEARED_BY + who, nowMs)) return false;
    if (scope.kind === 'account') this.lossWatches.reset(code);
    return true;
  }

  // --- Risk checks

  /**
   * Returns the same record as an approved order, with its worst case reserved; or null, and `code` and `detail()` say why. `markTicks`:
   * the newest price of the order's instrument. An approval creates no closure, object or text.
   */
  check<O extends Draft>(order: O, nowMs: number, markTicks: number): (O & ApprovedOrder) | null {
    const state = this.state;
    state.nowMs = nowMs;
    state.mark = markTicks;
    if (!this.belongsToRun(order) || !this.isSound(order)) return this.deny(BAD_INPUT, order, null, null);
    if (order.isGuarded === true) {
      const flaw = guardFlaw(order, markTicks);
      if (flaw !== null) return this.deny(flaw.code, order, flaw, null);
    }
    const reservations = this.reservations;
    if (reservations.holdsAbsent) reservations.expireAbsent(nowMs);
    reservations.assess(order, markTicks);
    if (this.watchesEquity) this.lossWatches.roll(nowMs);
    if (this.halts.hasAny) {
      const cause = this.halts.causeOf(order.instrumentIndex, order.strategy);
      if (cause && !(cause.state === 'HALT_NEW' && isReduction(order, state))) return this.deny(cause.code, order, null, cause);
    }
    const failingRule = this.chain(order, state);
    if (failingRule !== null) return this.deny(failingRule.code, order, failingRule, null);
    return approve(order, state);
  }

  /** Returns the verdicts of the halts and of each rule that is on about an order. Reserves nothing. */
  explain(order: Draft, nowMs: number, markTicks: number): readonly RuleVerdict[] {
    const state = this.state;
    state.nowMs = nowMs;
    state.mark = markTicks;
    if (!this.belongsToRun(order) || !this.isSound(order)) return [denialBefore(BAD_INPUT, 'its numbers', 'sound numbers', '')];
    this.reservations.assess(order, markTicks);
    if (this.watchesEquity) this.lossWatches.roll(nowMs);
    const flaw = order.isGuarded === true ? guardFlaw(order, markTicks) : null;
    const cause = this.halts.causeOf(order.instrumentIndex, order.strategy);
    const isHalted = cause !== undefined && !(cause.state === 'HALT_NEW' && isReduction(order, state));
    return [
      ...(flaw === null ? [] : [denialBefore(flaw.code, 'its bracket', 'on the right side', flaw.detail(order, state))]),
      ...(isHalted ? [denialBefore(cause.code, 'new risk', cause.state, haltText(cause))] : []),
      ...explainRules(this.orderRules, order, state),
    ];
  }

  /** Applies the approval of an earlier process: reserves the order's worst case without checking any rule. */
  approvedBefore<O extends Draft>(order: O, nowMs: number, markTicks: number): O & ApprovedOrder {
    const state = this.state;
    state.nowMs = nowMs;
    state.mark = markTicks;
    const reservations = this.reservations;
    if (reservations.holdsAbsent) reservations.expireAbsent(nowMs);
    reservations.assess(order, markTicks);
    return approve(order, state);
  }

  /** True when this module has approved the order and its worst case is still reserved. */
  hasApproved<O extends Draft>(order: O): order is O & ApprovedOrder {
    return order.isReserved;
  }

  /** Returns the code of the rule that the order's bracket breaks, or null. For an order that waits before its check. */
  bracketCode(order: Draft, markTicks: number): string | null {
    const flaw = order.isGuarded === true ? guardFlaw(order, markTicks) : null;
    if (flaw === null) return null;
    this.state.mark = markTicks;
    this.deny(flaw.code, order, flaw, null);
    return flaw.code;
  }

  /** True when `count` more orders may be open in the instrument of this one. */
  mayOpenAnother(order: Draft, count = 1): boolean {
    return mayOpen(order, this.state, count);
  }

  /** Returns why the rules with these codes deny an order that is already at the exchange; null if they do not. */
  failingRule(codes: readonly string[], order: Draft, markTicks: number): string | null {
    this.state.mark = markTicks;
    if (!this.belongsToRun(order)) return BAD_INPUT;
    this.reservations.assess(order, markTicks);
    const failingRule = this.rules.find((rule) => codes.includes(rule.code) && rule.kind === 'order' && !rule.check(order, this.state));
    return failingRule?.kind === 'order' ? failingRule.detail(order, this.state) : null;
  }

  /** The stable code of the last denial; null before the first. */
  get code(): string | null {
    return this.denialCode;
  }
  /** Returns the text of the last denial, with its figures. Read it before the order's record changes or returns to its pool. */
  detail(): string {
    if (this.deniedDraft === null) return '';
    if (this.denyingCause) return haltText(this.denyingCause);
    if (this.denyingRule) return this.denyingRule.detail(this.deniedDraft, this.state);
    const { lots, quoteUnits, limit, side, instrument } = this.deniedDraft;
    const size = quoteUnits === 0 ? `of ${lotsText(lots, instrument)}` : `for ${quoteText(quoteUnits, instrument)}`;
    const price = limit === 0 ? '' : ` at ${limitPriceText(limit, instrument)}`;
    return `${side} ${size}${price}, with a last price of ${limitPriceText(this.state.mark, instrument)}: expected sound numbers above 0`;
  }

  /** True when the order's instrument and strategy belong to the run, so that they are valid indices. */
  private belongsToRun({ instrumentIndex, strategy }: Draft): boolean {
    return (instrumentIndex === this.newestInstrument && strategy === this.newestStrategy) || this.lookUp(instrumentIndex, strategy);
  }
  private lookUp(instrumentIndex: number, strategyIndex: number): boolean {
    const tradable = this.tradable[instrumentIndex];
    const hasStrategy = strategyIndex >= 0 && strategyIndex < this.state.ledger.strategies && floor(strategyIndex) === strategyIndex;
    if (tradable === undefined || !hasStrategy) return false;
    this.newestInstrument = instrumentIndex;
    this.newestStrategy = strategyIndex;
    this.state.tradable = tradable;
    return true;
  }

  /** True when all numbers are whole and valid, nothing is filled yet, and the size is given in one way: by amount for market buys only. */
  private isSound(order: Draft): boolean {
    const { lots, quoteUnits, limit, sign } = order;
    const { nowMs, mark, instruments } = this.state;
    // hot: docs/performance.md#strict-true. Each number must be from 0 to 2^53 - 1; a helper function would be slower.
    if (quoteUnits !== 0) {
      if (!isAmount(order, instruments[order.instrumentIndex]!)) return false;
    } else if (!(lots >= 0 && lots <= MAX_EXACT && floor(lots) === lots && order.filledLots === 0)) return false;
    if (!(limit >= 0 && limit <= MAX_EXACT && floor(limit) === limit)) return false;
    if (!(mark > 0 && mark <= MAX_EXACT && floor(mark) === mark)) return false;
    // False for NaN and Infinity.
    if (nowMs - nowMs !== 0 || (sign !== 1 && sign !== -1)) return false;
    return order.isReserved === false;
  }

  /** Records a denial, by a rule, by a halt cause or by neither, for `code` and `detail`. */
  private deny(code: string, order: Draft, rule: OrderRule | null, cause: HaltCause | null): null {
    this.denialCode = code;
    this.deniedDraft = order;
    this.denyingRule = rule;
    this.denyingCause = cause;
    return null;
  }
}

/** Returns the text of a denial by a halt. */
const haltText = ({ state, scope, why }: HaltCause): string => `${state} on the ${scope.kind}: ${why}`;

/** Returns the record of sent orders that these limits need. */
function sentOrders({ ordersPerMinute, ordersPerFill, duplicateMs, set }: ResolvedLimits): SentOrders {
  return new SentOrders({ ordersPerMinute, ordersPerFill, duplicateMs, countsLegs: set.has('parent') });
}

/** True when the size is a valid amount of money, without a quantity and a price, and the order is a buy or trades a contract. */
function isAmount({ quoteUnits, filledUnits, lots, limit, sign }: Draft, { contract }: Instrument): boolean {
  if (!(quoteUnits > 0 && quoteUnits <= MAX_EXACT && floor(quoteUnits) === quoteUnits && filledUnits === 0)) return false;
  return lots === 0 && limit === 0 && (sign > 0 || contract !== undefined);
}
