// Makes the settings that the venues of all markets have in common.

import type { Instrument } from '../../model/instrument.ts';
import { withAddedPpm, type SlippageModel } from '../../venue/slippage.ts';
import { fillTerms, type VenueConfig } from '../../venue/venueConfig.ts';
import type { RunPlan } from '../../definition/plan/plan.ts';

/** Maximum number of open orders of an account at the venue of a replay. The bot's own limits are lower. */
const MAX_OPEN_ORDERS = 10_000;

/** Returns the settings of a venue, except its fees. */
export function commonConfig({ fills }: RunPlan, instruments: readonly Instrument[], slippage: SlippageModel): Omit<VenueConfig, 'fees'> {
  return {
    instruments,
    ...fillTerms(fills, withAddedPpm(slippage, fills.addedSlippagePpm ?? 0)),
    maxOpenOrders: MAX_OPEN_ORDERS,
  };
}
