// Warnings about bars, for runs and for `isobar data check`.

import type { BarColumns } from '../../model/bars/bars.ts';
import type { FeedQuality } from '../../model/run/run.ts';
import { warning, type Warning, type WarningCode } from '../../model/warning.ts';
import { wholeText, counted, fixed, timeText } from '../../base/text/format.ts';
import { scanBars, type BarFlaws, type FlawRows, type PriceRows } from './barScan.ts';

/** Counts of the bars of one feed, or sums over several feeds. */
export type BarCounts = Pick<FeedQuality, 'synthetic' | 'gaps' | 'missingBars' | 'thinBars' | 'roundedPrices' | 'openLastBar'>;

/** Returns the warnings that follow from the counts of bars. */
export function countWarnings(bars: BarCounts): readonly Warning[] {
  const warnings: Warning[] = [];
  const addCount = (code: WarningCode, amount: number, [singular, plural]: readonly [string, string], remark = '') => {
    if (amount > 0) warnings.push(warning(code, `${wholeText(amount)} ${amount === 1 ? singular : plural}${remark}`));
  };
  if (bars.synthetic) warnings.push(warning('DATA_SYNTHETIC', 'the data are synthetic'));
  addCount('DATA_GAPS', bars.gaps, ['gap in the data', 'gaps in the data'], ` (${counted(bars.missingBars, 'bar')} missing)`);
  addCount('DATA_THIN', bars.thinBars, ['thin bar', 'thin bars']);
  addCount('DATA_ROUNDED', bars.roundedPrices, ['price was rounded to the tick', 'prices were rounded to the tick']);
  if (bars.openLastBar) warnings.push(warning('DATA_OPEN_BAR', 'the last bar was still open'));
  return warnings;
}

/** Returns the warnings about prices that no real market produces. */
export function priceWarnings(bars: BarColumns): readonly Warning[] {
  // Rows of trades are not bars. Their prices may repeat or jump, so the checks for bars do not apply.
  if (bars.tape !== undefined) return [];
  return warningsOfRows(`${bars.instrument.wireName} ${bars.interval}`, bars);
}
/**
 * Returns the same warnings for klines of a mark price, which decide liquidations. The columns of `klines` have equal lengths, and all
 * prices the same unit.
 */
export function markWarnings(symbol: string, interval: string, klines: Omit<PriceRows, 'length'>): readonly Warning[] {
  return warningsOfRows(`${symbol} mark ${interval}`, { ...klines, length: klines.openMs.length });
}

/** Scans rows of prices and returns the warnings about their flaws. */
function warningsOfRows(name: string, rows: PriceRows): readonly Warning[] {
  return warningsOfFlaws(name, scanBars(rows));
}

/** Returns the warnings about flaws of bars. `name` identifies the bars, such as `BTCUSDT 1m`. */
export function warningsOfFlaws(name: string, { jumps, levels, dead }: BarFlaws): readonly Warning[] {
  const firstTime = (flaw: FlawRows) => `${flaw.count === 1 ? 'at' : 'the first at'} ${timeText(flaw.firstMs)}`;
  const warnings: Warning[] = [];
  if (jumps.count > 0)
    warnings.push(warning('DATA_JUMP', `${name}: ${counted(jumps.count, 'bar')} with a price that jumps and returns, ${firstTime(jumps)}`));
  if (levels.count > 0) {
    const size = levels.factor > 1 ? `× ${fixed(levels.factor, 2)}` : `÷ ${fixed(1 / levels.factor, 2)}`;
    const changes = `${counted(levels.count, 'change')} of the price level, as by a split`;
    const largest = levels.count === 1 ? size : `the largest ${size}`;
    warnings.push(warning('DATA_LEVEL', `${name}: ${changes}, ${firstTime(levels)} (${largest})`));
  }
  if (dead.count > 0) {
    const stretches = `${wholeText(dead.count)} ${dead.count === 1 ? 'stretch' : 'stretches'} of bars in which no price moves`;
    warnings.push(warning('DATA_DEAD', `${name}: ${stretches}, ${firstTime(dead)} (${counted(dead.max, 'bar')} at most)`));
  }
  return warnings;
}
