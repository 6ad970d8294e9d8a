// Builds the refuted proof of purity of a strategy whose file contains data of the run's own bars.

import { relative } from 'node:path';
import type { BarColumns } from '../../../model/bars/bars.ts';
import type { Proof } from '../../../model/run/proof.ts';
import { formatTime } from '../../../model/time.ts';

/** Data of the run's own bars in a file of a strategy. */
export interface WrittenData {
  /** What the proof says: one of TABLE_TEXTS of model/run/proof.ts. */
  readonly text: string;
  /** The data that the file contains. */
  readonly description: string;
  /** What the file should contain in their place. */
  readonly expected: string;
  readonly bars: BarColumns;
  /** Time of the first bar that the data match, ms UTC. */
  readonly timeMs: number;
  readonly file: string;
  readonly fileText: string;
  /** Where the data begin in the text of the file. */
  readonly position: number;
}

/** Returns the refuted proof of purity with the place of the data. */
export function tableProof({ text, description, expected, bars, timeMs, file, fileText, position }: WrittenData): Proof {
  return {
    name: 'purity',
    verdict: 'refuted',
    text,
    first: {
      time: formatTime(timeMs),
      feed: `${bars.instrument.wireName} ${bars.interval}`,
      what: description,
      expected,
      actual: description,
    },
    file: relative(process.cwd(), file),
    line: fileText.slice(0, position).split('\n').length,
  };
}
