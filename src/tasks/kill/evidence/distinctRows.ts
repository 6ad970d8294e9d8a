// Collects the rows of overlapping pages. A row that two pages show counts once.

/** A list of rows without repetitions. */
export class DistinctRows<T> {
  /** The rows, in the order in which they came. */
  readonly list: T[] = [];
  readonly #byId = new Map<string, T[]>();

  /** Adds a row unless an equal one was added before. Rows of one id may differ: the two legs of a self-trade, or an order that has changed. */
  add(id: string, row: T): void {
    const rowsOfId = this.#byId.get(id);
    const rowText = JSON.stringify(row);
    if (rowsOfId?.some((other) => JSON.stringify(other) === rowText)) return;
    if (rowsOfId === undefined) this.#byId.set(id, [row]);
    else rowsOfId.push(row);
    this.list.push(row);
  }
}
