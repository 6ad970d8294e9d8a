// The visible time span of the charts. Gestures move it, and it stays inside the run.

/** The span from `from` to `to` inside the run from `first` to `last`, in ms UTC. */
export class TimeWindow {
  /** Start and end of the run, ms UTC. */
  readonly first: number;
  readonly last: number;
  readonly #min: number;
  readonly #listeners: (() => void)[] = [];
  /** Start and end of the visible span, ms UTC. */
  from: number;
  to: number;

  /** The window first shows the whole run. It is never shorter than `min` ms. */
  constructor(first: number, last: number, min: number) {
    this.first = first;
    this.last = Math.max(last, first + 1);
    this.#min = Math.min(min, this.last - this.first);
    this.from = this.first;
    this.to = this.last;
  }

  /** Length of the visible span, ms. */
  get span(): number {
    return this.to - this.from;
  }

  /** True when the window shows the whole run. */
  get isWhole(): boolean {
    return this.from <= this.first && this.to >= this.last;
  }

  /** Calls `listener` after each change of the window. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Shows the nearest window that is long enough and inside the run. */
  show(from: number, to: number): void {
    const span = Math.min(Math.max(to - from, this.#min), this.last - this.first);
    const middle = (from + to) / 2;
    const start = Math.min(Math.max(middle - span / 2, this.first), this.last - span);
    if (start === this.from && start + span === this.to) return;
    this.from = start;
    this.to = start + span;
    for (const listener of this.#listeners) listener();
  }

  /** Multiplies the span by `factor`. The time at `share` of the window (0 left, 1 right) stays in place. */
  zoom(factor: number, share = 0.5): void {
    const span = Math.min(Math.max(this.span * factor, this.#min), this.last - this.first);
    const fixedMs = this.from + this.span * share;
    this.show(fixedMs - span * share, fixedMs + span * (1 - share));
  }

  /** Moves the window by a share of its span. */
  move(share: number): void {
    this.show(this.from + this.span * share, this.to + this.span * share);
  }
}
