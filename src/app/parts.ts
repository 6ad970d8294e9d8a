// The parts of a bot, each with one token that carries its type.

import type { LatencyModel } from '../adapters/replay/latencyModel.ts';
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

/** An exchange adapter. An adapter that wraps or replaces the built-in one reports through the sink that `attach` receives. */
export interface ExchangeAdapter extends OrderGateway {
  /** Called once before the first bar, or before the first step of a live bot. `sink` receives the outcomes of orders; `nowMs` is the time of the run, ms UTC. */
  attach?(sink: ExchangeSink, nowMs: () => number): void;
}

function part<Made>(name: string): PartToken<Made> {
  return Object.freeze({ name });
}

/** The parts of a bot (docs/compose.md). A module rebinds a part by its token. */
export const PARTS = Object.freeze({
  /** The exchange adapter: where orders are sent. Backtest: replayed bars and their venue. Live: the REST client. */
  exchange: part<ExchangeAdapter>('exchange'),
  /** The market in which replayed bars match orders. Null when the exchange adapter fills orders by itself, as it does live. Backtest only. */
  barMarket: part<BarMarket | null>('barMarket'),
  /** The order manager, which keeps the state of each order. */
  orders: part<OrderManager>('orders'),
  /** The risk module, which approves or denies each order. */
  risk: part<RiskModule>('risk'),
  /** The strategies of the run, in their order. A factory returns as many as it was given. */
  strategies: part<readonly StrategyPlan[]>('strategies'),
  /** The queue of events in the time of the run, such as timers of strategies and orders in flight. */
  scheduler: part<DueQueue>('scheduler'),
  /** The engine, which runs the steps of one bot in order. */
  engine: part<Engine>('engine'),
  /** The clock outside of the run. Backtest: it gives the times in `run.log` and of the run folder. Live: it gives every wait of the bot. */
  clock: part<Scheduler>('clock'),
  /** The journal, into which the order manager writes each step of an order before it acts. */
  journal: part<Journal>('journal'),
  /** A receiver of the bot's alerts about halts. Modules can add notifiers, but not remove any. */
  notifier: part<Notifier>('notifier'),
  /** The fee rate of each fill. Null stands for the rates of the definition. Each account has its own. Backtest only. */
  fees: part<FeeModel | null>('fees'),
  /** The number of ticks by which a taker fill is worse than quoted. Backtest only. */
  slippage: part<SlippageModel>('slippage'),
  /** The delay from a decision to the arrival of its order. Backtest only. */
  latency: part<LatencyModel>('latency'),
  /** Risk rules that follow the built-in ones. Modules can add rules, but not remove any. */
  rules: part<readonly OrderRule[]>('rules'),
});
