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
// Bits of the field `codes`: the side, two flags, and the numbers of role, ending, strategy and instrument.
const SELL_BIT = 1;
const REDUCE_ONLY_BIT = 2;
const WAS_UNKNOWN_BIT = 4;
const ROLE_SHIFT = 3;
const ROLE_BITS = 3;
const ENDING_SHIFT = 6;
const ENDING_BITS = 4;
const STRATEGY_SHIFT = 10;
const STRATEGY_BITS = 8;
const INSTRUMENT_SHIFT = 18;
const INSTRUMENT_BITS = 14;

const OPEN = ENDINGS.indexOf('open');
const FILLED = ENDINGS.indexOf('filled');
const MARKET_ROLE = ROLES.indexOf('market');
const LIMIT_ROLE = ROLES.indexOf('limit');
const TRIGGER_ROLE = ROLES.indexOf('condition');
/** The number of different texts that a run may use for slots and codes. */
const MAX_TEXTS = 65_536;

/** A text and its number among the texts of the run. */
interface NumberedText {
  readonly text: string;
  readonly number: number;
}

/** The orders of a run as rows of numbers. `columns` turns them into columns once the run has ended. */
export class OrderLog {
  private readonly rows: RowLog | null;
  private readonly texts: string[] = [''];
  /** The number of each text: its position in `texts`. */
  private readonly textNumbers = new Map<string, number>([['', 0]]);

  /** The slots of the newest buy and the newest sell. The next orders mostly have the same slots, which saves hashing them. */
  private buySlot: NumberedText = { text: '', number: 0 };
  private sellSlot: NumberedText = { text: '', number: 0 };

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
    const newestSlot = order.sign > 0 ? this.buySlot : this.sellSlot;
    // hot: docs/performance.md#early-return
    if (newestSlot.text !== order.slot || !rowLog.isAt(row)) return this.turnPageAndWrite(order, ending, rowLog, row);
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
    page[offset + FIELD.texts] = newestSlot.number;
    if (order.code === null) return;
    page[offset + FIELD.texts] = newestSlot.number + this.numberOf(order.code) * MAX_TEXTS;
    // It was submitted as a market order but rested as a limit, so it is recorded as a limit.
    if (order.code === CAPPED && order.role === 'market' && order.firedAtTicks === 0)
      page[offset + FIELD.codes] = codesOf(order, ending) | (LIMIT_ROLE << ROLE_SHIFT);
  }

  /** Returns the columns of the first `count` orders after `base`, which must all be written. Throws InvariantError without a scratch. */
  columns(count: number): OrderColumns {
    if (this.rows === null) throw new InvariantError('this run has no order log');
    const columns = this.rows.columns(count);
    const columnOf = (field: number) => columns[field]!;
    const codes = columnOf(FIELD.codes);
    const texts = columnOf(FIELD.texts);
    const bits = (firstBit: number, bitCount: number) => bitsOf(codes, firstBit, bitCount);
    const ending = bits(ENDING_SHIFT, ENDING_BITS);
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
      role: bits(ROLE_SHIFT, ROLE_BITS),
      ending,
      strategy: bits(STRATEGY_SHIFT, STRATEGY_BITS),
      instrument: wideBitsOf(codes, INSTRUMENT_SHIFT, INSTRUMENT_BITS),
      texts: this.texts,
    };
  }
  /** Gives the memory back, once the columns have been read. */
  release(): void {
    this.rows?.release();
  }

  /** Writes an order that has another slot than the newest one of its side, or whose row is on another page. */
  private turnPageAndWrite(order: BotOrder, ending: DoneReason | 'open', rowLog: RowLog, row: number): void {
    const { sign, slot } = order;
    const newestSlot: NumberedText = { text: slot, number: this.numberOf(slot) };
    if (sign > 0) this.buySlot = newestSlot;
    else this.sellSlot = newestSlot;
    rowLog.turnTo(row);
    this.write(order, ending);
  }
  /** Returns the number of a text, and adds a new text to the list. 0, the number of the empty text, once the list is full. */
  private numberOf(text: string): number {
    const knownNumber = this.textNumbers.get(text);
    if (knownNumber !== undefined) return knownNumber;
    // Beyond this number of texts, the log keeps the order without its slot or code.
    if (this.texts.length === MAX_TEXTS) return 0;
    this.textNumbers.set(text, this.texts.length);
    return this.texts.push(text) - 1;
  }
}

interface RecordedTerms {
  readonly role: OrderRole;
  readonly price: number;
}

/** Returns the role and the price, in ticks, with which an order is recorded; 0: none. */
export function recordedTerms({ role, limit, parent, triggerTicks = 0 as Ticks, firedAtTicks = 0 as Ticks }: Order): RecordedTerms {
  const terms = { role, limit, parent, triggerTicks, firedAtTicks };
  return { role: ROLES[roleOf(terms)]!, price: priceOf(terms) };
}
/** The fields that decide the recorded role and price. */
type RoleTerms = Pick<BotOrder, 'role' | 'limit' | 'parent' | 'triggerTicks' | 'firedAtTicks'>;

/** Returns the price that is recorded, in ticks; 0 for none. */
function priceOf({ triggerTicks, limit, firedAtTicks, parent }: RoleTerms): number {
  if (triggerTicks > 0) return triggerTicks;
  return limit > 0 && (firedAtTicks === 0 || parent > 0) ? limit : firedAtTicks;
}

/** Returns the position in ROLES of the role that is recorded. A stop entry that the bot watches is recorded as a trigger order, as it is on futures. */
function roleOf({ role, triggerTicks, firedAtTicks }: RoleTerms): number {
  const isPlain = triggerTicks === 0 && firedAtTicks === 0;
  if (role === 'market') return isPlain ? MARKET_ROLE : TRIGGER_ROLE;
  return role === 'limit' && !isPlain ? TRIGGER_ROLE : ROLES.indexOf(role);
}

/** Returns the small whole numbers of an order, packed into one number. Hot: docs/performance.md#short-functions. */
function codesOf(order: BotOrder, ending: DoneReason | 'open'): number {
  return (
    (order.sign > 0 ? 0 : SELL_BIT) |
    (order.reduceOnly === true ? REDUCE_ONLY_BIT : 0) |
    (order.wasUnknown === true ? WAS_UNKNOWN_BIT : 0) |
    (roleOf(order) << ROLE_SHIFT) |
    ((ending === 'filled' ? FILLED : ENDINGS.indexOf(ending)) << ENDING_SHIFT) |
    (order.strategy << STRATEGY_SHIFT) |
    (order.instrumentIndex << INSTRUMENT_SHIFT)
  );
}
