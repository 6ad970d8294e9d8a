// The world of a backtest: simulated time, a journal that only counts, and a venue that replayed rows trade against.

import { ContainerModule } from 'inversify';
import { ReplayExchange, type ReplayOptions } from '../adapters/replay/replayExchange.ts';
import { ReplayJournal } from '../adapters/replay/replayJournal.ts';
import { REPLAY_FENCE } from '../orders/resolver.ts';
import { DueQueue } from '../scheduler/dueQueue.ts';
import { feesOf, slippageOf } from './models/venueModels.ts';
import { fixedSlippage } from '../venue/slippage.ts';
import { Venue } from '../venue/venue.ts';
import type { Engine } from '../engine/engine.ts';
import type { ExchangePort } from '../ports/exchange.ts';
import type { RunPlan } from './plan.ts';
import { TOKENS } from './tokens.ts';

/** Orders that one account may have open at the venue of a replay; the bot's own limits are lower. */
const MAX_OPEN_ORDERS = 10_000;

export function replayModule(plan: RunPlan, faultOf: ReplayOptions['faultOf'] = null): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(TOKENS.queue).toConstantValue(new DueQueue());
    bind(TOKENS.journal).toConstantValue(new ReplayJournal());
    bind(TOKENS.fence).toConstantValue(REPLAY_FENCE);
    bind(TOKENS.exchange).toResolvedValue(
      (queue) => new ReplayExchange(queue, { latencyMs: plan.fills.latencyMs, needsVolume: plan.fills.maxVolumeSharePpm > 0, faultOf }),
      [TOKENS.queue],
    );
  });
}

/** Opens the venue with the account of the run, funds it, and connects it. */
export function openVenue(plan: RunPlan, engine: Engine, exchange: ExchangePort, deposits: ReadonlyMap<string, number>): Venue {
  if (!(exchange instanceof ReplayExchange)) throw new TypeError('openVenue connects a ReplayExchange');
  const venue = new Venue(
    {
      instruments: engine.instruments,
      fees: { ...plan.fees, model: plan.models?.fees ? feesOf(plan.models.fees) : null },
      limitRule: plan.fills.limit,
      maxVolumeSharePpm: plan.fills.maxVolumeSharePpm,
      slippage: plan.models?.slippage ? slippageOf(plan.models.slippage) : fixedSlippage(plan.fills.slippageTicks, plan.fills.slippagePpm),
      maxOpenOrders: MAX_OPEN_ORDERS,
    },
    exchange,
  );
  const account = venue.openAccount('bot');
  for (const [asset, units] of deposits) venue.deposit(account, asset, units);
  exchange.connect(engine, venue, account);
  return venue;
}
