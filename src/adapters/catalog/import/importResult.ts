// Options and results of an import.

import type { Instrument, Market } from '../../../model/instrument.ts';
import type { Interval } from '../../../model/interval.ts';
import type { BarKey } from '../files/paths.ts';
import type { GapManifest } from '../bars/barQuality.ts';
import type { BarFormat } from '../rows/formats.ts';
import type { FileGap } from './joinSets.ts';

/** What a caller may choose about an import of bars. */
export interface ImportOptions {
  /** If absent, read from file names such as BTCUSDT-1m.csv.gz. */
  readonly symbol?: string | undefined;
  readonly interval?: Interval | undefined;
  /** If absent, read from the name; spot if the name does not contain it. */
  readonly market?: Market | undefined;
  /** Default `data`. */
  readonly catalog?: string | undefined;
  /** If absent, detected from the content. */
  readonly format?: BarFormat | undefined;
  /** A record that replaces the catalog's or the proposed one. */
  readonly instrumentFile?: string | undefined;
  /** Round prices finer than the precision, half up, instead of rejecting them. */
  readonly roundToTick?: boolean | undefined;
  /** Write bad rows to a reject file instead of stopping at the first. */
  readonly skipBad?: boolean | undefined;
  /** The reject file; default: beside the bars in the catalog. */
  readonly rejectsFile?: string | undefined;
  /** The current time (ms UTC). A last bar that closes later is still open. */
  readonly nowMs: number;
  /** `file`: being read; `rows`: read until now; `share`: fraction of all bytes (0 to 1). */
  readonly onProgress?: ((file: string, rows: number, share: number) => void) | undefined;
}

/** The result of an import of one series of bars. */
export interface ImportedSet extends BarKey {
  readonly files: readonly string[];
  readonly formats: readonly BarFormat[];
  readonly path: string;
  readonly instrument: Instrument;
  readonly instrumentPath: string;
  /** Origin of the record: made from the data, the catalog's own, or --instrument. */
  readonly instrumentFrom: 'proposed' | 'catalog' | 'file';
  /** Price digits of the record before: fewer if finer prices of these files widened it. Null: there was no record. */
  readonly digitsBefore: number | null;
  /** Rows in the files read, and how many of them were new. */
  readonly fileRows: number;
  readonly newRows: number;
  /** Files that were not read, because the catalog already has their content. */
  readonly knownFiles: readonly string[];
  /** Files already read by an interrupted import. */
  readonly resumedFiles: readonly string[];
  /** Equal rows that occurred twice and were merged. */
  readonly repeatedRows: number;
  /** Bars missing between one file and the next. */
  readonly fileGaps: readonly FileGap[];
  /** Bad rows that were rejected, and the file that has them. */
  readonly badRows: number;
  readonly rejectsPath: string | null;
  readonly roundedPrices: number;
  /** The gaps of the whole set as now stored. */
  readonly manifest: GapManifest;
}
