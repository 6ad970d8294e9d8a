// The world of a backtest: simulated time, a journal that only counts, and a venue that replayed rows trade against.

import { ContainerModule } from 'inversify';
import { ReplayExchange, type ReplayOptions } from '../adapters/replay/replayExchange.ts';
import { ReplayJournal } from '../adapters/replay/replayJournal.ts';
import { REPLAY_FENCE } from '../orders/prove/resolver.ts';
import { DueQueue } from '../ports/dueQueue.ts';
import type { Engine } from '../engine/engine.ts';
import type { LogLine } from '../ports/log.ts';
import type { ExchangePort } from '../ports/exchange.ts';
import { marketOf } from './kinds/market.ts';
import type { Deposits, OpenedVenue } from './kinds/parts.ts';
import type { RunPlan } from '../definition/plan/plan.ts';
import { TOKENS } from './tokens.ts';
import { RefusalWords } from './refusalWords.ts';

/** `refusals`: where it is told why risk refuses orders; null: nobody reads it. */
export function replayModule(plan: RunPlan, faultOf: ReplayOptions['faultOf'] = null, refusals: LogLine | null = null): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(TOKENS.queue).toResolvedValue(() => new DueQueue());
    if (refusals === null) bind(TOKENS.journal).toResolvedValue(() => new ReplayJournal());
    else {
      const names = plan.strategies.map(({ record }) => record.name);
      bind(TOKENS.journal).toResolvedValue((risk) => new RefusalWords({ risk, log: refusals, names }), [TOKENS.risk]);
    }
    bind(TOKENS.fence).toConstantValue(REPLAY_FENCE);
    bind(TOKENS.exchange).toResolvedValue(
      (queue, instruments) => {
        const options = { latencyMs: plan.fills.latencyMs, needsVolume: plan.fills.maxVolumeSharePpm > 0, faultOf };
        return marketOf(instruments).exchange(() => new ReplayExchange(queue, options));
      },
      [TOKENS.queue, TOKENS.instruments],
    );
  });
}

/** Opens the venue with the accounts of the run, funds them, and connects it. */
export function openVenue(plan: RunPlan, engine: Engine, exchange: ExchangePort, deposits: readonly Deposits[]): OpenedVenue {
  return marketOf(engine.instruments).open(plan, engine, exchange, deposits);
}
