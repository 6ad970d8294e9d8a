// Progress cells: shared memory in which a run reports its progress to its watcher.

import { threadNumber } from '../../../adapters/runtime/threadUse.ts';
import { PROGRESS } from '../../../ports/progress.ts';

/** Phases of a run. User code runs in the guarded phases; a lack of progress there means that a strategy hangs. */
const PHASES = ['start', 'load', 'import', 'setUp', 'bars', 'metrics', 'proof', 'report'] as const;
/** A phase of a run, in the order in which they follow. */
export type Phase = (typeof PHASES)[number];
const GUARDED: readonly Phase[] = ['import', 'setUp', 'bars', 'proof'];

/** The engine writes the cells of PROGRESS. This class writes the last three. */
const CELLS = 9;
const STEPS = 6;
const PHASE = 7;
const THREAD = 8;

/** Shared memory in which a run reports how far it is. */
export class ProgressCells {
  /** The memory that the threads share, and the cells in it. */
  readonly memory: SharedArrayBuffer;
  readonly cells: Int32Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(CELLS * Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.cells = new Int32Array(memory);
  }

  /** Notes the phase that begins now, in the thread of the run. It counts as progress. */
  enter(phase: Phase): void {
    if (this.cells[THREAD] === 0) this.cells[THREAD] = threadNumber();
    this.cells[PHASE] = PHASES.indexOf(phase);
    this.cells[STEPS] = (this.cells[STEPS] ?? 0) + 1;
  }
  /** The phase of the run. */
  get phase(): Phase {
    return PHASES[this.cells[PHASE] ?? 0] ?? 'start';
  }
  /** The number of the run's thread at the operating system; 0: unknown. */
  get thread(): number {
    return this.cells[THREAD] ?? 0;
  }
  /** True in a phase in which code of the author runs, so that a hang must be detected. */
  get isGuarded(): boolean {
    return GUARDED.includes(this.phase);
  }
  /** Changes whenever the run makes progress. */
  get version(): string {
    return `${this.cells[STEPS]} ${this.cells[PROGRESS.blocks]}`;
  }
  /** Processed rows of the first execution feed, including warm-up. */
  get rows(): number {
    return this.cells[PROGRESS.rows] ?? 0;
  }
  /** End of the last finished block, ms UTC; null before the first. */
  get doneMs(): number | null {
    return this.cells[PROGRESS.blocks] === 0 ? null : (this.cells[PROGRESS.blockEndS] ?? 0) * 1000;
  }
}
