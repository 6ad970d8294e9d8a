// A growing list that keeps its newest rows in memory and reads the others from the store.

import { Offsets, TagColumn } from './offsets.ts';

/** A row with its tag (its market, by which readers filter) and its offset in the store; -1: not written yet. */
export interface PagedRow<T> {
  readonly row: T;
  readonly tag: number;
  storeOffset: number;
}

/** The list from which pages are cut, oldest row first. */
export interface IndexedList<T> {
  readonly length: number;
  /** Returns the tag of a row; index 0 is the oldest row. */
  tagAt(index: number): number;
  /** Returns a row; index 0 is the oldest one. */
  at(index: number): T;
}

/** Rows that stay in memory. Older ones are evicted once there are twice as many. */
const MIN_IN_MEMORY = 64;

/** The rows of one account: the newest in memory, the offsets of the others. */
export class PagedList<T> implements IndexedList<T> {
  readonly #storeOffsets = new Offsets();
  readonly #tags = new TagColumn();
  readonly #recent: PagedRow<T>[] = [];
  readonly #load: (storeOffset: number) => T;

  constructor(load: (storeOffset: number) => T) {
    this.#load = load;
  }

  get length(): number {
    return this.#storeOffsets.length + this.#recent.length;
  }
  tagAt(index: number): number {
    const archivedCount = this.#storeOffsets.length;
    return index < archivedCount ? this.#tags.at(index) : this.#recent[index - archivedCount]!.tag;
  }
  at(index: number): T {
    const archivedCount = this.#storeOffsets.length;
    return index < archivedCount ? this.#load(this.#storeOffsets.get(index)) : this.#recent[index - archivedCount]!.row;
  }

  /** Adds the newest row. */
  push(row: PagedRow<T>): void {
    this.#recent.push(row);
    if (this.#recent.length >= 2 * MIN_IN_MEMORY) this.#evict();
  }

  /** Adds a row that is already in the store at `storeOffset`. Such rows must precede all others. */
  restore(storeOffset: number, tag: number): void {
    this.#storeOffsets.push(storeOffset);
    this.#tags.push(tag);
  }

  /** Evicts the oldest rows from memory, as far as they are in the store. */
  #evict(): void {
    let evictedCount = 0;
    for (const { storeOffset } of this.#recent) {
      if (storeOffset < 0 || evictedCount === this.#recent.length - MIN_IN_MEMORY) break;
      evictedCount++;
    }
    for (const { storeOffset, tag } of this.#recent.splice(0, evictedCount)) this.restore(storeOffset, tag);
  }
}
