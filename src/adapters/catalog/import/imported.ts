// What an import is asked for, and what it says of the sets of bars that it has made.

import type { Instrument, Market } from '../../../model/instrument.ts';
import type { Interval } from '../../../model/interval.ts';
import type { BarKey } from '../files/paths.ts';
import type { GapManifest } from '../bars/quality.ts';
import type { BarFormat } from '../rows/formats.ts';
import type { FileGap } from './joinSets.ts';

export interface ImportOptions {
  /** Else read from names such as BTCUSDT-1m.csv.gz. */
  readonly symbol?: string | undefined;
  readonly interval?: Interval | undefined;
  /** Else from the name; spot where it does not say. */
  readonly market?: Market | undefined;
  /** Default `data`. */
  readonly catalog?: string | undefined;
  /** Else told from the content. */
  readonly format?: BarFormat | undefined;
  /** A record that takes the place of the catalog's own or of the proposed one. */
  readonly instrumentFile?: string | undefined;
  /** Round prices finer than the precision, a half upwards, instead of refusing them. */
  readonly roundToTick?: boolean | undefined;
  /** Set bad rows aside, in a reject file, instead of ending with the first. */
  readonly skipBad?: boolean | undefined;
  /** The reject file; default: beside the bars in the catalog. */
  readonly rejectsFile?: string | undefined;
  /** The present (ms UTC): a last bar that closes later had not closed. */
  readonly nowMs: number;
  /** `file` is what is read, `rows` those so far, `share` that of all bytes (0 to 1). */
  readonly onProgress?: ((file: string, rows: number, share: number) => void) | undefined;
}

export interface ImportedSet extends BarKey {
  readonly files: readonly string[];
  readonly formats: readonly BarFormat[];
  readonly path: string;
  readonly instrument: Instrument;
  readonly instrumentPath: string;
  /** Where the record came from: made from the data, the catalog's own, or --instrument. */
  readonly instrumentFrom: 'proposed' | 'catalog' | 'file';
  /** Rows in the files that were read, and those of them that the catalog did not have. */
  readonly fileRows: number;
  readonly newRows: number;
  /** Files whose content the catalog has already: they were not read. */
  readonly knownFiles: readonly string[];
  /** Files that an import which was cut had read. */
  readonly resumedFiles: readonly string[];
  /** Rows that stood in the files a second time, equal; they were merged. */
  readonly repeatedRows: number;
  /** Bars that are missing between one file and the next. */
  readonly fileGaps: readonly FileGap[];
  /** Bad rows of the files that were read, which were set aside, and where they are. */
  readonly badRows: number;
  readonly rejectsPath: string | null;
  readonly roundedPrices: number;
  /** Of the whole set as the catalog now has it. */
  readonly manifest: GapManifest;
}
