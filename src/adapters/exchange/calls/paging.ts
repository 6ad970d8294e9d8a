// How a list that grows at one end is read without a gap, whatever its `fromId` means. Pure.

/** A page as far as paging is concerned: ids, and whether the list had more to give. */
export interface PageSeen {
  /** Of its rows, in any order. */
  readonly ids: readonly string[];
  /** As many rows as a page holds: others may be missing. */
  readonly isFull: boolean;
}

export type PageStep =
  /** All rows since the cursor are there. */
  | { readonly kind: 'complete' }
  | { readonly kind: 'ask'; readonly fromId: string }
  /** No page leads on: rows may be missing. */
  | { readonly kind: 'gap' };

const MAX_PAGES = 50;
/** Ids are longs: beyond what a double holds. */
const rising = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Reads everything from the cursor on: the newest page first; where that does not reach back to the cursor, pages that begin at the
 * cursor and lead up to it; where nothing comes of these, `fromId` counts downward, and pages lead from the newest one down to the
 * cursor. Each question overlaps what is known by one id, so that it does not matter whether the row of `fromId` itself is in the answer.
 *
 * Invariants: complete only where pages that overlap, or a page that was not full, join the newest row to the cursor (null: to the very
 * first row); no question is asked twice; ends within MOST_PAGES pages.
 */
export class Paging {
  readonly #cursor: bigint | null;
  /** The stretch that hangs together with the newest row, and the one that does with the cursor. */
  #low: bigint | null = null;
  #reached: bigint | null = null;
  #isDown = false;
  #pages = 0;

  constructor(cursor: string | null) {
    this.#cursor = cursor === null ? null : BigInt(cursor);
  }

  /** The newest page. `reachesBack`: it is known to hold a row from before everything that matters. */
  first(page: PageSeen, reachesBack = false): PageStep {
    const ids = sorted(page.ids);
    this.#low = ids[0] ?? null;
    if (!page.isFull || reachesBack || this.#low === null || this.#touches(this.#low)) return { kind: 'complete' };
    this.#reached = this.#cursor;
    // Without a cursor there is nothing to lead up from.
    return this.#cursor === null ? this.#down() : this.#up();
  }

  /** The page that was asked for last. */
  next(page: PageSeen, reachesBack = false): PageStep {
    if (++this.#pages > MAX_PAGES) return { kind: 'gap' };
    return this.#isDown ? this.#wentDown(page, reachesBack) : this.#wentUp(page);
  }

  #wentUp(page: PageSeen): PageStep {
    const ids = sorted(page.ids);
    const [reached, low] = [this.#reached!, this.#low!];
    const last = ids.at(-1);
    // It has to hold what it was asked to begin with, and has to lead on.
    if (last === undefined || !ids.includes(reached) || last <= reached) return this.#down();
    this.#reached = last;
    return last >= low ? { kind: 'complete' } : this.#up();
  }

  #wentDown(page: PageSeen, reachesBack: boolean): PageStep {
    const ids = sorted(page.ids);
    const low = this.#low!;
    const [first] = ids;
    if (first === undefined || !ids.includes(low)) return { kind: 'gap' };
    if (first === low) return { kind: page.isFull ? 'gap' : 'complete' };
    this.#low = first;
    return !page.isFull || reachesBack || this.#touches(first) ? { kind: 'complete' } : this.#down();
  }

  #touches(low: bigint): boolean {
    return this.#cursor !== null && low <= this.#cursor;
  }
  #up(): PageStep {
    return { kind: 'ask', fromId: String(this.#reached! - 1n) };
  }
  #down(): PageStep {
    this.#isDown = true;
    return { kind: 'ask', fromId: String(this.#low! + 1n) };
  }
}

const sorted = (ids: readonly string[]): readonly bigint[] => ids.map(BigInt).toSorted(rising);
