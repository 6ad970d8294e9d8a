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
const UNKNOWN_WINDOW_MS = 10 * MINUTE_MS;

/** Counts events in a sliding window. */
class RecentEvents {
  private readonly max: number;
  private readonly windowMs: number;
  private readonly times: number[] = [];
  constructor(max: number, windowMs: number) {
    this.max = max;
    this.windowMs = windowMs;
  }
  /** Counts one more event. Returns true when the window has more than `max`. */
  add(nowMs: number): boolean {
    if (this.max === INFINITY) return false;
    this.times.push(nowMs);
    return this.isExceeded(nowMs);
  }
  /** True when the window that ends at `nowMs` has more than `max` events. */
  isExceeded(nowMs: number): boolean {
    while (this.times.length > 0 && this.times[0]! <= nowMs - this.windowMs) this.times.shift();
    return this.times.length > this.max;
  }
}

/** Counts orders of unknown outcome: those that are open now, and those of the last ten minutes. */
class UnknownWatch implements LiveWatch {
  private readonly max: number;
  private readonly raiser: Raiser;
  private readonly recent: RecentEvents;
  /** True when the halt has no other reason than too many events in the window, so that time can end it. */
  private isBurst = false;

  constructor({ unknowns }: ResolvedLimits, raiser: Raiser) {
    this.max = unknowns;
    this.raiser = raiser;
    this.recent = new RecentEvents(unknowns, UNKNOWN_WINDOW_MS);
  }
  outcome(open: readonly Order[], lost: Order | null, nowMs: number): void {
    const isBurst = lost === null ? this.recent.isExceeded(nowMs) : this.recent.add(nowMs);
    const why = this.problem(open, isBurst);
    if (why === null) this.raiser.clear(ACCOUNT, nowMs);
    else this.raiser.raise(ACCOUNT, why, nowMs);
  }
  /** Clears the halt once the window has few enough events. */
  tick(_: unknown, nowMs: number): void {
    if (!this.isBurst || this.recent.isExceeded(nowMs)) return;
    this.isBurst = false;
    this.raiser.clear(ACCOUNT, nowMs);
  }
  /** Returns why too many outcomes are unknown; null if they are not. */
  private problem(open: readonly Order[], isBurst: boolean): string | null {
    const unknown = open.filter(({ lifecycle }) => lifecycle === 'unknown');
    const sides = new Set(unknown.map(({ instrumentIndex, side }) => `${instrumentIndex} ${side}`));
    const many = unknown.length > this.max ? `${unknown.length} orders are of unknown outcome, at most ${this.max}` : null;
    const twice = sides.size < unknown.length ? 'two orders of one symbol and side are of unknown outcome' : null;
    this.isBurst = isBurst && many === null && twice === null;
    return many ?? twice ?? (isBurst ? `more than ${this.max} outcomes were unknown within 10 minutes` : null);
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
    const counters = (max: number) => Array.from({ length: strategies }, () => new RecentEvents(max, MINUTE_MS));
    const [fills, rejects] = [counters(fillsPerMinute), counters(rejectsPerMinute)];
    const scope = (strategy: number): Scope => ({ kind: 'strategy', strategy });
    return {
      filled({ strategy }, { timeMs }) {
        if (fills[strategy]!.add(timeMs)) raiser.raise(scope(strategy), `more than ${fillsPerMinute} executions within a minute`, timeMs);
      },
      refused({ strategy }, _, nowMs) {
        if (rejects[strategy]!.add(nowMs)) raiser.raise(scope(strategy), `more than ${rejectsPerMinute} refusals within a minute`, nowMs);
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
        const [low, high] = order.limit > 0 ? [Math.min(order.limit, markTicks), Math.max(order.limit, markTicks)] : [markTicks, markTicks];
        if (price * denominator <= high * (denominator + numerator) && price * denominator >= low * (denominator - numerator)) return;
        const text = (ticks: number): string => limitPriceText(ticks, order.instrument);
        const limit = order.limit > 0 ? `, its limit ${text(order.limit)}` : '';
        raiser.raise(ACCOUNT, `order ${order.id} filled at ${text(price)}; the price was ${text(markTicks)}${limit}`, timeMs);
      },
    };
  },
};

/** Counts each strategy's losing round trips in a row. A round trip runs from flat to flat in one instrument. */
class StreakWatch implements LiveWatch {
  private readonly max: number;
  private readonly ledger: Ledger;
  private readonly raiser: Raiser;
  /** Losing round trips in a row, by strategy. */
  private readonly losses: number[];
  /** Profit of the current round trip in units of money, by strategy and instrument. */
  private readonly profits: Float64Array[];

  constructor({ lossStreak }: ResolvedLimits, ledger: Ledger, raiser: Raiser) {
    this.max = lossStreak;
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
    if (losses >= this.max) this.raiser.raise({ kind: 'strategy', strategy }, `${losses} losing round trips in a row`, timeMs);
    // When the operator resumes the strategy, counting starts again.
    this.losses[strategy] = losses >= this.max ? 0 : losses;
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
