// The world of a backtest: simulated time, a journal that only hashes records, and a venue that matches orders against rows.

import type { ServiceIdentifier } from 'inversify';
import type { EventOrder } from '../adapters/replay/eventOrder.ts';
import type { FinerSource } from '../adapters/replay/finerRows.ts';
import { FixedLatency, type LatencyModel } from '../adapters/replay/latencyModel.ts';
import { ReplayExchange, type ReplayExchangeOptions } from '../adapters/replay/replayExchange.ts';
import { ReplayJournal } from '../adapters/replay/replayJournal.ts';
import { REPLAY_ABSENCE_BOUNDS } from '../orders/prove/resolver.ts';
import type { DueQueue } from '../ports/dueQueue.ts';
import type { BarMarket } from '../ports/exchange.ts';
import type { LogLine } from '../ports/log.ts';
import type { Journal } from '../ports/journal.ts';
import type { Scheduler } from '../ports/scheduler.ts';
import type { FeeModel } from '../venue/feeModel.ts';
import { fixedSlippage } from '../venue/slippage.ts';
import type { Bot, Binding, World } from './bot.ts';
import { marketOf } from './kinds/market.ts';
import type { Deposits, OpenedVenue, VenueDeps } from './kinds/parts.ts';
import type { RunPlan } from '../definition/plan/plan.ts';
import { clockOf } from './partAlone.ts';
import { PARTS, type ExchangeAdapter } from './parts.ts';
import { DenialLoggingJournal } from './denialLoggingJournal.ts';
import { idOf, TOKENS } from './tokens.ts';

/** Settings of the world of a backtest. */
export interface ReplaySettings {
  /** Selects the create requests that lose their reply or never arrive, for tests and what-if runs. */
  readonly faultOf?: ReplayExchangeOptions['faultOf'];
  /** Returns the order of events inside rows, for each bot. By default the order of docs/matching.md. */
  readonly eventOrder?: () => EventOrder;
  /** Returns, for each bot, the source of finer rows for rows in which the order of events is open. By default there is no source. */
  readonly finer?: () => FinerSource | null;
  /** Log of the reasons for denials. Null for no log. */
  readonly denialLog?: LogLine | null;
  /** Returns a journal that passes all records to the bot's own, so that its caller can watch them. */
  readonly watchJournal?: (journal: Journal) => Journal;
  /** The clock outside of the run. By default that of the computer. */
  readonly clock?: Scheduler;
  /** Returns the exchange that matches orders against rows. By default a ReplayExchange. */
  readonly makeExchange?: (queue: DueQueue, options: ReplayExchangeOptions) => ReplayExchange;
  /** Time from a decision to the arrival of its order. By default that of the plan. */
  readonly latency?: LatencyModel | null;
}

/** Returns the world of a backtest of `plan`. */
export function replayWorld(plan: RunPlan, settings: ReplaySettings = {}): World {
  const {
    faultOf = null,
    denialLog = null,
    eventOrder = () => null,
    finer = () => null,
    clock,
    watchJournal = (journal) => journal,
  } = settings;
  const { makeExchange = (queue, options) => new ReplayExchange(queue, options) } = settings;
  return (binding) => {
    const { bind, own } = binding;
    bind(idOf(PARTS.clock)).toResolvedValue(() => clock ?? clockOf(plan));
    if (denialLog === null) bind(own(PARTS.journal)).toResolvedValue(() => watchJournal(new ReplayJournal()));
    else {
      const names = plan.strategies.map(({ record }) => record.name);
      bind(own(PARTS.journal)).toResolvedValue(
        (risk) => watchJournal(new DenialLoggingJournal({ risk, log: denialLog, names })),
        [idOf(PARTS.risk)],
      );
    }
    bind(TOKENS.absenceBounds).toConstantValue(REPLAY_ABSENCE_BOUNDS);
    bind(own(PARTS.latency)).toResolvedValue(() => settings.latency ?? new FixedLatency(plan.fills.latencyMs));
    bind(own(PARTS.slippage)).toResolvedValue(() => fixedSlippage(plan.fills.slippageTicks, plan.fills.slippagePpm));
    bind(own(PARTS.fees)).toResolvedValue((): FeeModel | null => null);
    const needsVolume = plan.fills.maxVolumeSharePpm > 0;
    const trades = { fillsAtTouch: plan.fills.limit === 'touch', queue: plan.fills.queue ?? null };
    bind(TOKENS.replayed).toResolvedValue(
      (queue, instruments, latency) =>
        marketOf(instruments).exchange(() =>
          makeExchange(queue, { latency, needsVolume, faultOf, eventOrder: eventOrder(), finer: finer(), trades }),
        ),
      [idOf(PARTS.scheduler), TOKENS.instruments, idOf(PARTS.latency)],
    );
    bind(own(PARTS.exchange)).toResolvedValue((replayed): ExchangeAdapter => replayed, [TOKENS.replayed]);
    bindVenue(plan, binding);
  };
}

/** Binds the venue behind the replayed exchange. If a module replaces the exchange, no venue exists. If it wraps the exchange, one does. */
function bindVenue({ funds }: RunPlan, { bind, own, overrides }: Binding): void {
  if (overrides.of(PARTS.exchange.name)?.isWrapping === false) {
    bind(own(PARTS.barMarket)).toConstantValue(null);
    return void bind(TOKENS.venue).toConstantValue(null);
  }
  bind(own(PARTS.barMarket)).toResolvedValue((replayed): BarMarket => replayed, [TOKENS.replayed]);
  // A fee model counts the turnover of its account, so each account has its own model.
  const fees: ServiceIdentifier<FeeModel | null>[] = (funds === undefined ? [0] : [0, 1]).map(() => idOf(PARTS.fees));
  bind(TOKENS.venue).toResolvedValue(
    (exchange, slippage, ...models: (FeeModel | null)[]): VenueDeps => ({ exchange, slippage, fees: models }),
    [TOKENS.replayed, idOf(PARTS.slippage), ...fees],
  );
}

/** Opens the venue, funds its accounts and connects it. Attaches the engine to an adapter that replaces the exchange. */
export function openVenue(plan: RunPlan, { engine, venue, exchange }: Bot, deposits: readonly Deposits[]): OpenedVenue {
  exchange.attach?.(engine, () => engine.nowMs);
  if (venue === null) return { venue: null, venues: [], checkBooks() {} };
  return marketOf(engine.instruments).open(plan, engine, venue, deposits);
}
