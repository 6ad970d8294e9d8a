// Entry point `isobar/compose`: the parts of a bot that modules and tests may replace (docs/compose.md).

export { composeModule, type Composing, type FactoryInput, type PartsOf, type Rebinding } from './app/composeModule.ts';
export { passOn } from './base/passOn.ts';
export { PARTS, type ExchangeAdapter, type PartToken } from './app/parts.ts';
export { orderRuleOf } from './app/models/riskRules.ts';
export { feeModelOf as feesOf, slippageOf } from './app/models/venueModels.ts';
export type { ComposeModule, ModuleBinding } from './definition/plan/module.ts';
export type { RunPlan, StrategyPlan } from './definition/plan/plan.ts';
export type { LatencyModel } from './adapters/replay/latencyModel.ts';
export type { Fill } from './model/fill.ts';
export type { Instrument } from './model/instrument.ts';
export type { ApprovedOrder, Order, OrderId, Side, VenueOrderId } from './model/order.ts';
export type { OrderManager } from './orders/orderManager.ts';
export type { DueQueue } from './ports/dueQueue.ts';
export type { BarMarket, Channel, Evidence, ExchangeSink, OrderGateway } from './ports/exchange.ts';
export type { Journal, Waits } from './ports/journal.ts';
export type { Alert, Notifier, NotifyFailure } from './ports/notifier.ts';
export type { Scheduler } from './ports/scheduler.ts';
export type { RiskModule } from './risk/riskModule.ts';
export type { Draft, OrderRule, RiskState } from './risk/rules/rule.ts';
export type { FeeModel } from './venue/feeModel.ts';
export type { FillBar, SlippageModel } from './venue/slippage.ts';
