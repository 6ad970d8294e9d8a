// The visible time span of the charts. Gestures move it, and it stays inside the run.

/** The span from `fromMs` to `toMs` inside the run, in ms UTC. */
export class TimeWindow {
  /** Start and end of the run, ms UTC. */
  readonly runStartMs: number;
  readonly runEndMs: number;
  readonly #minMs: number;
  readonly #listeners: (() => void)[] = [];
  /** Start and end of the visible span, ms UTC. */
  fromMs: number;
  toMs: number;

  /** The window first shows the whole run. It is never shorter than `minMs`. */
  constructor(runStartMs: number, runEndMs: number, minMs: number) {
    this.runStartMs = runStartMs;
    this.runEndMs = Math.max(runEndMs, runStartMs + 1);
    this.#minMs = Math.min(minMs, this.runEndMs - this.runStartMs);
    this.fromMs = this.runStartMs;
    this.toMs = this.runEndMs;
  }

  /** Length of the visible span, ms. */
  get spanMs(): number {
    return this.toMs - this.fromMs;
  }

  /** True when the window shows the whole run. */
  get isWhole(): boolean {
    return this.fromMs <= this.runStartMs && this.toMs >= this.runEndMs;
  }

  /** Calls `listener` after each change of the window. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Shows the nearest window that is long enough and inside the run. */
  show(fromMs: number, toMs: number): void {
    const spanMs = Math.min(Math.max(toMs - fromMs, this.#minMs), this.runEndMs - this.runStartMs);
    const middleMs = (fromMs + toMs) / 2;
    const startMs = Math.min(Math.max(middleMs - spanMs / 2, this.runStartMs), this.runEndMs - spanMs);
    if (startMs === this.fromMs && startMs + spanMs === this.toMs) return;
    this.fromMs = startMs;
    this.toMs = startMs + spanMs;
    for (const listener of this.#listeners) listener();
  }

  /** Multiplies the span by `factor`. The time at `share` of the window (0 left, 1 right) stays in place. */
  zoom(factor: number, share = 0.5): void {
    const spanMs = Math.min(Math.max(this.spanMs * factor, this.#minMs), this.runEndMs - this.runStartMs);
    const fixedMs = this.fromMs + this.spanMs * share;
    this.show(fixedMs - spanMs * share, fixedMs + spanMs * (1 - share));
  }

  /** Moves the window by a share of its span. */
  move(share: number): void {
    this.show(this.fromMs + this.spanMs * share, this.toMs + this.spanMs * share);
  }
}
