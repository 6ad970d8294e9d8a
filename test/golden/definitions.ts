// Returns the shipped definitions of this checkout, and the figures of a run that its golden summary has.

import { fileURLToPath } from 'node:url';
import type { BacktestResult } from 'isobar/run';
import * as shipped from '../fixtures/shippedDefinitions.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Returns the shipped definitions in a folder of this checkout. */
export const definitionsIn = (folder: string): readonly shipped.ShippedDefinition[] => shipped.definitionsIn(ROOT, folder);
/** Runs an `isobar` command of this checkout in a folder. */
export const isobar = (folder: string, args: string): void => shipped.isobar(ROOT, folder, args);
/** Returns the overrides with which a definition runs outside of this checkout, with its catalog in `folder`. */
export const placementSettings = (file: string, folder: string): string[] => shipped.placementSettings(ROOT, file, folder);

/** Returns the parts of the cost bridge that only futures have. */
const bridgeOf = (bridge: BacktestResult['summary']['costBridge']) => ({
  signal: bridge.grossSignalPnl,
  funding: bridge.funding,
  liquidations: bridge.liquidationLoss,
});

/** Returns the figures that a change of the code must not change unnoticed, as decimal text: money exact, ratios to nine digits. */
export function goldenOf({ summary }: BacktestResult): Readonly<Record<string, string>> {
  const { metrics, trades, orders, run } = summary;
  const ratio = (value: number | null) => (value === null ? '' : value.toFixed(9));
  return {
    resultHash: summary.resultHash,
    bars: String(summary.dataQuality.rows),
    endEquity: run.endEquity,
    netProfit: metrics.netProfit ?? '',
    maxDrawdown: metrics.maxDrawdownAbs ?? '',
    maxDrawdownFraction: ratio(metrics.maxDrawdown),
    maxDrawdownDaily: ratio(metrics.maxDrawdownDaily),
    calmar: ratio(metrics.calmar),
    fees: orders.fees,
    volume: orders.volume,
    grossProfit: trades.grossProfit,
    grossLoss: trades.grossLoss,
    totalReturn: ratio(metrics.totalReturn),
    sharpe: ratio(metrics.sharpe),
    sortino: ratio(metrics.sortino),
    exposureTime: ratio(metrics.exposureTime),
    trades: String(trades.trades),
    wins: String(trades.wins),
    orders: String(orders.created),
    filled: String(orders.filled),
    cancelled: String(orders.cancelled),
    refusedByRisk: String(orders.refusedByRisk),
    fills: String(orders.fills),
    makerShare: ratio(orders.makerShare),
    // Only futures have funding payments.
    ...(run.instruments.some(({ id }) => id.startsWith('futures:')) ? bridgeOf(summary.costBridge) : {}),
  };
}
