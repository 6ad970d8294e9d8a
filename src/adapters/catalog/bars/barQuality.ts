// Measures the quality of stored bars: their gap manifest, which results reference by hash, and the counts that a run records.

import { createHash } from 'node:crypto';
import type { BarColumns } from '../../../model/bars/bars.ts';
import { barsBetween, closeOf, fixedLengthMs, openOf } from '../../../model/interval.ts';
import type { FeedQuality } from '../../../model/run/run.ts';
import { formatTime } from '../../../model/time.ts';
import { bytesOf } from '../arrow/arrowWriter.ts';

/** Where stored bars come from: a file or an exchange, the generator, or finer bars. */
export type BarSource = 'import' | 'synthetic' | 'resampled';

/** Facts about the bars of one file besides its columns. */
export interface BarFacts {
  readonly source: BarSource;
  /** Generated, or resampled from generated bars. */
  readonly synthetic: boolean;
  /** Prices rounded to the instrument's precision by the import. */
  readonly roundedPrices: number;
  /** Bad rows of the imported files that were rejected. */
  readonly rejectedRows: number;
  /** True if the last bar was still open when imported. */
  readonly openLastBar: boolean;
  /** For resampled bars: number of source bars in each. */
  readonly barsIn: Int32Array | null;
  /** For resampled bars: interval of the source bars. */
  readonly from: BarColumns['interval'] | null;
}

/** Facts about imported bars without rounded prices and rejected rows. */
export const IMPORTED: BarFacts = {
  source: 'import',
  synthetic: false,
  roundedPrices: 0,
  rejectedRows: 0,
  openLastBar: false,
  barsIn: null,
  from: null,
};
/** Facts about generated bars. */
export const SYNTHETIC: BarFacts = { ...IMPORTED, source: 'synthetic', synthetic: true };

/** Consecutive missing bars after a time, UTC. */
interface MissingBars {
  readonly after: string;
  readonly bars: number;
}
/** Consecutive rows from a time on, UTC. */
interface RowRange {
  readonly from: string;
  readonly bars: number;
}

/** Missing and wrong bars of a file, with their counts. */
export interface GapManifest {
  readonly format: 'isobar gap manifest 1';
  /** SHA-256 of this manifest as JSON without this key and without spaces. */
  readonly sha256: string;
  readonly market: string;
  readonly symbol: string;
  readonly interval: string;
  readonly source: BarSource;
  readonly synthetic: boolean;
  /** SHA-256 of the columns open_time, open, high, low, close, volume (float64) and bars_in (int32), one after the other. */
  readonly dataSha256: string;
  readonly rows: number;
  readonly first: string | null;
  readonly last: string | null;
  readonly gaps: number;
  readonly missingBars: number;
  readonly longestGapBars: number;
  readonly duplicateRows: number;
  readonly outOfOrderRows: number;
  readonly offGridRows: number;
  /** Rows that violate low <= open, close <= high, price above 0, or volume of at least 0. */
  readonly insaneRows: number;
  readonly zeroVolumeRows: number;
  readonly thinBars: number;
  readonly roundedPrices: number;
  /** Bad rows that an import rejected. Their bars are missing unless another file had them. */
  readonly rejectedRows: number;
  readonly openLastBar: boolean;
  readonly missing: readonly MissingBars[];
  readonly zeroVolume: readonly RowRange[];
  /** Rows with any of the problems above. An import accepts none, but another program may write them. */
  readonly wrong: readonly { readonly at: string; readonly what: 'duplicate' | 'outOfOrder' | 'offGrid' | 'insane' }[];
}

/** Returns the SHA-256 of the columns, independent of their division into batches. */
export function dataHash(bars: BarColumns, barsIn: Int32Array | null): string {
  const hash = createHash('sha256');
  for (const column of [bars.openMs, bars.open, bars.high, bars.low, bars.close, bars.volume]) hash.update(bytesOf(column, 0, bars.length));
  if (barsIn) hash.update(bytesOf(barsIn, 0, barsIn.length));
  return hash.digest('hex');
}

/** Reads the rows once and returns their manifest. */
export function manifestOf(bars: BarColumns, facts: BarFacts): GapManifest {
  const { openMs, interval, length } = bars;
  const missing = missingIn(bars);
  const zeroVolume = zeroVolumeIn(bars);
  const wrong = wrongIn(bars);
  const count = (what: string) => wrong.filter((row) => row.what === what).length;
  // The hash covers the order of the keys.
  const content = {
    market: bars.instrument.market,
    symbol: bars.instrument.wireName,
    interval,
    source: facts.source,
    synthetic: facts.synthetic,
    dataSha256: dataHash(bars, facts.barsIn),
    rows: length,
    first: length === 0 ? null : formatTime(openMs[0]!),
    last: length === 0 ? null : formatTime(openMs[length - 1]!),
    gaps: missing.length,
    missingBars: missing.reduce((sum, { bars: missingBars }) => sum + missingBars, 0),
    longestGapBars: missing.reduce((max, { bars: missingBars }) => Math.max(max, missingBars), 0),
    duplicateRows: count('duplicate'),
    outOfOrderRows: count('outOfOrder'),
    offGridRows: count('offGrid'),
    insaneRows: count('insane'),
    zeroVolumeRows: zeroVolume.reduce((sum, range) => sum + range.bars, 0),
    thinBars: thinBars(bars, facts, 0),
    roundedPrices: facts.roundedPrices,
    rejectedRows: facts.rejectedRows,
    openLastBar: facts.openLastBar,
    missing,
    zeroVolume,
    wrong,
  };
  const format = 'isobar gap manifest 1';
  const sha256 = createHash('sha256')
    .update(JSON.stringify({ format, ...content }))
    .digest('hex');
  return { format, sha256, ...content };
}

/** Returns the gaps between rows that follow each other in time. */
function missingIn({ interval, openMs, length }: BarColumns): readonly MissingBars[] {
  const missing: MissingBars[] = [];
  for (let row = 1; row < length; row++) {
    const step = barsBetween(interval, openMs[row - 1]!, openMs[row]!);
    if (step > 1) missing.push({ after: formatTime(openMs[row - 1]!), bars: step - 1 });
  }
  return missing;
}

/** Returns the ranges of rows without volume. */
function zeroVolumeIn({ openMs, volume, length }: BarColumns): readonly RowRange[] {
  const ranges: { from: string; bars: number }[] = [];
  for (let row = 0; row < length; row++) {
    if (volume[row] !== 0) continue;
    const range = ranges.at(-1);
    if (range && volume[row - 1] === 0) range.bars++;
    else ranges.push({ from: formatTime(openMs[row]!), bars: 1 });
  }
  return ranges;
}

/** Returns the rows that are out of order, off the grid of the interval, or not sound. A row may appear with several problems. */
function wrongIn(bars: BarColumns): GapManifest['wrong'] {
  const { interval, openMs, length } = bars;
  const wrong: GapManifest['wrong'][number][] = [];
  const addProblem = (row: number, what: GapManifest['wrong'][number]['what']) => wrong.push({ at: formatTime(openMs[row]!), what });
  for (let row = 0; row < length; row++) {
    if (row > 0 && openMs[row] === openMs[row - 1]) addProblem(row, 'duplicate');
    else if (row > 0 && openMs[row]! < openMs[row - 1]!) addProblem(row, 'outOfOrder');
    if (openOf(interval, openMs[row]!) !== openMs[row]) addProblem(row, 'offGrid');
    if (!isSound(bars, row)) addProblem(row, 'insane');
  }
  return wrong;
}

/** True when the prices of a row lie between its low and high, are above 0, and its volume is finite and at least 0. */
function isSound({ open, high, low, close, volume }: BarColumns, row: number): boolean {
  const min = low[row]!;
  const max = high[row]!;
  const isWithinRange = (price: number) => min <= price && price <= max;
  const hasSoundVolume = volume[row]! >= 0 && volume[row]! < Infinity;
  return min > 0 && max < Infinity && isWithinRange(open[row]!) && isWithinRange(close[row]!) && hasSoundVolume;
}

/** Returns the number of resampled bars, from `firstRow` on, that have fewer source bars than their interval holds. */
function thinBars({ interval, openMs, length }: BarColumns, { barsIn, from }: BarFacts, firstRow: number): number {
  if (barsIn === null || from === null) return 0;
  let thinCount = 0;
  const sourceMs = fixedLengthMs(from);
  for (let i = firstRow; i < length; i++) {
    const fullCount = sourceMs === null ? 1 : (closeOf(interval, openMs[i]!) - openMs[i]!) / sourceMs;
    if (barsIn[i]! < fullCount) thinCount++;
  }
  return thinCount;
}

/** Returns the quality record of a run's feed: the counts from `firstRow` on, and the manifest hash of the whole file. */
export function qualityOf(bars: BarColumns, firstRow: number, facts: BarFacts, manifestHash: string): FeedQuality {
  let gaps = 0;
  let missingBars = 0;
  let zeroVolume = 0;
  for (let i = firstRow; i < bars.length; i++) {
    if (bars.volume[i] === 0) zeroVolume++;
    if (i === firstRow || bars.openMs[i] === bars.closeMs[i - 1]) continue;
    gaps++;
    missingBars += barsBetween(bars.interval, bars.openMs[i - 1]!, bars.openMs[i]!) - 1;
  }
  return {
    manifestHash,
    rows: bars.length - firstRow,
    gaps,
    missingBars,
    thinBars: thinBars(bars, facts, firstRow),
    zeroVolume,
    roundedPrices: facts.roundedPrices,
    openLastBar: facts.openLastBar,
    synthetic: facts.synthetic,
  };
}
