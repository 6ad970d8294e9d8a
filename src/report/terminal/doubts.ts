// What a reader should look at before believing a result, most serious first, in plain words.

import type { Summary } from '../folder/summary.ts';
import { count, counted, signed } from '../html/page/format.ts';

/** Below this many closed trades a figure says little of what comes. */
const FEW_TRADES = 30;

export function doubtsOf({ run, metrics, trades, orders, dataQuality }: Summary): string[] {
  const doubts: string[] = [];
  const some = (amount: number, one: string, many: string, rest = '') => {
    if (amount > 0) doubts.push(`${count(amount)} ${amount === 1 ? one : many}${rest}`);
  };
  if (dataQuality.synthetic) doubts.push('the data are synthetic');
  some(dataQuality.gaps, 'gap in the data', 'gaps in the data', ` (${counted(dataQuality.missingBars, 'bar')} missing)`);
  some(orders.refusedByRisk, 'order refused by risk', 'orders refused by risk', codes(orders.refusedByRiskByCode));
  some(orders.rejected, 'order rejected by the venue', 'orders rejected by the venue', codes(orders.rejectedByCode));
  some(orders.unknown, 'order was unknown for a time', 'orders were unknown for a time');
  some(orders.notSent, 'order never left', 'orders never left');
  some(dataQuality.thinBars, 'thin bar', 'thin bars');
  some(dataQuality.roundedPrices, 'price was rounded to the tick', 'prices were rounded to the tick');
  if (dataQuality.openLastBar) doubts.push('the last bar was still open');
  if (trades.trades === 0) doubts.push(orders.created === 0 ? 'no order was placed' : 'no trade was closed');
  else if (trades.trades < FEW_TRADES) doubts.push(`only ${count(trades.trades)} closed ${trades.trades === 1 ? 'trade' : 'trades'}`);
  some(trades.openTrades, 'position is open', 'positions are open', ` (unrealised ${money(trades.openPnl)} ${run.reportingAsset})`);
  if (Number(trades.heldPnl) !== 0) {
    const worth = `what was held at the start changed in worth by ${money(trades.heldPnl)} ${run.reportingAsset}`;
    doubts.push(`${worth}, which is in no trade, and counts as short where it is sold`);
  }
  if (metrics.flags['cagr']?.includes('extrapolated') && metrics.cagr !== null) doubts.push('CAGR is extrapolated from under 90 days');
  some(run.warmupInRange, 'bar of the range went into warm-up', 'bars of the range went into warm-up');
  if (run.rules.length === 0) doubts.push('no risk rule was on');
  return doubts;
}

function codes(counts: Readonly<Record<string, number>>): string {
  const entries = Object.entries(counts).toSorted(([, a], [, b]) => b - a);
  const shown = entries.slice(0, 2).map(([code, amount]) => (entries.length === 1 ? code : `${code} ${count(amount)}`));
  return ` (${shown.join(', ')}${entries.length > 2 ? ', …' : ''})`;
}

function money(text: string): string {
  return signed(Number(text), 2);
}
