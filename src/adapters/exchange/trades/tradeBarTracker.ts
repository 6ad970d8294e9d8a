// Builds bars from successive replies with recent trades. A reply that shares no trade id with what is known leaves a gap.

import { TradeBarBuilder, type TradeBar, type TradeDigits } from '../../../model/bars/tradeBarBuilder.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { TradeBarRule } from '../../../model/tradeBars.ts';
import type { MarketBar } from '../klines/klineWindow.ts';
import { compareTrades, type RecentTrade, type TradeWindow } from './tradeWindow.ts';

/** `bar` events come in time order. The other kinds say why the next bar is incomplete. */
export type TradeEvent =
  | { readonly kind: 'bar'; readonly bar: MarketBar }
  /** Trades between two times may be missing. `fromMs`: the newest known trade; null: none is known. */
  | { readonly kind: 'gap'; readonly fromMs: number | null; readonly toMs: number | null }
  /** Trades came after a later bar, and were left out. */
  | { readonly kind: 'late'; readonly trades: number };

/** Which bars are built, and where the first one opens. */
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
/** Number of ids kept. More than a reply has, so every reply that reaches back to a known trade shows its id. */
const MAX_REMEMBERED_IDS = 3000;

/** Builds the bars of one instrument. Counting restarts with each UTC day, as in a backtest. */
export class TradeBarTracker {
  readonly #bars: TrackedBars;
  /** Ids of known trades, oldest first. */
  readonly #knownIds = new Set<string>();
  /** Trades of a time that is not settled yet, by time and id. */
  #pending: PendingTrade[] = [];
  #builder: TradeBarBuilder | null = null;
  #dayEndMs = Infinity;
  /** Trades before this time belong to bars that have ended. */
  #floorMs: number;
  #lastTradeMs: number | null = null;
  /** True until the first reply of a tracker that continues earlier bars. */
  #isContinuing: boolean;
  /** True while the exchange shows no trade although some are known. */
  #isLinkLost = false;
  #events: TradeEvent[] = [];
  #tradeCount = 0;

  constructor(bars: TrackedBars) {
    this.#bars = bars;
    this.#floorMs = bars.openMs ?? -Infinity;
    this.#isContinuing = bars.openMs !== null;
    if (bars.openMs !== null) this.#openBuilder(bars.openMs);
  }

  /** Adds known trades by time and id, before the first reply. The reply is linked to them only if it shows one of them. */
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
   * Takes a reply. Trades before `settledMs` are all in it: the exchange shows no further trade of that time later. Returns what is new.
   */
  eventsIn(window: TradeWindow, settledMs: number): readonly TradeEvent[] {
    this.#events = [];
    this.#addNew(window);
    this.#addSettled(settledMs);
    this.#forget();
    return this.#events;
  }

  /** Adds the unknown trades of a reply to those that wait to be settled, and reports late trades and gaps. */
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
    // The reply may begin within a ms. Counting begins after it.
    if (isFirst && isFull) while (newTrades[0]?.timeMs === trades[0]?.timeMs) newTrades.shift();
    if (lateCount > 0) {
      this.#builder?.markThin();
      this.#events.push({ kind: 'late', trades: lateCount });
    }
    const first = newTrades[0];
    if (!isLinked && !this.#isLinkLost) this.#events.push({ kind: 'gap', fromMs: this.#lastTradeMs, toMs: first?.timeMs ?? null });
    if (first === undefined) return;
    this.#tradeCount += newTrades.length;
    this.#isLinkLost = false;
    const isAfterGap = !isLinked || problems.length > 0;
    const addedTrades = newTrades.map((trade, index): PendingTrade => ({ trade, isAfterGap: isAfterGap && index === 0 }));
    this.#pending = [...this.#pending, ...addedTrades].toSorted((a, b) => compareTrades(a.trade, b.trade));
    this.#lastTradeMs = Math.max(this.#lastTradeMs ?? -Infinity, newTrades.at(-1)!.timeMs);
  }

  /** Notes that the exchange shows none of the known trades any more. The next trades follow a gap. */
  #noteLostLink(): void {
    if (!this.#isLinkLost) this.#events.push({ kind: 'gap', fromMs: this.#lastTradeMs, toMs: null });
    this.#knownIds.clear();
    this.#isLinkLost = true;
    this.#isContinuing = false;
    this.#builder?.markThin();
  }

  /** Adds pending trades that are older than `settledMs` to the bars, in order, and ends the day once it has passed. */
  #addSettled(settledMs: number): void {
    let count = 0;
    for (; count < this.#pending.length && this.#pending[count]!.trade.timeMs < settledMs; count++) this.#addToBar(this.#pending[count]!);
    this.#pending.splice(0, count);
    if (this.#builder === null || this.#pending.some(({ isAfterGap }) => isAfterGap)) return;
    if (!(this.#builder.lastMs >= settledMs)) this.#builder.endReached();
    if (settledMs >= this.#dayEndMs) this.#enterDay(settledMs);
  }

  /** Adds a trade to the current bar. Trades may be missing in a bar that contains a gap, so it is marked. */
  #addToBar({ trade, isAfterGap }: PendingTrade): void {
    const { timeMs, priceTicks, lots, id } = trade;
    const builder = this.#builder ?? this.#openBuilder(timeMs);
    if (isAfterGap) {
      if (builder.lastMs !== timeMs) builder.endReached();
      builder.markThin();
    }
    if (timeMs >= this.#dayEndMs) {
      this.#enterDay(timeMs);
      if (isAfterGap) builder.markThin();
    }
    builder.add(timeMs, priceTicks, lots, id);
    this.#floorMs = Math.max(this.#floorMs, timeMs);
  }

  #openBuilder(openMs: number): TradeBarBuilder {
    const { rule, instrument, digits } = this.#bars;
    this.#dayEndMs = dayStartOf(openMs) + DAY_MS;
    this.#builder = new TradeBarBuilder(rule, instrument, digits, openMs, (bar) => this.#emitBar(bar));
    return this.#builder;
  }

  /** Ends the day before that of `timeMs`. */
  #enterDay(timeMs: number): void {
    const builder = this.#builder!;
    builder.endDay(this.#dayEndMs);
    const startMs = dayStartOf(timeMs);
    if (startMs > this.#dayEndMs) builder.endDay(startMs);
    this.#dayEndMs = startMs + DAY_MS;
    this.#floorMs = Math.max(this.#floorMs, startMs);
  }

  #emitBar({ isThin, ...bar }: TradeBar): void {
    this.#floorMs = Math.max(this.#floorMs, bar.closeMs);
    this.#events.push({ kind: 'bar', bar: { ...bar, barsIn: 1, isIncomplete: isThin } });
  }

  #forget(): void {
    let excess = this.#knownIds.size - MAX_REMEMBERED_IDS;
    for (const id of this.#knownIds) if (excess-- > 0) this.#knownIds.delete(id);
  }
}

/** A trade that waits until no earlier one can appear. */
interface PendingTrade {
  readonly trade: RecentTrade;
  readonly isAfterGap: boolean;
}

/** Returns the start of the UTC day of a time, ms. */
export const dayStartOf = (timeMs: number): number => Math.floor(timeMs / DAY_MS) * DAY_MS;
