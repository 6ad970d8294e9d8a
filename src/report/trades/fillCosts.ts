// Computes the costs of each fill other than its fee: the difference to the price at which it was decided (docs/metrics.md, cost bridge).

import type { BarColumns } from '../../model/bars/bars.ts';
import { tickAt } from '../../model/bars/bars.ts';
import { ROLES, type RunRecord } from '../../model/run/run.ts';
import { countUpTo } from '../series/daily.ts';
import type { Valuation } from './valuation.ts';

/** Index in ROLES of the roles that decide which price counts. */
const ROLE = {
  market: ROLES.indexOf('market'),
  limit: ROLES.indexOf('limit'),
  stopLoss: ROLES.indexOf('stopLoss'),
  trailing: ROLES.indexOf('trailing'),
  liquidation: ROLES.indexOf('liquidation'),
  condition: ROLES.indexOf('condition'),
};

/** By fill: the combined effect of spread, slippage and latency on the net result (below 0 a cost), and whether it was a liquidation. */
export interface FillCosts {
  readonly slippageUnits: Float64Array;
  readonly isLiquidation: Uint8Array;
}

/**
 * Returns the costs of the fills relative to the price at the decision. That price is the last close for an order that took liquidity on
 * arrival, and the trigger price for a stop. A resting order chose its price itself, so its fill price counts. Bars cannot separate spread,
 * slippage and latency, so the three are one figure. `bars` has the execution bars of each instrument, or null.
 */
export function fillCosts(record: RunRecord, valuations: readonly Valuation[], bars: readonly (BarColumns | null)[]): FillCosts {
  const { fills, orders } = record;
  const slippageUnits = new Float64Array(fills.length);
  const isLiquidation = new Uint8Array(fills.length);
  for (let row = 0; row < fills.length; row++) {
    if (orders.role[fills.orderId[row]! - 1] === ROLE.liquidation) isLiquidation[row] = 1;
    const price = fills.price[row]!;
    const decisionPrice = decisionTicks(record, row, bars[fills.instrument[row]!] ?? null);
    if (decisionPrice === price) continue;
    const valuation = valuations[fills.instrument[row]!]!;
    const isBuy = fills.side[row] === 0;
    const valueAtDecision = valuation.value(fills.lots[row]!, decisionPrice);
    slippageUnits[row] = valuation.flow(isBuy, fills.notional[row]!) - valuation.flow(isBuy, valueAtDecision);
  }
  return { slippageUnits, isLiquidation };
}

/** Returns the price, in ticks, on which the decision behind a fill was based. */
function decisionTicks({ fills, orders }: RunRecord, row: number, bars: BarColumns | null): number {
  const order = fills.orderId[row]! - 1;
  const role = orders.role[order]!;
  const price = fills.price[row]!;
  if (role === ROLE.stopLoss || role === ROLE.trailing || role === ROLE.condition) return orders.limit[order]!;
  if (bars === null || fills.isMaker[row] === 1) return price;
  const filledOnArrival = (): boolean => isOnArrival(bars, orders.arrivedMs[order]!, fills.timeMs[row]!);
  const isTaker = role === ROLE.market || (role === ROLE.limit && filledOnArrival());
  if (!isTaker) return price;
  const lastRow = countUpTo(bars.closeMs, bars.length, orders.createdMs[order]!) - 1;
  return lastRow < 0 ? price : tickAt(bars, 'close', lastRow);
}

/** Returns true when the fill is at the open of the first bar that opens at or after the arrival. */
function isOnArrival({ openMs, length }: BarColumns, arrivedMs: number, filledMs: number): boolean {
  return openMs[countUpTo(openMs, length, arrivedMs - 1)] === filledMs;
}
