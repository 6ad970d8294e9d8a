// What a running bot shows of itself: one plain snapshot for the terminal, the dashboard, the metrics and the alerts.

import type { Market } from '../../model/instrument.ts';
import type { DoneReason, Lifecycle, OrderRole, Side } from '../../model/order.ts';
import type { HaltState, RiskStateName } from '../../risk/live/halts.ts';

/**
 * Plain JSON: no class, no NaN, no undefined. Times are ms UTC by the bot's scheduler; money, prices and quantities are plain decimals as
 * text (`-12.50`), in the asset that stands beside them; what is not known is null. Lists are bounded as their comments say.
 */
export interface BotView {
  readonly format: 1;
  readonly name: string;
  readonly version: string;
  readonly pid: number;
  /** Which account this is: the fingerprint that the journal bears, never a key. */
  readonly account: string;
  readonly mode: 'paper' | 'live';
  /** 1, or how many times as fast every wait is in paper mode. */
  readonly timeScale: number;
  readonly startedMs: number;
  /** When this snapshot was taken. */
  readonly timeMs: number;
  /** The account first, then every market, symbol and strategy of the run, also those that run. */
  readonly scopes: readonly ScopeView[];
  readonly strategies: readonly StrategyView[];
  readonly positions: readonly PositionView[];
  /** Not over and of known outcome, oldest first; at most 1000. */
  readonly open: readonly OrderView[];
  /** Of unknown outcome, oldest first. */
  readonly unknown: readonly UnknownView[];
  /** Proved without effect; they may still land and are watched for ever. The newest 100. */
  readonly provenAbsent: readonly OrderView[];
  /** What the exchange shows and nobody here has sent: a person decides. At most 100. */
  readonly foreignOrders: readonly ForeignOrderView[];
  /** The newest 100, oldest first. */
  readonly fills: readonly FillView[];
  /** Equity of all strategies together, by reporting asset; oldest first, at most 1000 points an asset, the newest always there. */
  readonly equity: readonly EquityView[];
  /** Every limit that is on. */
  readonly headroom: readonly HeadroomView[];
  readonly feeds: readonly FeedView[];
  readonly clocks: readonly ClockView[];
  readonly budget: readonly BudgetView[];
  readonly audit: AuditView;
  readonly journal: JournalView;
  /** Event-loop delay of the last minute, ms; null where it is not measured. */
  readonly loopDelayP99Ms: number | null;
  readonly rssBytes: number;
  /** What was decided and why, in plain sentences; the newest 200, oldest first. */
  readonly decisions: readonly DecisionView[];
  /** When the oldest alarm was sent that nobody has answered; null: none. */
  readonly alarmMs: number | null;
  /** The kill in progress, or the one that has ended; null: none since the start. */
  readonly kill: KillView | null;
  /** Totals since the start. */
  readonly counts: CountsView;
}

/** `account`, `market:spot`, `symbol:spot:BTCUSDT`, `strategy:NAME`. */
export type ScopeName = string;

export interface ScopeView {
  readonly scope: ScopeName;
  /** Of this scope alone; what bears on an order is the most severe of its four. */
  readonly state: RiskStateName;
  /** Most severe first. */
  readonly causes: readonly CauseView[];
}

export interface CauseView {
  readonly state: HaltState;
  readonly code: string;
  readonly why: string;
  readonly sinceMs: number;
  /** True: it clears by itself once its reason is gone. False: a person has to. */
  readonly clearsItself: boolean;
}

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

export interface PositionView {
  /** `account`: of no strategy, as the fill of a second copy of an order. */
  readonly strategy: string;
  /** `spot:BTCUSDT`. */
  readonly instrument: string;
  readonly side: 'long' | 'short';
  /** Base asset, or contracts. */
  readonly qty: string;
  readonly base: string;
  readonly entryPrice: string | null;
  readonly lastPrice: string | null;
  /** Not realised yet, in `quote`. */
  readonly profit: string | null;
  readonly quote: string;
}

export interface OrderView {
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

export interface UnknownView extends OrderView {
  /** Why its outcome is not known. */
  readonly cause: string;
  /** What is being done about it, in a sentence. */
  readonly doing: string;
  /** It cannot be decided without a person: `isobar orders resolve`. */
  readonly needsPerson: boolean;
}

export interface ForeignOrderView {
  /** An order, or a holding that no fill of ours explains. */
  readonly kind: 'order' | 'holding';
  /** What `isobar orders adopt | ignore` takes. */
  readonly id: string;
  readonly instrument: string;
  readonly message: string;
  readonly seenMs: number;
}

export interface FillView {
  readonly tradeId: string;
  /** Null: of no order that we know. */
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

export interface EquityView {
  readonly asset: string;
  readonly now: string;
  /** Since 00:00 UTC. */
  readonly today: string;
  readonly points: readonly (readonly [timeMs: number, equity: string])[];
}

export interface HeadroomView {
  /** The code that an order is refused with: DAILY_LOSS. */
  readonly code: string;
  /** The key of the limit in the config: maxDailyLoss. */
  readonly limit: string;
  readonly scope: ScopeName;
  readonly used: string;
  readonly max: string;
  readonly unit: string;
}

export interface FeedView {
  readonly instrument: string;
  readonly interval: string;
  readonly lastPrice: string | null;
  /** When the newest bar closed; null: none yet. */
  readonly closedMs: number | null;
  /** Age of that close at `timeMs`, and the age at which R-19 halts the symbol. */
  readonly ageMs: number | null;
  readonly maxAgeMs: number;
  /** Closes of the newest bars, oldest first, at most 300. */
  readonly bars: readonly (readonly [openMs: number, open: number, high: number, low: number, close: number])[];
}

export interface ClockView {
  readonly market: Market;
  /** Clock of the exchange minus ours; null: not measured yet. */
  readonly offsetMs: number | null;
  readonly uncertaintyMs: number | null;
  readonly maxUncertaintyMs: number;
}

export interface BudgetView {
  /** A class of requests: spot.newOrder. */
  readonly name: string;
  readonly used: number;
  readonly max: number;
  readonly windowMs: number;
  /** Nothing of it is sent before then; null: it goes. */
  readonly stoppedUntilMs: number | null;
}

export interface AuditView {
  /** When orders, fills and balances were last read completely and agreed; null: not yet. */
  readonly fastMs: number | null;
  readonly fullMs: number | null;
  /** Age of the fast one at which R-20 halts the account. */
  readonly maxAgeMs: number;
  readonly result: 'ok' | 'gap' | 'mismatch' | 'none';
  /** What differs, or is missing; empty when all is well. */
  readonly message: string;
}

export interface JournalView {
  readonly lastSeq: number;
  readonly durableSeq: number;
  readonly failure: string | null;
}

export interface DecisionView {
  /** Rises by one. */
  readonly seq: number;
  readonly timeMs: number;
  readonly strategy: string | null;
  readonly level: 'info' | 'warn' | 'error';
  /** A stable code, such as that of a refusal; null: a sentence alone. */
  readonly code: string | null;
  readonly message: string;
}

export interface KillView {
  readonly sinceMs: number;
  readonly flatten: boolean;
  readonly who: string;
  readonly phase: 'cancelling' | 'waiting' | 'flattening' | 'verifying' | 'done';
  readonly message: string;
  /** What could not be settled; empty when done and well. */
  readonly residuals: readonly string[];
}

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
