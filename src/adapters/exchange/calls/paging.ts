// Reads a growing list page by page without gaps, for every meaning that a venue may give `fromId`. Pure.

/** What paging needs of a page: its ids, and whether it was full. */
export interface PageSeen {
  /** Ids of the rows, in any order. */
  readonly ids: readonly string[];
  /** True if the page has as many rows as it can hold, so that others may be missing. */
  readonly isFull: boolean;
}

export type PageStep =
  /** All rows since the cursor have been read. */
  | { readonly kind: 'complete' }
  | { readonly kind: 'ask'; readonly fromId: string }
  /** No further page connects to the known ones. Rows may be missing. */
  | { readonly kind: 'gap' };

const MAX_PAGES = 50;
/** Ids are 64-bit integers, more than a double can hold. */
const byValue = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Reads everything from the cursor on. The newest page comes first. If it does not reach back to the cursor, pages from the cursor upward
 * follow. If those do not connect, `fromId` counts downward, and pages lead from the newest one down to the cursor. Each request overlaps
 * the known rows by one id, so it does not matter whether the row of `fromId` is included.
 * Invariants: `complete` only if overlapping pages, or a page that was not full, connect the newest row to the cursor (null: to the very
 * first row); no request is repeated; ends within MAX_PAGES pages.
 */
export class Paging {
  readonly #cursor: bigint | null;
  /** The lowest id connected to the newest row, and the highest id connected to the cursor. */
  #low: bigint | null = null;
  #reached: bigint | null = null;
  #isDown = false;
  #pages = 0;

  constructor(cursor: string | null) {
    this.#cursor = cursor === null ? null : BigInt(cursor);
  }

  /** Takes the newest page. `reachesBack`: it is known to include a row older than all relevant ones. */
  takeNewest(page: PageSeen, reachesBack = false): PageStep {
    const ids = sortIds(page.ids);
    this.#low = ids[0] ?? null;
    if (!page.isFull || reachesBack || this.#low === null || this.#reachesCursor(this.#low)) return { kind: 'complete' };
    this.#reached = this.#cursor;
    // Without a cursor there is no row to start from.
    return this.#cursor === null ? this.#askDownward() : this.#askUpward();
  }

  /** Takes the page requested last. */
  takeRequested(page: PageSeen, reachesBack = false): PageStep {
    if (++this.#pages > MAX_PAGES) return { kind: 'gap' };
    return this.#isDown ? this.#takeDownward(page, reachesBack) : this.#takeUpward(page);
  }

  #takeUpward(page: PageSeen): PageStep {
    const ids = sortIds(page.ids);
    const [reached, low] = [this.#reached!, this.#low!];
    const last = ids.at(-1);
    // The page must contain the id that it was asked to start from, and newer ids.
    if (last === undefined || !ids.includes(reached) || last <= reached) return this.#askDownward();
    this.#reached = last;
    return last >= low ? { kind: 'complete' } : this.#askUpward();
  }

  #takeDownward(page: PageSeen, reachesBack: boolean): PageStep {
    const ids = sortIds(page.ids);
    const low = this.#low!;
    const [first] = ids;
    if (first === undefined || !ids.includes(low)) return { kind: 'gap' };
    if (first === low) return { kind: page.isFull ? 'gap' : 'complete' };
    this.#low = first;
    return !page.isFull || reachesBack || this.#reachesCursor(first) ? { kind: 'complete' } : this.#askDownward();
  }

  #reachesCursor(low: bigint): boolean {
    return this.#cursor !== null && low <= this.#cursor;
  }
  #askUpward(): PageStep {
    return { kind: 'ask', fromId: String(this.#reached! - 1n) };
  }
  #askDownward(): PageStep {
    this.#isDown = true;
    return { kind: 'ask', fromId: String(this.#low! + 1n) };
  }
}

const sortIds = (ids: readonly string[]): readonly bigint[] => ids.map(BigInt).toSorted(byValue);
