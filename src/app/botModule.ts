// The bot: the same bindings in backtest, paper and live. What differs is the world module that is loaded beside it.

import { ContainerModule } from 'inversify';
import { cronTimes } from '../adapters/clock/cron.ts';
import { ConfigError } from '../base/errors.ts';
import { listOf } from '../base/memory/listOf.ts';
import type { Scratch } from '../base/memory/rowLog.ts';
import { Engine } from '../engine/engine.ts';
import { FeedRun } from '../engine/feeds/feed.ts';
import { Instant } from '../engine/feeds/instant.ts';
import type { Instrument } from '../model/instrument.ts';
import { Brackets } from '../orders/stops/brackets.ts';
import { OrderManager } from '../orders/orderManager.ts';
import { Reservations } from '../orders/reserve/reservation.ts';
import { resolveLimits } from '../risk/limits/resolve.ts';
import { RiskModule } from '../risk/riskModule.ts';
import { rulesFor } from '../risk/rules.ts';
import type { Size } from '../strategy/types.ts';
import { marketOf } from './kinds/market.ts';
import { orderRuleOf } from './models/riskRules.ts';
import type { RunPlan } from '../definition/plan/plan.ts';
import { TOKENS, type Observers } from './tokens.ts';

/** Instruments, limits, time and feeds are the run's: bots of one container share them. All else is a bot's own. */
export function botModule(plan: RunPlan, observers: Observers, scratch: Scratch): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(TOKENS.plan).toConstantValue(plan);
    bind(TOKENS.observers).toConstantValue(observers);
    bind(TOKENS.instant).toConstantValue(new Instant(plan.fromMs));
    bind(TOKENS.instruments).toConstantValue(instrumentsOf(plan));
    bind(TOKENS.feeds)
      .toResolvedValue(
        (instruments, instant) => listOf(plan.feeds, (feed) => feedRun(feed, instruments, plan, instant)),
        [TOKENS.instruments, TOKENS.instant],
      )
      .inSingletonScope();
    bind(TOKENS.ledger).toResolvedValue((instruments) => marketOf(instruments).ledger(plan, instruments), [TOKENS.instruments]);
    bind(TOKENS.reservations).toResolvedValue(
      (instruments) => new Reservations(instruments, plan.strategies.length, marketOf(instruments).reservationTerms(plan, instruments)),
      [TOKENS.instruments],
    );
    bind(TOKENS.brackets).toResolvedValue((instruments) => new Brackets(instruments.length), [TOKENS.instruments]);
    bind(TOKENS.orders).toResolvedValue(
      (exchange, journal, reservations, fence) =>
        new OrderManager(exchange, journal, reservations, fence, observers.dropsOrders === true ? null : scratch),
      [TOKENS.exchange, TOKENS.journal, TOKENS.reservations, TOKENS.fence],
    );
    bind(TOKENS.limits)
      .toResolvedValue((instruments) => resolveLimits(plan.risk, instruments), [TOKENS.instruments])
      .inSingletonScope();
    bind(TOKENS.risk).toResolvedValue(
      (ledger, reservations, resolved) =>
        new RiskModule({
          ledger,
          reservations,
          limits: plan.risk,
          resolved,
          rules: [...rulesFor(ledger.market), ...(plan.models?.rules ?? []).map(orderRuleOf)],
        }),
      [TOKENS.ledger, TOKENS.reservations, TOKENS.limits],
    );
    bind(TOKENS.engine).toResolvedValue(
      (instruments, feeds, instant, ledger, reservations, orders, brackets, risk, exchange, queue) => {
        const engine = new Engine({
          instruments, feeds, instant, ledger, reservations, orders, brackets, risk, exchange, queue,
          defaultSize: sizeOf(plan),
          collarPpm: plan.fills.collarPpm,
          blockRows: plan.blockRows,
          fromMs: plan.fromMs,
          log: observers.log,
          scratch,
          beat: observers.beat,
          marks: marketOf(instruments).marks(plan, instruments),
          funding: marketOf(instruments).funding(plan, instruments),
        });
        engine.timers.cronTimes = cronTimes;
        return engine;
      }, // prettier-ignore
      [
        TOKENS.instruments, TOKENS.feeds, TOKENS.instant, TOKENS.ledger, TOKENS.reservations,
        TOKENS.orders, TOKENS.brackets, TOKENS.risk, TOKENS.exchange, TOKENS.queue,
      ], // prettier-ignore
    );
  });
}

/** The instruments of a run, each once, in the order of their ids: the order in which they match. */
export function instrumentsOf(plan: RunPlan): readonly Instrument[] {
  const byId = new Map(plan.feeds.map((feed) => [feed.bars.instrument.id, feed.bars.instrument]));
  const instruments = [...byId.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const quotes = new Set(instruments.map(({ quote }) => quote));
  if (quotes.size > 1) {
    throw new ConfigError(`feeds: the instruments of one run share one quote asset, got ${[...quotes].join(', ')}`, 'run them apart');
  }
  return instruments;
}

function feedRun(feed: RunPlan['feeds'][number], instruments: readonly Instrument[], plan: RunPlan, instant: Instant): FeedRun {
  const index = instruments.findIndex(({ id }) => id === feed.bars.instrument.id);
  const run = new FeedRun(feed.name, feed.bars, instruments[index]!, index, plan.fromMs, plan.blockRows, instant);
  run.isHidden = feed.isHidden ?? false;
  return run;
}

function sizeOf({ size }: RunPlan): Size {
  if (size.base !== undefined) return { base: size.base };
  if (size.quote !== undefined) return { quote: size.quote };
  return { equity: size.equity ?? '1' };
}
