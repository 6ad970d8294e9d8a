// Collects the rows of overlapping pages. A row that two pages show counts once.

/** A list of rows without repetitions. */
export class DistinctRows<T> {
  /** The rows, in the order in which they came. */
  readonly list: T[] = [];
  readonly #byId = new Map<string, T[]>();

  /** Adds a row unless an equal one was added before. Rows of one id may differ: the two legs of a self-trade, or an order that has changed. */
  add(id: string, row: T): void {
    const rowsOfId = this.#byId.get(id);
    // Ids rarely repeat, so that a row is written as text only to compare it with another one of its id.
    if (rowsOfId === undefined) this.#byId.set(id, [row]);
    else if (isListed(row, rowsOfId)) return;
    else rowsOfId.push(row);
    this.list.push(row);
  }
}

function isListed(row: unknown, rows: readonly unknown[]): boolean {
  const rowText = JSON.stringify(row);
  return rows.some((other) => JSON.stringify(other) === rowText);
}
