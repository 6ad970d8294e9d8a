// Remembers which indexes of a list have changed since they were last asked for.

export class ChangedIndexes {
  private readonly isMarked: Uint8Array;
  private readonly marked: Int32Array;
  private count = 0;

  /** For indexes below `length`. */
  constructor(length: number) {
    this.isMarked = new Uint8Array(length);
    this.marked = new Int32Array(length);
  }

  mark(index: number): void {
    if (this.isMarked[index] !== 0) return;
    this.isMarked[index] = 1;
    this.marked[this.count++] = index;
  }

  /** Returns an index that has changed, and forgets it; -1 if none is left. */
  removeNext(): number {
    if (this.count === 0) return -1;
    const index = this.marked[--this.count]!;
    this.isMarked[index] = 0;
    return index;
  }

  clear(): void {
    while (this.count > 0) this.isMarked[this.marked[--this.count]!] = 0;
  }
}
