// The view of a running bot: one plain snapshot for the terminal, the dashboard, metrics and alerts.

import type { Market } from '../../model/instrument.ts';
import type { DoneReason, Lifecycle, OrderRole, Side } from '../../model/order.ts';
import type { HaltState, RiskStateName } from '../../risk/live/halts.ts';

/**
 * The view. It is plain JSON: no class, no NaN, no undefined. Times are ms UTC by the bot's scheduler. Money, prices and quantities are plain decimals as
 * text (`-12.50`), in the asset named beside them. Unknown values are null. The comments give the maximum length of lists.
 */
export interface BotView {
  readonly format: 1;
  readonly name: string;
  readonly version: string;
  readonly pid: number;
  /** Fingerprint of the account as in the journal, never a key. */
  readonly account: string;
  readonly mode: 'paper' | 'live';
  /** 1, or the factor by which every wait is shorter in paper mode. */
  readonly timeScale: number;
  readonly startedMs: number;
  /** When this snapshot was taken. */
  readonly timeMs: number;
  /** The account first, then every market, symbol and strategy of the run, whether halted or not. */
  readonly scopes: readonly ScopeView[];
  readonly strategies: readonly StrategyView[];
  readonly positions: readonly PositionView[];
  /** Unfinished orders of known outcome, oldest first; at most 1000. */
  readonly open: readonly BotOrderView[];
  /** Orders of unknown outcome, oldest first. */
  readonly unknown: readonly UnknownView[];
  /** Orders that were proven absent. They may still arrive late and are watched permanently. The newest 100. */
  readonly provenAbsent: readonly BotOrderView[];
  /** Foreign orders and unexplained holdings that need an operator decision. At most 100. */
  readonly foreignOrders: readonly ForeignOrderView[];
  /** The newest 100, oldest first. */
  readonly fills: readonly BotFillView[];
  /** Equity of all strategies together, by reporting asset. Oldest first, at most 1000 points an asset, always with the newest. */
  readonly equity: readonly EquityView[];
  /** Every active limit. */
  readonly headroom: readonly HeadroomView[];
  readonly feeds: readonly FeedView[];
  /** External series, as the config names them. */
  readonly series: readonly SeriesView[];
  readonly clocks: readonly ClockView[];
  readonly budget: readonly BudgetView[];
  readonly audit: AuditView;
  readonly journal: JournalView;
  /** 99th percentile of the event-loop delay in the last minute, ms; null: not measured. */
  readonly loopDelayP99Ms: number | null;
  readonly rssBytes: number;
  /** Decisions and their reasons as sentences; the newest 200, oldest first. */
  readonly decisions: readonly DecisionView[];
  /** When the oldest unacknowledged alarm was sent; null: none. */
  readonly alarmMs: number | null;
  /** The current or last kill; null: none since the start. */
  readonly kill: KillView | null;
  /** Counts since the start. */
  readonly counts: CountsView;
}

/** A scope as text: `account`, `market:spot`, `symbol:spot:BTCUSDT` or `strategy:NAME`. */
export type ScopeName = string;

/** The risk state of a scope, with its causes. */
export interface ScopeView {
  readonly scope: ScopeName;
  /** State of this scope alone. The most severe of an order's four scopes applies to it. */
  readonly state: RiskStateName;
  /** Most severe first. */
  readonly causes: readonly CauseView[];
}

/** A halt cause, and who can clear it. */
export interface CauseView {
  readonly state: HaltState;
  readonly code: string;
  readonly why: string;
  readonly sinceMs: number;
  /** True when the cause clears by itself once its reason has ended. Otherwise the operator clears it. */
  readonly clearsItself: boolean;
}

/** A strategy of the bot with its equity. */
export interface StrategyView {
  readonly name: string;
  readonly file: string;
  readonly asset: string;
  readonly startEquity: string;
  readonly equity: string;
  /** Since 00:00 UTC. */
  readonly today: string;
  readonly orders: number;
  readonly fills: number;
}

/** An open position of a strategy. */
export interface PositionView {
  /** `account` for a position of no strategy, such as the fill of a duplicate order. */
  readonly strategy: string;
  /** `spot:BTCUSDT`. */
  readonly instrument: string;
  readonly side: 'long' | 'short';
  /** In the base asset, or in contracts. Below 0, of the account in two-way mode: others have closed what strategies hold. */
  readonly qty: string;
  readonly base: string;
  readonly entryPrice: string | null;
  readonly lastPrice: string | null;
  /** Unrealised, in `quote`. */
  readonly profit: string | null;
  readonly quote: string;
}

/** An order of the bot that has not ended. */
export interface BotOrderView {
  /** Client order id. */
  readonly cid: string;
  readonly venueId: string | null;
  readonly strategy: string;
  readonly instrument: string;
  readonly side: Side;
  readonly role: OrderRole;
  /** Null for an order by amount. */
  readonly qty: string | null;
  readonly amount: string | null;
  readonly price: string | null;
  readonly filled: string;
  readonly reduceOnly: boolean;
  readonly lifecycle: Lifecycle;
  readonly reason: DoneReason | null;
  readonly createdMs: number;
  readonly changedMs: number;
}

/** An order of unknown outcome, and what the bot does about it. */
export interface UnknownView extends BotOrderView {
  /** Why the outcome is unknown. */
  readonly cause: string;
  /** The bot's current action about the order, as a sentence. */
  readonly doing: string;
  /** True when only an operator decision can settle the order: `isobar orders resolve`. */
  readonly needsPerson: boolean;
}

/** An order or a holding at the venue that no strategy has. */
export interface ForeignOrderView {
  /** A foreign order, or a holding that no fill of the bot explains. */
  readonly kind: 'order' | 'holding';
  /** The argument of `isobar orders adopt | ignore`. */
  readonly id: string;
  readonly instrument: string;
  readonly message: string;
  readonly seenMs: number;
}

/** A fill of an order of the bot. */
export interface BotFillView {
  readonly tradeId: string;
  /** Null: an unattributed fill. */
  readonly cid: string | null;
  readonly strategy: string | null;
  readonly instrument: string;
  readonly side: Side;
  readonly qty: string;
  readonly price: string;
  readonly fee: string;
  readonly feeCoin: string;
  readonly timeMs: number;
}

/** The equity of all strategies in one asset. */
export interface EquityView {
  readonly asset: string;
  readonly now: string;
  /** Since 00:00 UTC. */
  readonly today: string;
  readonly points: readonly (readonly [timeMs: number, equity: string])[];
}

/** What a risk limit still allows. */
export interface HeadroomView {
  /** The code with which orders are denied: DAILY_LOSS. */
  readonly code: string;
  /** The key of the limit in the config: maxDailyLoss. */
  readonly limit: string;
  readonly scope: ScopeName;
  readonly used: string;
  readonly max: string;
  readonly unit: string;
}

/** The newest bar of a feed. */
export interface FeedView {
  readonly instrument: string;
  readonly interval: string;
  readonly lastPrice: string | null;
  /** Close time of the newest bar; null: no bar yet. */
  readonly closedMs: number | null;
  /** Age of that close at `timeMs`, and the age at which R-19 halts the symbol. */
  readonly ageMs: number | null;
  readonly maxAgeMs: number;
  /** The newest bars, oldest first, at most 300. */
  readonly bars: readonly (readonly [openMs: number, open: number, high: number, low: number, close: number])[];
  /** What strategies draw on this feed; at most 64 series over all feeds. */
  readonly plots: readonly PlotView[];
}

/** A series that a strategy draws: one of `this.plot`, or an indicator. */
export interface PlotView {
  readonly strategy: string;
  readonly name: string;
  /** `price` draws over the bars; any other name is a pane of its own. */
  readonly pane: string;
  /** One for each of the feed's `bars`; null: not ready, or not known. Custom indicators are known from the start of the process on. */
  readonly values: readonly (number | null)[];
}

/** The newest value of an external series. */
export interface SeriesView {
  readonly name: string;
  readonly source: 'file' | 'poll' | 'webhook';
  /** The newest value that strategies can see, the time that it is of, and since when it is known; null: none yet. */
  readonly value: number | null;
  readonly valueMs: number | null;
  readonly knownMs: number | null;
  /** Age at `timeMs`, by the time that the value is of; below 0 for a forecast. */
  readonly ageMs: number | null;
}

/** The clock offset of a market. */
export interface ClockView {
  readonly market: Market;
  /** The venue's clock minus this computer's; null: not measured yet. */
  readonly offsetMs: number | null;
  readonly uncertaintyMs: number | null;
  readonly maxUncertaintyMs: number;
}

/** How much of a rate limit is used. */
export interface BudgetView {
  /** A rate class: spot.newOrder. */
  readonly name: string;
  readonly used: number;
  readonly max: number;
  readonly windowMs: number;
  /** Time before which no request of the class is sent; null: not stopped. */
  readonly stoppedUntilMs: number | null;
}

/** The newest audit. */
export interface AuditView {
  /** Time of the last clean fast audit, with complete data; null: none yet. */
  readonly fastMs: number | null;
  readonly fullMs: number | null;
  /** Age of the fast audit at which R-20 halts the account. */
  readonly maxAgeMs: number;
  readonly result: 'ok' | 'gap' | 'mismatch' | 'none';
  /** The differences or gaps; empty if everything agrees. */
  readonly message: string;
}

/** How much of the journal is durable. */
export interface JournalView {
  readonly lastSeq: number;
  readonly durableSeq: number;
  readonly failure: string | null;
}

/** A decision of the bot with its reason. */
export interface DecisionView {
  /** Increases by one. */
  readonly seq: number;
  readonly timeMs: number;
  readonly strategy: string | null;
  readonly level: 'info' | 'warn' | 'error';
  /** A stable code, such as a deny code; null: only a sentence. */
  readonly code: string | null;
  readonly message: string;
}

/** The progress of a kill. */
export interface KillView {
  readonly sinceMs: number;
  readonly flatten: boolean;
  readonly who: string;
  readonly phase: 'cancelling' | 'waiting' | 'flattening' | 'verifying' | 'done';
  readonly message: string;
  /** Unsettled orders and positions; empty after a complete kill. */
  readonly residuals: readonly string[];
}

/** Counts since the start of the bot. */
export interface CountsView {
  readonly ordersSent: number;
  readonly ordersDenied: number;
  readonly ordersRefused: number;
  readonly fills: number;
  readonly unknowns: number;
  readonly requests: number;
  readonly rateRefusals: number;
  readonly reconnects: number;
}
