// The proof of purity that data of the run in a file of a strategy refute.

import { relative } from 'node:path';
import type { BarColumns } from '../../../model/bars/bars.ts';
import type { Proof } from '../../../model/run/proof.ts';
import { formatTime } from '../../../model/time.ts';

/** Data of the run's own bars that stand in a file of a strategy. */
export interface WrittenData {
  /** What the proof says, one of TABLE_TEXTS. */
  readonly text: string;
  readonly description: string;
  readonly expected: string;
  /** The bars, and the time at which the data match first, ms UTC. */
  readonly bars: BarColumns;
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
