// The cells that a run writes and its watcher reads, on memory that both threads see.

/** What a run is doing. Author's code runs in the guarded phases; there, silence is a strategy that hangs. */
const PHASES = ['start', 'load', 'import', 'setUp', 'bars', 'metrics', 'report'] as const;
export type Phase = (typeof PHASES)[number];
const GUARDED: readonly Phase[] = ['import', 'setUp', 'bars'];

/** Cells 0 to 2 are the engine's (EngineParts.beat); the last two are written around it. */
const CELLS = 8;
const ENGINE = { blocks: 0, rows: 1, endSeconds: 2 };
const STEPS = 6;
const PHASE = 7;

export class ProgressCells {
  readonly memory: SharedArrayBuffer;
  readonly cells: Int32Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(CELLS * Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.cells = new Int32Array(memory);
  }

  enter(phase: Phase): void {
    this.cells[PHASE] = PHASES.indexOf(phase);
    this.cells[STEPS] = (this.cells[STEPS] ?? 0) + 1;
  }
  get phase(): Phase {
    return PHASES[this.cells[PHASE] ?? 0] ?? 'start';
  }
  get isGuarded(): boolean {
    return GUARDED.includes(this.phase);
  }
  /** Differs from the last reading when the run has moved. */
  get version(): string {
    return `${this.cells[STEPS]} ${this.cells[ENGINE.blocks]}`;
  }
  /** Rows of the first execution feed that are done, those of the warm-up included. */
  get rows(): number {
    return this.cells[ENGINE.rows] ?? 0;
  }
  /** The end of the last finished block (ms UTC), or null before the first. */
  get doneMs(): number | null {
    return this.cells[ENGINE.blocks] === 0 ? null : (this.cells[ENGINE.endSeconds] ?? 0) * 1000;
  }
}
