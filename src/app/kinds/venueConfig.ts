// What the venues of every market take from a plan.

import type { Instrument } from '../../model/instrument.ts';
import { fillTerms, type VenueConfig } from '../../venue/venueConfig.ts';
import { slippageOf } from '../models/venueModels.ts';
import type { RunPlan } from '../../definition/plan/plan.ts';

/** Orders that one account may have open at the venue of a replay; the bot's own limits are lower. */
const MAX_OPEN_ORDERS = 10_000;

export function commonConfig({ fills, models }: RunPlan, instruments: readonly Instrument[]): Omit<VenueConfig, 'fees'> {
  return {
    instruments,
    ...fillTerms(fills, models?.slippage ? slippageOf(models.slippage) : null),
    maxOpenOrders: MAX_OPEN_ORDERS,
  };
}
