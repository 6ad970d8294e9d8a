// Stop entries that the bot watches itself: orders that it sends once the price reaches their trigger.

/** The result for an instrument without stop entries, shared because most rows return it. */
const NO_ENTRIES: readonly StopEntry[] = [];

/** What a list of stop entries reads of an order. Prices are in ticks. */
export interface StopEntry {
  readonly id: number;
  readonly instrumentIndex: number;
  /** 1 for a buy, which waits for a rise; -1 for a sell, which waits for a fall. */
  readonly sign: 1 | -1;
  readonly triggerTicks: number;
  readonly createdMs: number;
}

/** The waiting stop entries of each instrument. */
export class StopEntries {
  /** By instrument, in the order in which they were placed. */
  private readonly lists: StopEntry[][];

  constructor(instrumentCount: number) {
    this.lists = Array.from({ length: instrumentCount }, () => []);
  }

  /** Returns the number of stop entries that wait in an instrument. */
  waiting(instrumentIndex: number): number {
    return this.lists[instrumentIndex]!.length;
  }
  /** Adds a stop entry after those of its instrument. */
  add(entry: StopEntry): void {
    this.lists[entry.instrumentIndex]!.push(entry);
  }
  /** Removes a stop entry. Returns false if it was not waiting. */
  remove({ id, instrumentIndex }: StopEntry): boolean {
    const list = this.lists[instrumentIndex]!;
    const index = list.findIndex((entry) => entry.id === id);
    if (index >= 0) list.splice(index, 1);
    return index >= 0;
  }

  /** Returns the stop entries that the open of a row reaches, oldest first. A row that opened before an entry was placed does not count. */
  reachedAtOpen(instrumentIndex: number, openMs: number, open: number): readonly StopEntry[] {
    const list = this.lists[instrumentIndex]!;
    if (list.length === 0) return NO_ENTRIES;
    return list.filter((entry) => entry.createdMs <= openMs && isReached(entry, open, open));
  }
  /** Returns the stop entries that a row reaches, the nearest to its open first, and the older one first at equal distance. */
  reachedInRow(instrumentIndex: number, openMs: number, open: number, high: number, low: number): readonly StopEntry[] {
    const list = this.lists[instrumentIndex]!;
    if (list.length === 0) return NO_ENTRIES;
    const reachedEntries = list.filter((entry) => entry.createdMs <= openMs && isReached(entry, high, low));
    if (reachedEntries.length < 2) return reachedEntries;
    const distance = ({ triggerTicks }: StopEntry): number => Math.abs(triggerTicks - open);
    return reachedEntries.toSorted((entry, other) => distance(entry) - distance(other));
  }
}

/** True when prices from `low` to `high` reach the trigger. */
const isReached = ({ sign, triggerTicks }: StopEntry, high: number, low: number): boolean =>
  sign > 0 ? high >= triggerTicks : low <= triggerTicks;
