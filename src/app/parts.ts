// The parts of a bot, each with one token that carries its type.

import type { LatencyModel } from '../adapters/replay/latency.ts';
import type { StrategyPlan } from '../definition/plan/plan.ts';
import type { Engine } from '../engine/engine.ts';
import type { OrderManager } from '../orders/orderManager.ts';
import type { DueQueue } from '../ports/dueQueue.ts';
import type { BarMarket, ExchangeSink, OrderGateway } from '../ports/exchange.ts';
import type { Journal } from '../ports/journal.ts';
import type { Notifier } from '../ports/notifier.ts';
import type { Scheduler } from '../ports/scheduler.ts';
import type { RiskModule } from '../risk/riskModule.ts';
import type { OrderRule } from '../risk/rules/rule.ts';
import type { FeeModel } from '../venue/feeModel.ts';
import type { SlippageModel } from '../venue/slippage.ts';

/** The token of a part. `Made` is the type of the part. */
export interface PartToken<Made> {
  readonly name: string;
  /** Present in types only: it carries `Made`. */
  readonly makes?: Made;
}

/** An exchange adapter. One that replaces the built-in adapter receives in `attach` the sink for its reports. */
export interface ExchangeAdapter extends OrderGateway {
  /** Called once before the first bar. `sink` receives the outcomes of orders; `nowMs` is the time of the run, ms UTC. */
  attach?(sink: ExchangeSink, nowMs: () => number): void;
}

function part<Made>(name: string): PartToken<Made> {
  return Object.freeze({ name });
}

/** The parts of a bot (docs/compose.md). A module rebinds a part by its token. */
export const PARTS = Object.freeze({
  /** The exchange adapter: where orders are sent. Backtest: replayed bars and their venue. Live: the REST client. */
  exchange: part<ExchangeAdapter>('exchange'),
  /** The market that replayed bars are matched in; null: the exchange adapter fills orders by itself, as live. Backtest only. */
  barMarket: part<BarMarket | null>('barMarket'),
  /** The order manager: the state of each order. */
  orders: part<OrderManager>('orders'),
  /** The risk module: approves or denies each order. */
  risk: part<RiskModule>('risk'),
  /** The strategies of the run, in their order. A factory returns as many as it was given. */
  strategies: part<readonly StrategyPlan[]>('strategies'),
  /** Events that the bot itself waits for, in the time of the run: timers of strategies, orders in flight. */
  scheduler: part<DueQueue>('scheduler'),
  /** The engine: the order of steps of one bot. */
  engine: part<Engine>('engine'),
  /** Time outside of the run. Backtest: the times in `run.log` and of the run folder. Live: every wait of the bot. */
  clock: part<Scheduler>('clock'),
  /** Where the order manager writes each step of an order before it acts. */
  journal: part<Journal>('journal'),
  /** Where the bot sends its alerts about halts. Modules add notifiers; they remove none. */
  notifier: part<Notifier>('notifier'),
  /** The rate of each fill; null: the rates of the definition. Made once for each account. Backtest only. */
  fees: part<FeeModel | null>('fees'),
  /** By how many ticks a taker fill is worse than quoted. Backtest only. */
  slippage: part<SlippageModel>('slippage'),
  /** Delay from a decision to the arrival of its order. Backtest only. */
  latency: part<LatencyModel>('latency'),
  /** Risk rules that are checked after the built-in ones. Modules add rules; they remove none. */
  rules: part<readonly OrderRule[]>('rules'),
});
