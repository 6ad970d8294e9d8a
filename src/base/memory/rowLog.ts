// A log of rows of numbers, all of one length. A run writes it row by row; when the run has ended, it is read as columns.

import type { Arena } from './arena.ts';

/** Returns `width` bits (at most 8) of each whole number, from bit `from` on. */
export function bitsOf(codes: Float64Array, from: number, width: number, arena: Arena | null = null): Uint8Array {
  const column = arena === null ? new Uint8Array(codes.length) : arena.takeBytes(codes.length);
  const mask = (1 << width) - 1;
  for (let row = 0; row < column.length; row++) column[row] = (codes[row]! >>> from) & mask;
  return column;
}

/** Like `bitsOf`, for numbers of up to 16 bits. */
export function wideBitsOf(codes: Float64Array, from: number, width: number, arena: Arena | null = null): Uint16Array {
  const column = arena === null ? new Uint16Array(codes.length) : arena.takeShorts(codes.length);
  const mask = (1 << width) - 1;
  for (let row = 0; row < column.length; row++) column[row] = (codes[row]! >>> from) & mask;
  return column;
}

/** Binary logarithm of the rows of a page. Pages are never copied; a log grows by one page at a time. */
const PAGE_BITS = 12;
const PAGE_ROWS = 1 << PAGE_BITS;
/** Rows of a part of a page that fits into the first-level cache. */
const STRIP_ROWS = 128;

/**
 * Returns the position of a row in its page, in rows. Multiply it by the log's width, a constant of the log's file, to get the index of the
 * first field. Hot: docs/performance.md#index-range.
 */
export function rowInPage(row: number): number {
  return row & (PAGE_ROWS - 1);
}

/**
 * Memory that several runs use in turn. Row logs and equity columns take their memory here and return it. New memory would cost a page
 * fault every 4 KiB, which takes longer than a bar. A caller without further runs creates a new object.
 */
export class Scratch {
  private readonly free = new Map<number, Float64Array[]>();

  /** Returns an array of `length` numbers with any content. */
  take(length: number): Float64Array {
    return this.free.get(length)?.pop() ?? new Float64Array(length);
  }
  /** Returns a page of a log with any content. */
  page(length: number): Float64Array {
    return this.take(length);
  }
  /** Takes an array back, to be lent again. The caller must not use it afterwards. */
  give(array: Float64Array): void {
    const freeOfLength = this.free.get(array.length);
    if (freeOfLength) freeOfLength.push(array);
    else this.free.set(array.length, [array]);
  }
}

/** For runs whose records are not read: all pages of a log are the same memory, so that a log of any length needs one page. */
export class DiscardingScratch extends Scratch {
  private readonly pages = new Map<number, Float64Array>();

  /** Returns the same page for every request of a length, so that rows overwrite each other. */
  override page(length: number): Float64Array {
    const page = this.pages.get(length) ?? new Float64Array(length);
    this.pages.set(length, page);
    return page;
  }
}

/** A log of rows with `width` numbers. */
export class RowLog {
  /** Numbers of one row. */
  readonly width: number;
  private readonly scratch: Scratch;
  private readonly pages: Float64Array[] = [];
  /** The current page. Rows are mostly written in sequence, so it seldom changes. */
  page: Float64Array = new Float64Array(0);
  /** Number of the current page. */
  private pageNumber = -1;

  constructor(width: number, scratch: Scratch) {
    this.width = width;
    this.scratch = scratch;
  }

  /** True when `page` is the page of a row. The row begins there at `rowInPage(row)` times the width. */
  isAt(row: number): boolean {
    return row >> PAGE_BITS === this.pageNumber;
  }
  /** Makes `page` the page of a row. */
  turnTo(row: number): void {
    const pageNumber = row >> PAGE_BITS;
    while (this.pages.length <= pageNumber) this.pages.push(this.scratch.page(PAGE_ROWS * this.width));
    this.pageNumber = pageNumber;
    this.page = this.pages[pageNumber]!;
  }

  /** Returns a field of a row that was written. */
  at(row: number, field: number): number {
    return this.pages[row >> PAGE_BITS]![rowInPage(row) * this.width + field]!;
  }

  /** Returns the rows [0, length) as columns, by field; lent by `arena` if given. */
  columns(length: number, arena: Arena | null = null): readonly Float64Array[] {
    const { width } = this;
    const columns = Array.from({ length: width }, () => (arena === null ? new Float64Array(length) : arena.take(length)));
    // Copy strip by strip: the first field of a strip loads it into the cache for the other fields.
    for (let from = 0; from < length; from += STRIP_ROWS) {
      const page = this.pages[from >> PAGE_BITS]!;
      const to = Math.min(from + STRIP_ROWS, length);
      for (let field = 0; field < width; field++) copyField(page, rowInPage(from) * width + field, width, columns[field]!, from, to);
    }
    return columns;
  }

  /** Gives the memory back to the scratch. The log is empty afterwards. */
  release(): void {
    for (const page of this.pages.splice(0)) this.scratch.give(page);
    this.pageNumber = -1;
  }
}

/** Copies every `step`th number of `page` from `offset` on to the rows [from, to) of `column`. */
function copyField(page: Float64Array, offset: number, step: number, column: Float64Array, from: number, to: number): void {
  for (let row = from; row < to; row++, offset += step) column[row] = page[offset]!;
}
