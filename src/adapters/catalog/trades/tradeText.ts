// Reads trades from text: tables with or without a header, and the JSON of an exchange. Figures stay exact whole numbers.

import { ConfigError } from '../../../base/errors.ts';
import { MAX_EXACT } from '../../../base/number/exact.ts';
import { loadsOf, type TextLines } from './textLines.ts';
import { withoutMark } from '../rows/formats.ts';
import { msOfDate, msOfUnix } from '../rows/timeText.ts';
import { withoutExponent } from '../rows/textRows.ts';
import type { TradeKind } from './trades.ts';

/** One trade as read. `price` and `quantity` are whole, with their own decimals, without trailing zeros. */
export interface ReadTrade {
  id: number;
  timeMs: number;
  price: number;
  priceDigits: number;
  quantity: number;
  quantityDigits: number;
  takerSide: number;
}

/** Gets each trade with its line. The record is reused. */
export type TakeTrade = (trade: ReadTrade, line: number) => void;

/** Where a row has its fields. -1: it has no such field. */
interface Places {
  readonly id: number;
  readonly price: number;
  readonly quantity: number;
  readonly time: number;
  /** True where the buyer made the order that rested. */
  readonly buyerMaker: number;
  /** BUY or SELL, the side of the taker. */
  readonly side: number;
  /** For own trades: whether we bought, and whether our order rested. */
  readonly buyer: number;
  readonly maker: number;
}

const NAMES: Readonly<Record<keyof Places, readonly string[]>> = {
  id: ['id', 'tradeid', 'aggtradeid', 'aggregatetradeid', 'a', 't'],
  price: ['price', 'p'],
  quantity: ['qty', 'quantity', 'q', 'amount', 'vol', 'volume', 'size'],
  time: ['time', 'timems', 'timestamp', 'transacttime', 'T', 'ts', 'date'],
  buyerMaker: ['isbuyermaker', 'buyermaker', 'm'],
  side: ['side'],
  buyer: ['isbuyer'],
  maker: ['ismaker'],
};
const AGGREGATE_IDS = ['aggtradeid', 'aggregatetradeid', 'a'];
const FILES = 'docs/data.md shows the files of trades';
const WHOLE = /^\d{1,16}$/;
const DECIMAL = /^\d+(?:\.\d+)?$/;
/** An answer of an exchange has at most some thousand trades. */
const MAX_JSON_BYTES = 64 * 1024 * 1024;

/** A letter alone keeps its case, because an exchange has `t` and `T`. */
const plainName = (name: string): string => (name.trim().length === 1 ? name.trim() : name.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));

function placesOf(names: readonly string[]): Places | null {
  const plain = names.map(plainName);
  const placeOf = (field: keyof Places) => NAMES[field].map((name) => plain.indexOf(name)).find((at) => at >= 0) ?? -1;
  const places: Places = {
    id: placeOf('id'),
    price: placeOf('price'),
    quantity: placeOf('quantity'),
    time: placeOf('time'),
    buyerMaker: placeOf('buyerMaker'),
    side: placeOf('side'),
    buyer: placeOf('buyer'),
    maker: placeOf('maker'),
  };
  return Math.min(places.id, places.price, places.quantity, places.time) < 0 ? null : places;
}

const NO_SIDE = { side: -1, buyer: -1, maker: -1 } as const;
const isFlag = (cell: string | undefined): boolean => /^(true|false)$/i.test(cell?.trim() ?? '');

/**
 * Returns the places of a row without a header, by where it says true or false: id, price, qty, quoteQty, time, isBuyerMaker; or of
 * aggregates: id, price, qty, first id, last id, time, isBuyerMaker. Null for any other row.
 */
function placesOfRow(cells: readonly string[]): readonly [TradeKind, Places] | null {
  const common = { id: 0, price: 1, quantity: 2, ...NO_SIDE };
  if (isFlag(cells[5])) return ['trades', { ...common, time: 4, buyerMaker: 5 }];
  return isFlag(cells[6]) ? ['aggregates', { ...common, time: 5, buyerMaker: 6 }] : null;
}

/** Reads the trades of one file. */
export class TradeReader {
  /** Null until the first row. */
  kind: TradeKind | null = null;
  rows = 0;
  private readonly file: string;
  private readonly take: TakeTrade;
  private places: Places | null = null;
  private readonly trade: ReadTrade = { id: 0, timeMs: 0, price: 0, priceDigits: 0, quantity: 0, quantityDigits: 0, takerSide: 0 };
  private whole = 0;
  private digits = 0;

  constructor(file: string, take: TakeTrade) {
    this.file = file;
    this.take = take;
  }

  /** Reads the whole text. Throws ConfigError with file and line of the first bad row. */
  async read(chunks: AsyncIterable<Uint8Array>): Promise<void> {
    const text = loadsOf(chunks, this.file, MAX_JSON_BYTES);
    const first = await text.start();
    if (first === '[' || first === '{') this.readJson(await text.whole());
    else await this.readTable(text);
    if (this.rows === 0) throw new ConfigError(`${this.file}: there are no trades in it`, 'fetch the file again');
  }

  private async readTable(text: TextLines): Promise<void> {
    let line = 0;
    await text.lines((row) => {
      line++;
      if (row.trim() === '') return;
      const cells = row.split(',');
      if (this.places === null) {
        if (this.readHeader(cells, row)) return;
      }
      this.takeRow(line, cells);
    });
  }

  /** Returns false for the first row of a file without a header, whose places it finds. */
  private readHeader(cells: readonly string[], row: string): boolean {
    const bare = cells.map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
    if (WHOLE.test(bare[0] ?? '')) {
      const found = placesOfRow(bare);
      if (found === null)
        throw this.bad(1, `expected id, price, qty, quoteQty, time, isBuyerMaker, got ${JSON.stringify(row.slice(0, 80))}`, FILES);
      [this.kind, this.places] = found;
      return false;
    }
    // A byte order mark may precede the header.
    const names = bare.map((name, i) => (i === 0 ? name.replace(/^\uFEFF/, '') : name));
    this.setNames(names, 1);
    return true;
  }

  private setNames(names: readonly string[], line: number): void {
    this.places = placesOf(names);
    if (this.places === null)
      throw this.bad(line, `expected the fields id, price, qty and time, got ${JSON.stringify(names.join(',').slice(0, 80))}`, FILES);
    this.kind = AGGREGATE_IDS.includes(plainName(names[this.places.id]!)) ? 'aggregates' : 'trades';
  }

  private readJson(bytes: Uint8Array): void {
    let value: unknown;
    try {
      value = JSON.parse(Buffer.from(bytes).toString('utf8', withoutMark(bytes)));
    } catch (error) {
      throw new ConfigError(`${this.file}: no valid JSON: ${error instanceof Error ? error.message : String(error)}`, 'fetch it again');
    }
    const list = Array.isArray(value) ? value : listIn(value);
    if (list === null) throw new ConfigError(`${this.file}: expected a list of trades`, 'save the answer of the exchange as it is');
    for (const [i, row] of (list as readonly unknown[]).entries()) {
      if (typeof row !== 'object' || row === null || Array.isArray(row)) throw this.bad(i + 1, 'expected an object for each trade', FILES);
      const fields = Object.entries(row);
      this.setNames(
        fields.map(([name]) => name),
        i + 1,
      );
      this.takeRow(
        i + 1,
        fields.map(([, cell]) => textOf(cell)),
      );
    }
  }

  private takeRow(line: number, cells: readonly string[]): void {
    const { trade, places } = this;
    const cell = (at: number) => bareCell(cells[at]);
    const { id, price, quantity, time } = places!;
    const idText = cell(id);
    trade.id = Number(idText);
    if (!WHOLE.test(idText) || trade.id > MAX_EXACT) throw this.bad(line, `id: expected a whole number, got ${JSON.stringify(idText)}`);
    this.readFigure(cell(price), 'price', line);
    trade.price = this.whole;
    trade.priceDigits = this.digits;
    this.readFigure(cell(quantity), 'qty', line);
    trade.quantity = this.whole;
    trade.quantityDigits = this.digits;
    const when = cell(time);
    // Times finer than a ms are cut: order within a ms is by id.
    const timeMs = Math.floor(WHOLE.test(when) ? msOfUnix(Number(when)) : (msOfDate(when) ?? NaN));
    if (!(timeMs > 0)) throw this.bad(line, `time: expected a time of the years 2000 to 2099, got ${JSON.stringify(when)}`);
    trade.timeMs = timeMs;
    trade.takerSide = this.sideOf(cells, line);
    this.rows++;
    this.take(trade, line);
  }

  private sideOf(cells: readonly string[], line: number): number {
    const { buyerMaker, side, buyer, maker } = this.places!;
    const flag = (at: number, name: string): boolean => {
      const text = bareCell(cells[at]).toLowerCase();
      if (text !== 'true' && text !== 'false') throw this.bad(line, `${name}: expected true or false, got ${JSON.stringify(text)}`);
      return text === 'true';
    };
    if (buyerMaker >= 0) return flag(buyerMaker, 'isBuyerMaker') ? -1 : 1;
    if (side >= 0) {
      const text = bareCell(cells[side]).toUpperCase();
      if (text !== 'BUY' && text !== 'SELL') throw this.bad(line, `side: expected BUY or SELL, got ${JSON.stringify(text)}`);
      return text === 'BUY' ? 1 : -1;
    }
    // In own trades the taker bought if we bought as taker, or sold as maker.
    if (buyer >= 0 && maker >= 0) return flag(buyer, 'isBuyer') === flag(maker, 'isMaker') ? -1 : 1;
    return 0;
  }

  /** Writes `whole` and `digits` of a decimal above 0. */
  private readFigure(given: string, name: string, line: number): void {
    const text = /^\d+(?:\.\d+)?[eE][-+]?\d{1,2}$/.test(given) ? withoutExponent(given) : given;
    if (!DECIMAL.test(text)) throw this.bad(line, `${name}: expected a plain decimal, got ${JSON.stringify(given)}`);
    const point = text.indexOf('.');
    let end = text.length;
    if (point >= 0) {
      while (text.charCodeAt(end - 1) === 0x30) end--;
      if (end - 1 === point) end = point;
    }
    this.digits = end > point && point >= 0 ? end - point - 1 : 0;
    this.whole = Number(this.digits === 0 ? text.slice(0, end) : text.slice(0, point) + text.slice(point + 1, end));
    if (this.whole === 0) throw this.bad(line, `${name}: expected a figure above 0, got ${JSON.stringify(given)}`);
    if (this.whole > MAX_EXACT || this.digits > 15) throw this.bad(line, `${name}: ${given} has more digits than exact figures can have`);
  }

  private bad(line: number, reason: string, remedy = 'correct the row, or fetch the file again; nothing was imported'): ConfigError {
    return new ConfigError(`${this.file}:${line}: ${reason}`, remedy);
  }
}

const bareCell = (cell: string | undefined): string => {
  const text = (cell ?? '').trim();
  return text.startsWith('"') ? text.replace(/^"(.*)"$/, '$1') : text;
};

/** Returns the list in an answer such as `{ list: [...] }`, or the answer itself where it is one trade. */
function listIn(value: unknown): readonly unknown[] | null {
  if (typeof value !== 'object' || value === null) return null;
  const lists = Object.values(value).filter((inner) => Array.isArray(inner));
  return lists.length === 1 ? (lists[0] as readonly unknown[]) : null;
}

function textOf(value: unknown): string {
  return typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean' ? String(value) : '';
}
