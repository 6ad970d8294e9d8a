// The rules of each market, in the order in which they are checked.

import type { Ledger } from '../portfolio/ledger.ts';
import { openOrders } from './rules/openOrders.ts';
import * as futures from './exposure/futuresExposure.ts';
import { LIVE_RULES } from './live/liveRules.ts';
import * as loss from './rules/lossRules.ts';
import { liquidationDistance, marginBuffer } from './exposure/marginRules.ts';
import { deployCap, duplicate, parent, restricted, selfTrade } from './rules/placementRules.ts';
import * as paired from './exposure/pairedExposure.ts';
import { messageRate } from './rules/rate.ts';
import type { RiskRule } from './rules/rule.ts';
import * as size from './rules/sizeRules.ts';
import * as spot from './exposure/spotExposure.ts';

const LOSS: readonly RiskRule[] = [loss.dailyLoss, loss.drawdown];
/** Rules of every market, checked between those on one order and those on the account's total. */
const CONDUCT: readonly RiskRule[] = [restricted, duplicate, parent, selfTrade, openOrders];

/** All rules of spot, in the order in which they are checked: the first that fails gives the code. */
export const RULES: readonly RiskRule[] = [
  ...LOSS,
  size.timeInForce,
  size.instrument,
  size.precision,
  size.reduceOnly,
  size.qtyMax,
  size.notionalMax,
  size.priceBand,
  ...CONDUCT,
  spot.positionMax,
  spot.positionNotional,
  spot.portfolio,
  spot.leverage,
  spot.concentration,
  spot.margin,
  deployCap,
  messageRate,
  ...LIVE_RULES,
];
/** All rules of futures. */
export const FUTURES_RULES: readonly RiskRule[] = [
  ...LOSS,
  size.instrument,
  size.tradingStatus,
  size.precision,
  size.qtyMax,
  size.notionalMax,
  size.priceBand,
  ...CONDUCT,
  futures.owner,
  futures.positionMax,
  futures.positionNotional,
  futures.portfolio,
  futures.leverage,
  futures.concentration,
  futures.tier,
  futures.margin,
  marginBuffer,
  liquidationDistance,
  deployCap,
  messageRate,
  ...LIVE_RULES,
];

/** All rules of a run over both markets. */
export const PAIRED_RULES: readonly RiskRule[] = [
  ...LOSS,
  size.timeInForce,
  paired.instrument,
  size.tradingStatus,
  size.precision,
  paired.reduceOnly,
  size.qtyMax,
  size.notionalMax,
  size.priceBand,
  ...CONDUCT,
  paired.owner,
  paired.positionMax,
  paired.positionNotional,
  paired.portfolio,
  paired.leverage,
  paired.concentration,
  paired.tier,
  paired.margin,
  paired.marginBuffer,
  paired.liquidationDistance,
  deployCap,
  messageRate,
  ...LIVE_RULES,
];

export function rulesFor(market: Ledger['market']): readonly RiskRule[] {
  if (market === 'both') return PAIRED_RULES;
  return market === 'spot' ? RULES : FUTURES_RULES;
}
