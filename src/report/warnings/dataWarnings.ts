// Warnings about bars: the same for a run over them and for `isobar data check`.

import type { FeedQuality } from '../../model/run.ts';
import { warning, type Warning, type WarningCode } from '../../model/warning.ts';
import { count, counted } from '../html/page/format.ts';

/** Counts of one set of bars, or of several together. */
export type BarCounts = Pick<FeedQuality, 'synthetic' | 'gaps' | 'missingBars' | 'thinBars' | 'roundedPrices' | 'openLastBar'>;

/** Returns the warnings that follow from the counts of bars. */
export function countWarnings(bars: BarCounts): readonly Warning[] {
  const found: Warning[] = [];
  const some = (code: WarningCode, amount: number, one: string, many: string, rest = '') => {
    if (amount > 0) found.push(warning(code, `${count(amount)} ${amount === 1 ? one : many}${rest}`));
  };
  if (bars.synthetic) found.push(warning('DATA_SYNTHETIC', 'the data are synthetic'));
  some('DATA_GAPS', bars.gaps, 'gap in the data', 'gaps in the data', ` (${counted(bars.missingBars, 'bar')} missing)`);
  some('DATA_THIN', bars.thinBars, 'thin bar', 'thin bars');
  some('DATA_ROUNDED', bars.roundedPrices, 'price was rounded to the tick', 'prices were rounded to the tick');
  if (bars.openLastBar) found.push(warning('DATA_OPEN_BAR', 'the last bar was still open'));
  return found;
}
