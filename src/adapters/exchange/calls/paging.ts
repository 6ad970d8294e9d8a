// Reads a growing list page by page without gaps, for every meaning that a venue may give `fromId`. Pure.

import { compareAscending } from '../../../base/text/compareAscending.ts';

/** The ids of a page, and whether the page was full. */
export interface PageIds {
  /** Ids of the rows, in any order. */
  readonly ids: readonly string[];
  /** True if the page has as many rows as it can hold, so that others may be missing. */
  readonly isFull: boolean;
}

/** What to do after a page of a list. */
export type PageStep =
  /** All rows since the cursor have been read. */
  | { readonly kind: 'complete' }
  | { readonly kind: 'ask'; readonly fromId: string }
  /** No further page connects to the known ones. Rows may be missing. */
  | { readonly kind: 'gap' };

const MAX_PAGES = 50;

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
  #lowestRead: bigint | null = null;
  #highestRead: bigint | null = null;
  #isDownward = false;
  #pages = 0;

  constructor(cursor: string | null) {
    this.#cursor = cursor === null ? null : BigInt(cursor);
  }

  /** Takes the first, newest page and returns the next step. `reachesBack`: the page has a row that is older than all relevant rows. */
  takeNewest(page: PageIds, reachesBack = false): PageStep {
    this.#lowestRead = lowestOf(page.ids);
    if (!page.isFull || reachesBack || this.#lowestRead === null || this.#reachesCursor(this.#lowestRead)) return { kind: 'complete' };
    this.#highestRead = this.#cursor;
    // Without a cursor there is no row to start from.
    return this.#cursor === null ? this.#askDownward() : this.#askUpward();
  }

  /** Takes the page that the latest `ask` requested, and returns the next step. */
  takeRequested(page: PageIds, reachesBack = false): PageStep {
    if (++this.#pages > MAX_PAGES) return { kind: 'gap' };
    return this.#isDownward ? this.#takeDownward(page, reachesBack) : this.#takeUpward(page);
  }

  /** Takes a page of ids from the highest one read on. Falls back to reading downward if the page does not connect. */
  #takeUpward(page: PageIds): PageStep {
    const ids = sortIds(page.ids);
    const reachedId = this.#highestRead!;
    const low = this.#lowestRead!;
    const lastId = ids.at(-1);
    // The page must contain the id that it was asked to start from, and newer ids.
    if (lastId === undefined || !ids.includes(reachedId) || lastId <= reachedId) return this.#askDownward();
    this.#highestRead = lastId;
    return lastId >= low ? { kind: 'complete' } : this.#askUpward();
  }

  /** Takes a page of ids that ends at the lowest one read. A page that does not connect leaves a gap. */
  #takeDownward(page: PageIds, reachesBack: boolean): PageStep {
    const ids = sortIds(page.ids);
    const low = this.#lowestRead!;
    const [first] = ids;
    if (first === undefined || !ids.includes(low)) return { kind: 'gap' };
    if (first === low) return { kind: page.isFull ? 'gap' : 'complete' };
    this.#lowestRead = first;
    return !page.isFull || reachesBack || this.#reachesCursor(first) ? { kind: 'complete' } : this.#askDownward();
  }

  #reachesCursor(low: bigint): boolean {
    return this.#cursor !== null && low <= this.#cursor;
  }
  #askUpward(): PageStep {
    // Ids begin with 1, and the exchange refuses 0.
    const before = this.#highestRead! - 1n;
    return { kind: 'ask', fromId: String(before > 0n ? before : 1n) };
  }
  #askDownward(): PageStep {
    this.#isDownward = true;
    return { kind: 'ask', fromId: String(this.#lowestRead! + 1n) };
  }
}

/** Returns the lowest id; null without ids. A page of a thousand ids is read often, so it is not sorted. */
function lowestOf(ids: readonly string[]): bigint | null {
  let lowest: bigint | null = null;
  for (const text of ids) {
    const id = BigInt(text);
    if (lowest === null || id < lowest) lowest = id;
  }
  return lowest;
}

/** Ids are 64-bit integers, more than a double can hold. */
const sortIds = (ids: readonly string[]): readonly bigint[] => ids.map(BigInt).toSorted(compareAscending);
