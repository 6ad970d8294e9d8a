// Remembers which indexes of a list have changed, until they are removed.

/** A set of indexes that allocates no memory after its creation. */
export class ChangedIndexes {
  private readonly isMarked: Uint8Array;
  private readonly marked: Int32Array;
  private count = 0;

  /** Indexes must be below `length`. */
  constructor(length: number) {
    this.isMarked = new Uint8Array(length);
    this.marked = new Int32Array(length);
  }

  /** Marks an index as changed. An index that is already marked stays marked once. */
  mark(index: number): void {
    if (this.isMarked[index] !== 0) return;
    this.isMarked[index] = 1;
    this.marked[this.count++] = index;
  }

  /** Removes and returns a marked index; -1 if none is left. */
  removeNext(): number {
    if (this.count === 0) return -1;
    const index = this.marked[--this.count]!;
    this.isMarked[index] = 0;
    return index;
  }

  /** Removes all marks. */
  clear(): void {
    while (this.count > 0) this.isMarked[this.marked[--this.count]!] = 0;
  }
}
