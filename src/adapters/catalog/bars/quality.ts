// Measures the quality of a set of bars: its gap manifest, which results reference by hash, and the counts that a run records.

import { createHash } from 'node:crypto';
import type { BarColumns } from '../../../model/bars/bars.ts';
import { barsBetween, closeOf, fixedLengthMs, openOf } from '../../../model/interval.ts';
import type { FeedQuality } from '../../../model/run/run.ts';
import { formatTime } from '../../../model/time.ts';
import { bytesOf } from '../arrow/arrowFile.ts';

/** Where stored bars come from: a file or an exchange, the generator, or finer bars. */
export type BarSource = 'import' | 'synthetic' | 'resampled';

/** Facts about a set of bars besides its columns. */
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

/** Facts about imported bars, by default. */
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
interface Missing {
  readonly after: string;
  readonly bars: number;
}
/** Consecutive rows from a time on, UTC. */
interface Run {
  readonly from: string;
  readonly bars: number;
}

/** Missing and wrong bars of a set, with their counts. */
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
  readonly missing: readonly Missing[];
  readonly zeroVolume: readonly Run[];
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
  const { openMs, volume, interval, length } = bars;
  const missing: Missing[] = [];
  const zeroVolume: { from: string; bars: number }[] = [];
  const wrong: GapManifest['wrong'][number][] = [];
  let missingBars = 0;
  let maxGapBars = 0;
  let zeroVolumeRows = 0;
  let lastZero = -2;
  for (let i = 0; i < length; i++) {
    const step = i === 0 ? 1 : barsBetween(interval, openMs[i - 1]!, openMs[i]!);
    if (step > 1) {
      missing.push({ after: formatTime(openMs[i - 1]!), bars: step - 1 });
      missingBars += step - 1;
      maxGapBars = Math.max(maxGapBars, step - 1);
    }
    if (i > 0 && openMs[i] === openMs[i - 1]) wrong.push({ at: formatTime(openMs[i]!), what: 'duplicate' });
    else if (i > 0 && openMs[i]! < openMs[i - 1]!) wrong.push({ at: formatTime(openMs[i]!), what: 'outOfOrder' });
    if (openOf(interval, openMs[i]!) !== openMs[i]) wrong.push({ at: formatTime(openMs[i]!), what: 'offGrid' });
    if (!isSound(bars, i)) wrong.push({ at: formatTime(openMs[i]!), what: 'insane' });
    if (volume[i] !== 0) continue;
    zeroVolumeRows++;
    const run = zeroVolume.at(-1);
    if (run && lastZero === i - 1) run.bars++;
    else zeroVolume.push({ from: formatTime(openMs[i]!), bars: 1 });
    lastZero = i;
  }
  const count = (what: string) => wrong.filter((row) => row.what === what).length;
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
    missingBars,
    longestGapBars: maxGapBars,
    duplicateRows: count('duplicate'),
    outOfOrderRows: count('outOfOrder'),
    offGridRows: count('offGrid'),
    insaneRows: count('insane'),
    zeroVolumeRows,
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
  let thin = 0;
  const sourceMs = fixedLengthMs(from);
  for (let i = firstRow; i < length; i++) {
    const fullCount = sourceMs === null ? 1 : (closeOf(interval, openMs[i]!) - openMs[i]!) / sourceMs;
    if (barsIn[i]! < fullCount) thin++;
  }
  return thin;
}

/** Returns the quality record of a run's feed: the counts from `firstRow` on, and the manifest hash of the whole set. */
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
