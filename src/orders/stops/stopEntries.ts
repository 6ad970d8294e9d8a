// Stop entries that the bot watches itself: orders that it sends once a price reaches their trigger. Every mode uses them.

const NONE: readonly StopEntry[] = [];

/** What a list of stop entries reads of an order. Prices are in ticks. */
export interface StopEntry {
  readonly id: number;
  readonly instrumentIndex: number;
  /** 1 for a buy, which waits for a rise; -1 for a sell, which waits for a fall. */
  readonly sign: 1 | -1;
  readonly triggerTicks: number;
  readonly createdMs: number;
}

export class StopEntries {
  /** By instrument, in the order in which they were placed. */
  private readonly lists: StopEntry[][];

  constructor(instruments: number) {
    this.lists = Array.from({ length: instruments }, () => []);
  }

  waiting(instrument: number): number {
    return this.lists[instrument]!.length;
  }
  add(entry: StopEntry): void {
    this.lists[entry.instrumentIndex]!.push(entry);
  }
  /** Returns false if it does not wait. */
  remove({ id, instrumentIndex }: StopEntry): boolean {
    const list = this.lists[instrumentIndex]!;
    const at = list.findIndex((one) => one.id === id);
    if (at >= 0) list.splice(at, 1);
    return at >= 0;
  }

  /** Returns those that a row opens at or beyond, in the order in which they were placed. A row that had begun before them does not count. */
  reachedAtOpen(instrument: number, openMs: number, open: number): readonly StopEntry[] {
    const list = this.lists[instrument]!;
    if (list.length === 0) return NONE;
    return list.filter((entry) => entry.createdMs <= openMs && isReached(entry, open, open));
  }
  /** Returns those that a row reaches, the one nearest to its open first, and of two at one distance the one that was placed first. */
  reachedInRow(instrument: number, openMs: number, open: number, high: number, low: number): readonly StopEntry[] {
    const list = this.lists[instrument]!;
    if (list.length === 0) return NONE;
    const reached = list.filter((entry) => entry.createdMs <= openMs && isReached(entry, high, low));
    return reached.length < 2 ? reached : reached.toSorted((a, b) => Math.abs(a.triggerTicks - open) - Math.abs(b.triggerTicks - open));
  }
}

const isReached = ({ sign, triggerTicks }: StopEntry, high: number, low: number): boolean =>
  sign > 0 ? high >= triggerTicks : low <= triggerTicks;
