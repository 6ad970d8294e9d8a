// A list that only grows: its newest rows are at hand, the others are read from where they were put.

import { Offsets, TagColumn } from './offsets.ts';

/** A row, what readers choose by (the market that it is of), and where it lies; -1: nowhere yet. */
export interface PagedRow<T> {
  readonly row: T;
  readonly tag: number;
  place: number;
}

/** What pages are cut from, the oldest row first. */
export interface IndexedList<T> {
  readonly length: number;
  tagAt(index: number): number;
  at(index: number): T;
}

/** Rows that stay at hand, and as many again before the older ones go. */
const IN_MEMORY = 64;

export class PagedList<T> implements IndexedList<T> {
  readonly #places = new Offsets();
  readonly #tags = new TagColumn();
  readonly #recent: PagedRow<T>[] = [];
  readonly #load: (place: number) => T;

  constructor(load: (place: number) => T) {
    this.#load = load;
  }

  get length(): number {
    return this.#places.length + this.#recent.length;
  }
  tagAt(index: number): number {
    const past = this.#places.length;
    return index < past ? this.#tags.at(index) : this.#recent[index - past]!.tag;
  }
  at(index: number): T {
    const past = this.#places.length;
    return index < past ? this.#load(this.#places.get(index)) : this.#recent[index - past]!.row;
  }

  push(kept: PagedRow<T>): void {
    this.#recent.push(kept);
    if (this.#recent.length >= 2 * IN_MEMORY) this.#evict();
  }

  /** A row that lies at `place` already; those come before all others. */
  restore(place: number, tag: number): void {
    this.#places.push(place);
    this.#tags.push(tag);
  }

  /** The oldest that are at hand go, as far as they lie somewhere. */
  #evict(): void {
    let going = 0;
    for (const { place } of this.#recent) {
      if (place < 0 || going === this.#recent.length - IN_MEMORY) break;
      going++;
    }
    for (const { place, tag } of this.#recent.splice(0, going)) this.restore(place, tag);
  }
}
