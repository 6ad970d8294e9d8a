// Builds bars of trades from the replies of the list of recent trades. A reply that shares no trade with earlier ones leaves a gap.

import { TradeBarBuilder, type TradeBar, type TradeDigits } from '../../../model/bars/tradeBarBuilder.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { TradeBarRule } from '../../../model/tradeBars.ts';
import type { MarketBar } from '../klines/klineWindow.ts';
import { compareTrades, type RecentTrade, type TradeWindow } from './tradeWindow.ts';

/** What a reply has brought. `bar` events come in time order. The other kinds say why the next bar is incomplete. */
export type TradeEvent =
  | { readonly kind: 'bar'; readonly bar: MarketBar }
  /** Trades between two times may be missing. `fromMs`: the newest known trade; null: none is known. */
  | { readonly kind: 'gap'; readonly fromMs: number | null; readonly toMs: number | null }
  /** Trades came after a later bar, and were left out. */
  | { readonly kind: 'late'; readonly trades: number };

/** Settings of a tracker. */
export interface TrackedBars {
  readonly rule: TradeBarRule;
  readonly instrument: Instrument;
  readonly digits: TradeDigits;
  /**
   * `openMs`: the first bar opens here; earlier trades belong to earlier bars. Null: it opens at the first trade, because older trades are
   * not known.
   */
  readonly openMs: number | null;
}

const DAY_MS = 86_400_000;
/** Number of trade ids that are kept. A reply has fewer, so a reply that reaches back to a known trade shows an id that is kept. */
const MAX_REMEMBERED_IDS = 3000;

/** A trade that waits until the exchange can show no earlier one. */
interface PendingTrade {
  readonly trade: RecentTrade;
  /** True if trades may be missing before this one. */
  readonly isAfterGap: boolean;
}

/** Builds the bars of one instrument. Counting restarts with each UTC day, as in a backtest. */
export class TradeBarTracker {
  readonly #bars: TrackedBars;
  /** Ids of known trades, oldest first. */
  readonly #knownIds = new Set<string>();
  /** Trades of times for which the exchange may still show further trades, sorted by time and id. */
  #pending: PendingTrade[] = [];
  #builder: TradeBarBuilder | null = null;
  #dayEndMs = Infinity;
  /** Start of the newest bar or trade that is built. Earlier trades come too late: their bars have ended. */
  #floorMs: number;
  #lastTradeMs: number | null = null;
  /** True for a tracker whose first bar continues earlier ones, until its first reply. */
  #isContinuing: boolean;
  /** True from an empty reply although trades are known, until a reply has trades again. */
  #isLinkLost = false;
  #events: TradeEvent[] = [];
  #tradeCount = 0;

  constructor(bars: TrackedBars) {
    this.#bars = bars;
    this.#floorMs = bars.openMs ?? -Infinity;
    this.#isContinuing = bars.openMs !== null;
    if (bars.openMs !== null) this.#openBuilder(bars.openMs);
  }

  /** Adds trades that are known before the first reply, sorted by time and id. That reply is linked to them only if it shows one of them. */
  addHistory(trades: readonly RecentTrade[]): void {
    for (const { id } of trades) this.#knownIds.add(id);
    this.#isContinuing = false;
    this.#lastTradeMs = trades.at(-1)?.timeMs ?? null;
    this.#pending = trades.map((trade) => ({ trade, isAfterGap: false }));
  }

  /** Number of trades taken from replies. */
  get tradeCount(): number {
    return this.#tradeCount;
  }

  /** True if the reply shares a trade with what is known, so that it has all trades since then. */
  isLinked({ trades }: TradeWindow): boolean {
    if (this.#isContinuing) return trades.some(({ timeMs }) => timeMs < this.#floorMs);
    return this.#knownIds.size === 0 ? !this.#isLinkLost : trades.some(({ id }) => this.#knownIds.has(id));
  }

  /**
   * Adds the trades of a reply, and returns what they bring. The reply has every trade before `settledMs`: the exchange will show no
   * further one of that time.
   */
  eventsIn(window: TradeWindow, settledMs: number): readonly TradeEvent[] {
    this.#events = [];
    this.#addNew(window);
    this.#addSettled(settledMs);
    this.#forgetOldIds();
    return this.#events;
  }

  /** Adds the new trades of a reply to those that wait to be settled, and reports late trades and gaps. */
  #addNew(window: TradeWindow): void {
    const { trades, isFull, problems } = window;
    const isLinked = this.isLinked(window);
    const isFirst = this.#knownIds.size === 0 && !this.#isContinuing && !this.#isLinkLost;
    if (trades.length === 0 && !isLinked) return this.#noteLostLink();
    const newTrades: RecentTrade[] = [];
    let lateCount = 0;
    for (const trade of trades) {
      if (this.#knownIds.has(trade.id)) continue;
      this.#knownIds.add(trade.id);
      if (trade.timeMs >= this.#floorMs) newTrades.push(trade);
      else if (!this.#isContinuing) lateCount++;
    }
    this.#isContinuing = false;
    // A full first reply may lack older trades of its first ms, so all trades of that ms are dropped.
    if (isFirst && isFull) while (newTrades[0]?.timeMs === trades[0]?.timeMs) newTrades.shift();
    if (lateCount > 0) {
      this.#builder?.markThin();
      this.#events.push({ kind: 'late', trades: lateCount });
    }
    const firstNew = newTrades[0];
    // A lost link has already reported its gap.
    if (!isLinked && !this.#isLinkLost) this.#events.push({ kind: 'gap', fromMs: this.#lastTradeMs, toMs: firstNew?.timeMs ?? null });
    if (firstNew === undefined) return;
    this.#tradeCount += newTrades.length;
    this.#isLinkLost = false;
    const isAfterGap = !isLinked || problems.length > 0;
    const addedTrades = newTrades.map((trade, index): PendingTrade => ({ trade, isAfterGap: isAfterGap && index === 0 }));
    this.#pending = [...this.#pending, ...addedTrades].toSorted((a, b) => compareTrades(a.trade, b.trade));
    this.#lastTradeMs = Math.max(this.#lastTradeMs ?? -Infinity, newTrades.at(-1)!.timeMs);
  }

  /** Reports a gap after an empty reply, and forgets the known trades. The next trades follow that gap. */
  #noteLostLink(): void {
    if (!this.#isLinkLost) this.#events.push({ kind: 'gap', fromMs: this.#lastTradeMs, toMs: null });
    this.#knownIds.clear();
    this.#isLinkLost = true;
    this.#isContinuing = false;
    this.#builder?.markThin();
  }

  /** Adds pending trades that are older than `settledMs` to the bars, in order, and ends the day once it has passed. */
  #addSettled(settledMs: number): void {
    let settledCount = 0;
    while (settledCount < this.#pending.length && this.#pending[settledCount]!.trade.timeMs < settledMs) {
      this.#addToBar(this.#pending[settledCount]!);
      settledCount++;
    }
    this.#pending.splice(0, settledCount);
    if (this.#builder === null || this.#pending.some(({ isAfterGap }) => isAfterGap)) return;
    if (!(this.#builder.lastMs >= settledMs)) this.#builder.endReached();
    if (settledMs >= this.#dayEndMs) this.#endDayBefore(settledMs);
  }

  /** Adds a trade to the current bar. A bar that contains a gap is marked, because trades may be missing in it. */
  #addToBar({ trade, isAfterGap }: PendingTrade): void {
    const { timeMs, priceTicks, lots, id } = trade;
    const builder = this.#builder ?? this.#openBuilder(timeMs);
    if (isAfterGap) {
      if (builder.lastMs !== timeMs) builder.endReached();
      builder.markThin();
    }
    if (timeMs >= this.#dayEndMs) {
      this.#endDayBefore(timeMs);
      if (isAfterGap) builder.markThin();
    }
    builder.add(timeMs, priceTicks, lots, id);
    this.#floorMs = Math.max(this.#floorMs, timeMs);
  }

  /** Makes the builder, whose first bar opens at `openMs`. */
  #openBuilder(openMs: number): TradeBarBuilder {
    const { rule, instrument, digits } = this.#bars;
    this.#dayEndMs = dayStartOf(openMs) + DAY_MS;
    this.#builder = new TradeBarBuilder(rule, instrument, digits, openMs, (bar) => this.#emitBar(bar));
    return this.#builder;
  }

  /** Ends the current UTC day, and the days without trades before that of `timeMs`. */
  #endDayBefore(timeMs: number): void {
    const builder = this.#builder!;
    builder.endDay(this.#dayEndMs);
    const startMs = dayStartOf(timeMs);
    if (startMs > this.#dayEndMs) builder.endDay(startMs);
    this.#dayEndMs = startMs + DAY_MS;
    this.#floorMs = Math.max(this.#floorMs, startMs);
  }

  /** Reports a bar that has ended. `isThin` is the builder's word for a bar in which trades may be missing. */
  #emitBar({ isThin, ...bar }: TradeBar): void {
    this.#floorMs = Math.max(this.#floorMs, bar.closeMs);
    this.#events.push({ kind: 'bar', bar: { ...bar, barsIn: 1, isIncomplete: isThin } });
  }

  /** Forgets the oldest trade ids beyond the number that is kept. */
  #forgetOldIds(): void {
    let excess = this.#knownIds.size - MAX_REMEMBERED_IDS;
    for (const id of this.#knownIds) {
      if (excess <= 0) return;
      this.#knownIds.delete(id);
      excess--;
    }
  }
}

/** Returns the start of the UTC day of a time, ms. */
export const dayStartOf = (timeMs: number): number => Math.floor(timeMs / DAY_MS) * DAY_MS;
