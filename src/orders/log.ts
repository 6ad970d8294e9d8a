// What a run keeps of its orders: one row an order, written once, when it ends.

import * as rows from '../base/rowLog.ts';
import { InvariantError } from '../base/errors.ts';
import { bitsOf, RowLog, type Scratch } from '../base/rowLog.ts';
import { ENDINGS, ROLES, type OrderColumns } from '../model/run.ts';
import type { OrderRecord } from './record.ts';

// V8 folds a constant of this file, and reads an imported one from its cell at each use.
const { rowInPage } = rows;

/** Fields of a row. Small whole numbers share one: an order's row is one stretch of memory, and short. */
const FIELD = { parent: 0, lots: 1, quoteUnits: 2, limit: 3, filledLots: 4, filledUnits: 5, createdMs: 6, arrivedMs: 7, doneMs: 8, codes: 9, texts: 10 } as const; // prettier-ignore
const WIDTH = 11;
const FILLED = ENDINGS.indexOf('filled');
/** Texts that a run may use for slots and codes. */
const MAX_TEXTS = 65_536;

export class OrderLog {
  readonly #rows: RowLog | null;
  readonly #texts: string[] = [''];
  readonly #textAt = new Map<string, number>([['', 0]]);

  /** The number of the last order before the first row: orders of an earlier process have none. */
  base = 0;

  /** Without a scratch nothing is kept: the sets of a sweep are told apart by their fills. */
  constructor(scratch: Scratch | null) {
    this.#rows = scratch === null ? null : new RowLog(WIDTH, scratch);
  }

  /** Writes the row of an order that has ended, or that is still open when the run ends. */
  write(order: OrderRecord): void {
    const rowLog = this.#rows;
    const row = order.id - this.base - 1;
    if (rowLog === null || row < 0) return;
    const page = rowLog.page(row);
    const at = rowInPage(row) * WIDTH;
    page[at + FIELD.parent] = order.parent;
    page[at + FIELD.lots] = order.lots;
    page[at + FIELD.quoteUnits] = order.quoteUnits;
    page[at + FIELD.limit] = order.condition > 0 ? order.condition : order.limit > 0 ? order.limit : order.trigger;
    page[at + FIELD.filledLots] = order.filledLots;
    page[at + FIELD.filledUnits] = order.filledUnits;
    page[at + FIELD.createdMs] = order.createdMs;
    page[at + FIELD.arrivedMs] = order.arrivedMs;
    page[at + FIELD.doneMs] = order.reason === null ? NaN : order.changedMs;
    page[at + FIELD.codes] = codesOf(order);
    page[at + FIELD.texts] = this.#text(order.slot) + (order.code === null ? 0 : this.#text(order.code)) * MAX_TEXTS;
  }

  /** The columns of the first `count` orders after `base`; each has been written. Throws InvariantError where none is kept. */
  columns(count: number): OrderColumns {
    if (this.#rows === null) throw new InvariantError('the orders of this run are not kept');
    const columns = this.#rows.columns(count);
    const of = (field: number) => columns[field]!;
    const codes = of(FIELD.codes);
    const texts = of(FIELD.texts);
    const bits = (from: number, width: number) => bitsOf(codes, from, width);
    return {
      length: count,
      id: codes.map((_, row) => this.base + row + 1),
      parent: of(FIELD.parent),
      lots: of(FIELD.lots),
      quoteUnits: of(FIELD.quoteUnits),
      limit: of(FIELD.limit),
      filledLots: of(FIELD.filledLots),
      filledUnits: of(FIELD.filledUnits),
      createdMs: of(FIELD.createdMs),
      arrivedMs: of(FIELD.arrivedMs),
      doneMs: of(FIELD.doneMs),
      slot: texts.map((text) => text % MAX_TEXTS),
      code: texts.map((text) => Math.floor(text / MAX_TEXTS)),
      side: bits(0, 1),
      reduceOnly: bits(1, 1),
      wasUnknown: bits(2, 1),
      role: bits(3, 3),
      ending: bits(6, 4),
      strategy: bits(10, 8),
      instrument: bits(18, 8),
      texts: this.#texts,
    };
  }
  release(): void {
    this.#rows?.release();
  }

  #text(text: string): number {
    // Most strategies use two slots: the first texts are compared before anything is hashed. The very first, of no tag, is rare.
    const texts = this.#texts;
    for (let at = 1; at < texts.length && at < 4; at++) if (texts[at] === text) return at;
    const known = this.#textAt.get(text);
    if (known !== undefined) return known;
    // Beyond that many tags the log keeps the fact of an order, not its tag.
    if (this.#texts.length === MAX_TEXTS) return 0;
    this.#textAt.set(text, this.#texts.length);
    return this.#texts.push(text) - 1;
  }
}

function codesOf(order: OrderRecord): number {
  return (
    (order.side === 'buy' ? 0 : 1) |
    (order.reduceOnly ? 2 : 0) |
    (order.wasUnknown ? 4 : 0) |
    (order.role === 'market' ? 0 : ROLES.indexOf(order.role) << 3) |
    ((order.reason === 'filled' ? FILLED : ENDINGS.indexOf(order.reason ?? 'open')) << 6) |
    (order.strategy << 10) |
    (order.instrumentIndex << 18)
  );
}
