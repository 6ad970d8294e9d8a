// Live rules on the outcomes of orders: too many unknown outcomes, too many fills or refusals, abnormal fills, and losses in a row.

import type { Fill } from '../../model/fill.ts';
import type { Order } from '../../model/order.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import type { Scope } from './halts.ts';
import { ACCOUNT, type LiveRule, type LiveWatch, type Raiser } from './liveWatch.ts';
import type { ResolvedLimits } from '../limits/resolve.ts';
import { limitPriceText } from '../limits/limitTexts.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

const MINUTE_MS = 60_000;
/** The window in which `maxUnknown` counts unknown outcomes. */
const UNKNOWN_WINDOW_MS = 10 * MINUTE_MS;

/** Counts events in a sliding window. */
class RecentEvents {
  private readonly maxEvents: number;
  private readonly windowMs: number;
  /** The times of the events in the window, oldest first. */
  private readonly timesMs: number[] = [];
  constructor(maxEvents: number, windowMs: number) {
    this.maxEvents = maxEvents;
    this.windowMs = windowMs;
  }
  /** Counts one more event. Returns true when the window has more than `maxEvents`. */
  add(nowMs: number): boolean {
    if (this.maxEvents === INFINITY) return false;
    this.timesMs.push(nowMs);
    return this.isExceeded(nowMs);
  }
  /** True when the window that ends at `nowMs` has more than `maxEvents`. */
  isExceeded(nowMs: number): boolean {
    while (this.timesMs.length > 0 && this.timesMs[0]! <= nowMs - this.windowMs) this.timesMs.shift();
    return this.timesMs.length > this.maxEvents;
  }
}

/** Counts orders of unknown outcome: those that are open now, and those of the last ten minutes. */
class UnknownWatch implements LiveWatch {
  private readonly maxUnknown: number;
  private readonly raiser: Raiser;
  private readonly recentUnknowns: RecentEvents;
  /** True when the halt has no other reason than too many events in the window, so that time can end it. */
  private isBurst = false;

  constructor({ unknowns }: ResolvedLimits, raiser: Raiser) {
    this.maxUnknown = unknowns;
    this.raiser = raiser;
    this.recentUnknowns = new RecentEvents(unknowns, UNKNOWN_WINDOW_MS);
  }
  outcome(openOrders: readonly Order[], lostOrder: Order | null, nowMs: number): void {
    const isBurst = lostOrder === null ? this.recentUnknowns.isExceeded(nowMs) : this.recentUnknowns.add(nowMs);
    const reason = this.problem(openOrders, isBurst);
    if (reason === null) this.raiser.clear(ACCOUNT, nowMs);
    else this.raiser.raise(ACCOUNT, reason, nowMs);
  }
  /** Clears the halt once the window has few enough events. */
  tick(_: unknown, nowMs: number): void {
    if (!this.isBurst || this.recentUnknowns.isExceeded(nowMs)) return;
    this.isBurst = false;
    this.raiser.clear(ACCOUNT, nowMs);
  }
  /** Returns why too many outcomes are unknown; null if they are not. Sets `isBurst`. */
  private problem(openOrders: readonly Order[], isBurst: boolean): string | null {
    const unknown = openOrders.filter(({ lifecycle }) => lifecycle === 'unknown');
    const sides = new Set(unknown.map(({ instrumentIndex, side }) => `${instrumentIndex} ${side}`));
    const max = this.maxUnknown;
    this.isBurst = false;
    if (unknown.length > max) return `${unknown.length} orders are of unknown outcome, at most ${max}`;
    if (sides.size < unknown.length) return 'two orders of one symbol and side are of unknown outcome';
    this.isBurst = isBurst;
    return isBurst ? `more than ${max} outcomes were unknown within 10 minutes` : null;
  }
}

/** Halts the account while too many orders, or two of one symbol and side, have an unknown outcome. */
export const unknownBudgetRule: LiveRule = {
  kind: 'live',
  code: 'UNKNOWN_BUDGET',
  keys: ['maxUnknown'],
  needs: ['orders'],
  watch: (limits, _, raiser) => new UnknownWatch(limits, raiser),
};

/** Halts a strategy that fills, or is refused, again and again, until the operator has looked at it. */
export const repeatRule: LiveRule = {
  kind: 'live',
  code: 'REPEAT',
  keys: ['maxFillsPerMinute', 'maxRejectsPerMinute'],
  needs: ['orders', 'liveEvidence'],
  watch({ fillsPerMinute, rejectsPerMinute }, { strategies }, raiser) {
    const countersOf = (max: number) => Array.from({ length: strategies }, () => new RecentEvents(max, MINUTE_MS));
    const fillCounters = countersOf(fillsPerMinute);
    const refusalCounters = countersOf(rejectsPerMinute);
    const scopeOf = (strategyIndex: number): Scope => ({ kind: 'strategy', strategy: strategyIndex });
    return {
      filled({ strategy }, { timeMs }) {
        if (fillCounters[strategy]!.add(timeMs))
          raiser.raise(scopeOf(strategy), `more than ${fillsPerMinute} executions within a minute`, timeMs);
      },
      refused({ strategy }, _, nowMs) {
        if (refusalCounters[strategy]!.add(nowMs))
          raiser.raise(scopeOf(strategy), `more than ${rejectsPerMinute} refusals within a minute`, nowMs);
      },
    };
  },
};

/** Halts the account for a fill whose price is beyond both its limit and the newest price, by more than the limit allows. */
export const postTradeRule: LiveRule = {
  kind: 'live',
  code: 'POST_TRADE',
  keys: ['maxFillSlip'],
  needs: ['orders', 'marks'],
  watch({ fillSlip }, _, raiser) {
    const { numerator, denominator } = fillSlip!;
    return {
      filled(order: Order, { price, timeMs }: Fill, markTicks) {
        const limitTicks = order.limit > 0 ? order.limit : markTicks;
        const low = Math.min(limitTicks, markTicks);
        const high = Math.max(limitTicks, markTicks);
        // Both are false while no price is known.
        const isBelowMax = price * denominator <= high * (denominator + numerator);
        const isAboveMin = price * denominator >= low * (denominator - numerator);
        if (isBelowMax && isAboveMin) return;
        const priceText = (ticks: number): string => limitPriceText(ticks, order.instrument);
        const limitText = order.limit > 0 ? `, its limit ${priceText(order.limit)}` : '';
        const reason = `order ${order.id} filled at ${priceText(price)}; the price was ${priceText(markTicks)}${limitText}`;
        raiser.raise(ACCOUNT, reason, timeMs);
      },
    };
  },
};

/** Counts each strategy's losing round trips in a row. A round trip runs from flat to flat in one instrument. */
class StreakWatch implements LiveWatch {
  private readonly maxLosses: number;
  private readonly ledger: Ledger;
  private readonly raiser: Raiser;
  /** Losing round trips in a row, by strategy. */
  private readonly losses: number[];
  /** Profit of the current round trip in units of money, by strategy and instrument. */
  private readonly profits: Float64Array[];

  constructor({ lossStreak }: ResolvedLimits, ledger: Ledger, raiser: Raiser) {
    this.maxLosses = lossStreak;
    this.ledger = ledger;
    this.raiser = raiser;
    this.losses = Array.from({ length: ledger.strategies }, () => 0);
    this.profits = this.losses.map(() => new Float64Array(ledger.instruments.length));
  }
  filled({ strategy, instrumentIndex, instrument, side }: Order, { notional, fee, feeInBase, timeMs }: Fill): void {
    const profits = this.profits[strategy]!;
    // For an inverse contract the notional is the position's cost in coins: more coins at a lower price.
    const isPaid = (side === 'buy') === (instrument.contract?.kind !== 'inverse');
    profits[instrumentIndex]! += (isPaid ? -notional : notional) - (feeInBase ? 0 : fee);
    if (!this.ledger.isFlat(strategy, instrumentIndex)) return;
    const isLoss = profits[instrumentIndex]! < 0;
    profits[instrumentIndex] = 0;
    const losses = isLoss ? this.losses[strategy]! + 1 : 0;
    if (losses >= this.maxLosses) this.raiser.raise({ kind: 'strategy', strategy }, `${losses} losing round trips in a row`, timeMs);
    // When the operator resumes the strategy, counting starts again.
    this.losses[strategy] = losses >= this.maxLosses ? 0 : losses;
  }
}

/** Halts a strategy after `maxLossStreak` losing round trips in a row, until the operator resumes it. */
export const lossStreakRule: LiveRule = {
  kind: 'live',
  code: 'LOSS_STREAK',
  keys: ['maxLossStreak'],
  needs: ['ledger'],
  watch: (limits, ledger, raiser) => new StreakWatch(limits, ledger, raiser),
};
