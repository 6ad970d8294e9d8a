// Collects all warnings of a run. They name what to check before trusting its result.

import type { RunRecord } from '../../model/run/run.ts';
import { warning, type Warning, type WarningCode } from '../../model/warning.ts';
import type { RunFigures } from '../metrics/runFigures.ts';
import { wholeText, signedAmount } from '../../base/text/format.ts';
import { coverageWarnings } from './coverage.ts';
import { countWarnings, priceWarnings } from './dataWarnings.ts';
import { resultWarnings } from './resultWarnings.ts';
import { cappedBuys, neverWorked } from './orderWarnings.ts';

/** Code of a replacement whose old order was already filled. */
const NOTHING_LEFT = 'REPLACED_FILLED';
/** Below this number of closed trades, the figures say little about the future. */
const FEW_TRADES = 30;

/** Returns all warnings of a run, most serious first. */
export function warningsOf(record: RunRecord, summary: RunFigures): readonly Warning[] {
  return [
    ...(record.warnings ?? []),
    ...resultWarnings(record, summary),
    ...cappedBuys(record),
    ...neverWorked(record),
    ...(record.streamed?.priceWarnings ?? record.feeds.flatMap(({ bars }) => priceWarnings(bars))),
    ...coverageWarnings(record),
    ...figureWarnings(summary),
  ];
}

/** Returns the warnings that follow from the figures of a run. */
export function figureWarnings({ run, metrics, trades, orders, dataQuality }: RunFigures): readonly Warning[] {
  const warnings = [...countWarnings(dataQuality)];
  const add = (code: WarningCode, text: string) => warnings.push(warning(code, text));
  const addCount = (code: WarningCode, amount: number, [singular, plural]: readonly [string, string], remark = '') => {
    if (amount > 0) add(code, `${wholeText(amount)} ${amount === 1 ? singular : plural}${remark}`);
  };
  // A replacement with nothing left to do does not count as denied.
  const { [NOTHING_LEFT]: harmless = 0, ...denials } = orders.refusedByRiskByCode;
  addCount('ORDER_DENIED', orders.refusedByRisk - harmless, ['order denied by risk', 'orders denied by risk'], codesText(denials));
  addCount(
    'ORDER_REJECTED',
    orders.rejected,
    ['order rejected by the venue', 'orders rejected by the venue'],
    codesText(orders.rejectedByCode),
  );
  addCount('ORDER_UNKNOWN', orders.unknown, ['order was unknown for a time', 'orders were unknown for a time']);
  addCount('ORDER_NOT_SENT', orders.notSent, ['order never left', 'orders never left']);
  if (trades.trades === 0) add('RESULT_NO_TRADE', orders.created === 0 ? 'no order was placed' : 'no trade was closed');
  else if (trades.trades < FEW_TRADES)
    add('RESULT_FEW_TRADES', `only ${wholeText(trades.trades)} closed ${trades.trades === 1 ? 'trade' : 'trades'}`);
  const unrealised = ` (unrealised ${money(trades.openPnl, run.reportingAsset)} ${run.reportingAsset})`;
  addCount('RESULT_OPEN_POSITION', trades.openTrades, ['position is open', 'positions are open'], unrealised);
  if (Number(trades.heldPnl) !== 0) {
    const what = run.cash === undefined ? 'what was held at the start' : `cash in ${otherAssets(run)} and what was held at the start`;
    const value = `${what} changed in worth by ${money(trades.heldPnl, run.reportingAsset)} ${run.reportingAsset}`;
    add('RESULT_HELD', `${value}, which is in no trade, and counts as short where it is sold`);
  }
  if (metrics.flags['cagr']?.includes('extrapolated') && metrics.cagr !== null)
    add('RESULT_EXTRAPOLATED', 'CAGR is extrapolated from under 90 days');
  addCount('RUN_WARMUP', run.warmupInRange, ['bar of the range went into warm-up', 'bars of the range went into warm-up']);
  if (run.rules.length === 0) add('RUN_NO_RULES', 'no risk rule was on');
  return warnings;
}

/** Returns the quote assets other than the reporting asset. */
function otherAssets({ cash = [] }: RunFigures['run']): string {
  return cash.flatMap(({ asset, convertedBy }) => (convertedBy === undefined ? [] : [asset])).join(', ');
}

/** Returns the two most frequent codes as text in parentheses. */
function codesText(counts: Readonly<Record<string, number>>): string {
  const entries = Object.entries(counts).toSorted(([, a], [, b]) => b - a);
  const shownEntries = entries.slice(0, 2).map(([code, amount]) => (entries.length === 1 ? code : `${code} ${wholeText(amount)}`));
  return ` (${shownEntries.join(', ')}${entries.length > 2 ? ', …' : ''})`;
}

/** Returns an amount with its sign, as text. */
function money(text: string, asset: string): string {
  return signedAmount(Number(text), asset);
}
