// The orders of a run in columns: one row for each order, written once when the order ends.

import * as rows from '../base/memory/rowLog.ts';
import { InvariantError } from '../base/errors.ts';
import { bitsOf, RowLog, wideBitsOf, type Scratch } from '../base/memory/rowLog.ts';
import { ENDINGS, ROLES, type OrderColumns } from '../model/run/run.ts';
import { CAPPED, type DoneReason, type Order, type OrderRole } from '../model/order.ts';
import type { Ticks } from '../base/brand.ts';
import type { BotOrder } from './botOrder.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

// hot: docs/performance.md#imported-constants
const { rowInPage } = rows;

/** Fields of a row. Small whole numbers share one field, which keeps a row short and in one piece of memory. */
const FIELD = {
  parent: 0,
  lots: 1,
  quoteUnits: 2,
  limit: 3,
  filledLots: 4,
  filledUnits: 5,
  createdMs: 6,
  arrivedMs: 7,
  changedMs: 8,
  codes: 9,
  texts: 10,
} as const;
const WIDTH = 11;
const OPEN = ENDINGS.indexOf('open');
const FILLED = ENDINGS.indexOf('filled');
const LIMIT = ROLES.indexOf('limit');
const TRIGGER_ROLE = ROLES.indexOf('condition');
/** The number of different texts that a run may use for slots and codes. */
const MAX_TEXTS = 65_536;

/** A text and its number among the texts of the run. */
interface NumberedText {
  readonly text: string;
  readonly at: number;
}

/** The orders of a run as rows of numbers. `columns` turns them into columns once the run has ended. */
export class OrderLog {
  private readonly rows: RowLog | null;
  private readonly texts: string[] = [''];
  private readonly textAt = new Map<string, number>([['', 0]]);

  /** The slots of the newest buy and the newest sell. The next orders mostly have the same slots, which saves hashing them. */
  private buys: NumberedText = { text: '', at: 0 };
  private sells: NumberedText = { text: '', at: 0 };

  /** Number of the last order before the first row: orders of an earlier process have no row. */
  base = 0;

  /** Without a scratch no order is logged: a sweep compares its parameter sets by their fills. */
  constructor(scratch: Scratch | null) {
    this.rows = scratch === null ? null : new RowLog(WIDTH, scratch);
  }

  /** Writes the row of an order that has ended, or that is still open when the run ends. `ending`: its reason, which most callers know. */
  write(order: BotOrder, ending: DoneReason | 'open'): void {
    const rowLog = this.rows;
    const row = order.id - this.base - 1;
    if (rowLog === null || row < 0) return;
    const newest = order.sign > 0 ? this.buys : this.sells;
    // hot: docs/performance.md#early-return
    if (newest.text !== order.slot || !rowLog.isAt(row)) return this.turnPageAndWrite(order, ending, rowLog, row);
    const { page } = rowLog;
    const offset = rowInPage(row) * WIDTH;
    page[offset + FIELD.parent] = order.parent;
    page[offset + FIELD.lots] = order.lots;
    page[offset + FIELD.quoteUnits] = order.quoteUnits;
    page[offset + FIELD.limit] = priceOf(order);
    page[offset + FIELD.filledLots] = order.filledLots;
    page[offset + FIELD.filledUnits] = order.filledUnits;
    page[offset + FIELD.createdMs] = order.createdMs;
    page[offset + FIELD.arrivedMs] = order.arrivedMs;
    page[offset + FIELD.changedMs] = order.changedMs;
    page[offset + FIELD.codes] = codesOf(order, ending);
    page[offset + FIELD.texts] = newest.at;
    if (order.code === null) return;
    page[offset + FIELD.texts] = newest.at + this.text(order.code) * MAX_TEXTS;
    // It was submitted as a market order but rested as a limit, so it is recorded as a limit.
    if (order.code === CAPPED && order.role === 'market' && order.firedAtTicks === 0)
      page[offset + FIELD.codes] = codesOf(order, ending) | (LIMIT << 3);
  }

  /** Returns the columns of the first `count` orders after `base`, which must all be written. Throws InvariantError without a scratch. */
  columns(count: number): OrderColumns {
    if (this.rows === null) throw new InvariantError('this run has no order log');
    const columns = this.rows.columns(count);
    const columnOf = (field: number) => columns[field]!;
    const codes = columnOf(FIELD.codes);
    const texts = columnOf(FIELD.texts);
    const bits = (from: number, width: number) => bitsOf(codes, from, width);
    const ending = bits(6, 4);
    return {
      length: count,
      id: codes.map((_, row) => this.base + row + 1),
      parent: columnOf(FIELD.parent),
      lots: columnOf(FIELD.lots),
      quoteUnits: columnOf(FIELD.quoteUnits),
      limit: columnOf(FIELD.limit),
      filledLots: columnOf(FIELD.filledLots),
      filledUnits: columnOf(FIELD.filledUnits),
      createdMs: columnOf(FIELD.createdMs),
      arrivedMs: columnOf(FIELD.arrivedMs),
      doneMs: columnOf(FIELD.changedMs).map((ms, row) => (ending[row] === OPEN ? NAN : ms)),
      slot: texts.map((text) => text % MAX_TEXTS),
      code: texts.map((text) => Math.floor(text / MAX_TEXTS)),
      side: bits(0, 1),
      reduceOnly: bits(1, 1),
      wasUnknown: bits(2, 1),
      role: bits(3, 3),
      ending,
      strategy: bits(10, 8),
      instrument: wideBitsOf(codes, 18, 14),
      texts: this.texts,
    };
  }
  /** Gives the memory back, once the columns have been read. */
  release(): void {
    this.rows?.release();
  }

  /** Writes an order whose slot is not on the current page: keeps the slot for the side, turns the page, then writes. */
  private turnPageAndWrite(order: BotOrder, ending: DoneReason | 'open', rowLog: RowLog, row: number): void {
    const { sign, slot } = order;
    const numbered: NumberedText = { text: slot, at: this.text(slot) };
    if (sign > 0) this.buys = numbered;
    else this.sells = numbered;
    rowLog.turnTo(row);
    this.write(order, ending);
  }
  /** Returns the number of a text, and adds it at first sight. 0, the empty text, once the list is full. */
  private text(text: string): number {
    const earlierRow = this.textAt.get(text);
    if (earlierRow !== undefined) return earlierRow;
    // Beyond this number of slots, the log keeps the order without its slot.
    if (this.texts.length === MAX_TEXTS) return 0;
    this.textAt.set(text, this.texts.length);
    return this.texts.push(text) - 1;
  }
}

/** Returns the role and the price, in ticks, with which an order is recorded; 0: none. */
export function recordedTerms({ role, limit, parent, triggerTicks = 0 as Ticks, firedAtTicks = 0 as Ticks }: Order): RecordedTerms {
  const terms = { role, limit, parent, triggerTicks, firedAtTicks };
  return { role: ROLES[roleOf(terms)]!, price: priceOf(terms) };
}
interface RecordedTerms {
  readonly role: OrderRole;
  readonly price: number;
}
type Terms = Pick<BotOrder, 'role' | 'limit' | 'parent' | 'triggerTicks' | 'firedAtTicks'>;

function priceOf({ triggerTicks, limit, firedAtTicks, parent }: Terms): number {
  if (triggerTicks > 0) return triggerTicks;
  return limit > 0 && (firedAtTicks === 0 || parent > 0) ? limit : firedAtTicks;
}

/** Returns the role that is recorded. A stop entry that the bot watches is recorded as a trigger order, as it is on futures. */
function roleOf({ role, triggerTicks, firedAtTicks }: Terms): number {
  const isPlain = triggerTicks === 0 && firedAtTicks === 0;
  if (role === 'market') return isPlain ? 0 : TRIGGER_ROLE;
  return role === 'limit' && !isPlain ? TRIGGER_ROLE : ROLES.indexOf(role);
}

/** Returns the small whole numbers of an order, packed into one number. Hot: docs/performance.md#short-functions. */
function codesOf(order: BotOrder, ending: DoneReason | 'open'): number {
  return (
    (order.sign > 0 ? 0 : 1) |
    (order.reduceOnly === true ? 2 : 0) |
    (order.wasUnknown === true ? 4 : 0) |
    (roleOf(order) << 3) |
    ((ending === 'filled' ? FILLED : ENDINGS.indexOf(ending)) << 6) |
    (order.strategy << 10) |
    (order.instrumentIndex << 18)
  );
}
