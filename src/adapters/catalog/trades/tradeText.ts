// Reads trades from text: tables with or without a header, and the JSON of an exchange. Prices and quantities become exact integers.

import { ConfigError } from '../../../base/errors.ts';
import { MAX_EXACT } from '../../../base/number/exact.ts';
import { textOfChunks, type TextLines } from './textLines.ts';
import { withoutMark } from '../rows/formats.ts';
import { msOfDate, msOfUnix } from '../rows/timeText.ts';
import { withoutExponent } from '../rows/textRows.ts';
import type { TradeKind } from './trades.ts';

/** One trade of a file. `price` and `quantity` are whole numbers with their own number of decimals, without trailing zeros. */
export interface ReadTrade {
  id: number;
  timeMs: number;
  price: number;
  priceDigits: number;
  quantity: number;
  quantityDigits: number;
  takerSide: number;
}

/** Called for each trade with its line. The trade object is reused. */
export type TakeTrade = (trade: ReadTrade, line: number) => void;

/** The positions of the fields in a row. -1 for a missing field. */
interface FieldPositions {
  readonly id: number;
  readonly price: number;
  readonly quantity: number;
  readonly time: number;
  /** True when the order of the buyer rested. */
  readonly buyerMaker: number;
  /** BUY or SELL, the side of the taker. */
  readonly side: number;
  /** For own trades: whether we bought, and whether our order rested. */
  readonly buyer: number;
  readonly maker: number;
}

/** Names of each field in files, without case and punctuation. */
const FIELD_NAMES: Readonly<Record<keyof FieldPositions, readonly string[]>> = {
  id: ['id', 'tradeid', 'aggtradeid', 'aggregatetradeid', 'a', 't'],
  price: ['price', 'p'],
  quantity: ['qty', 'quantity', 'q', 'amount', 'vol', 'volume', 'size'],
  time: ['time', 'timems', 'timestamp', 'transacttime', 'T', 'ts', 'date'],
  buyerMaker: ['isbuyermaker', 'buyermaker', 'm'],
  side: ['side'],
  buyer: ['isbuyer'],
  maker: ['ismaker'],
};
/** Maximum number of decimals of a price or a quantity. */
const MAX_FIGURE_DIGITS = 15;
/** The character code of the digit 0. */
const ZERO = 0x30;
const AGGREGATE_IDS = ['aggtradeid', 'aggregatetradeid', 'a'];
const FILES_REMEDY = 'docs/data.md shows the files of trades';
const WHOLE_NUMBER = /^\d{1,16}$/;
const DECIMAL = /^\d+(?:\.\d+)?$/;
/** Maximum size of a JSON file. An answer of an exchange has at most a few thousand trades. */
const MAX_JSON_BYTES = 64 * 1024 * 1024;

/** Returns a name without case and punctuation. A single letter keeps its case, because an exchange uses both `t` and `T`. */
const plainName = (name: string): string => (name.trim().length === 1 ? name.trim() : name.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));

/** Returns the positions of the fields by their names. Null when a required field is missing. */
function positionsByName(names: readonly string[]): FieldPositions | null {
  const plainNames = names.map(plainName);
  const positionOf = (field: keyof FieldPositions) =>
    FIELD_NAMES[field].map((name) => plainNames.indexOf(name)).find((index) => index >= 0) ?? -1;
  const positions: FieldPositions = {
    id: positionOf('id'),
    price: positionOf('price'),
    quantity: positionOf('quantity'),
    time: positionOf('time'),
    buyerMaker: positionOf('buyerMaker'),
    side: positionOf('side'),
    buyer: positionOf('buyer'),
    maker: positionOf('maker'),
  };
  return Math.min(positions.id, positions.price, positions.quantity, positions.time) < 0 ? null : positions;
}

const NO_SIDE = { side: -1, buyer: -1, maker: -1 } as const;
const isFlag = (cell: string | undefined): boolean => /^(true|false)$/i.test(cell?.trim() ?? '');

/**
 * Returns the kind and the positions of a row without a header, recognised by the position of its `true` or `false`. Trades: id, price,
 * qty, quoteQty, time, isBuyerMaker. Aggregates: id, price, qty, first id, last id, time, isBuyerMaker. Null for any other row.
 */
function positionsInRow(cells: readonly string[]): readonly [TradeKind, FieldPositions] | null {
  const common = { id: 0, price: 1, quantity: 2, ...NO_SIDE };
  if (isFlag(cells[5])) return ['trades', { ...common, time: 4, buyerMaker: 5 }];
  return isFlag(cells[6]) ? ['aggregates', { ...common, time: 5, buyerMaker: 6 }] : null;
}

/** Reads the trades of one file. */
export class TradeFileReader {
  /** Null until the first row. */
  kind: TradeKind | null = null;
  /** Number of trades read. */
  rows = 0;
  private readonly file: string;
  private readonly take: TakeTrade;
  private positions: FieldPositions | null = null;
  private readonly trade: ReadTrade = { id: 0, timeMs: 0, price: 0, priceDigits: 0, quantity: 0, quantityDigits: 0, takerSide: 0 };
  /** The last decimal that was read: its digits as a whole number, and the number of decimals. */
  private figureUnits = 0;
  private figureDigits = 0;

  constructor(file: string, take: TakeTrade) {
    this.file = file;
    this.take = take;
  }

  /** Reads the whole text. Throws ConfigError with file and line of the first bad row. */
  async read(chunks: AsyncIterable<Uint8Array>): Promise<void> {
    const text = textOfChunks(chunks, this.file, MAX_JSON_BYTES);
    const first = await text.start();
    if (first === '[' || first === '{') this.readJson(await text.readAll());
    else await this.readTable(text);
    if (this.rows === 0) throw new ConfigError(`${this.file}: there are no trades in it`, 'fetch the file again');
  }

  /** Reads all lines of a CSV file. The first one that is not empty may be a header. */
  private async readTable(text: TextLines): Promise<void> {
    let line = 0;
    await text.forEachLine((row) => {
      line++;
      if (row.trim() === '') return;
      const cells = row.split(',');
      if (this.positions === null) {
        if (this.readHeader(cells, row)) return;
      }
      this.parseRow(line, cells);
    });
  }

  /** Finds the positions of the fields in the first row. Returns true when that row is a header. */
  private readHeader(cells: readonly string[], row: string): boolean {
    const bareCells = cells.map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
    if (WHOLE_NUMBER.test(bareCells[0] ?? '')) {
      const layout = positionsInRow(bareCells);
      if (layout === null)
        throw this.badRowError(
          1,
          `expected id, price, qty, quoteQty, time, isBuyerMaker, got ${JSON.stringify(row.slice(0, 80))}`,
          FILES_REMEDY,
        );
      [this.kind, this.positions] = layout;
      return false;
    }
    // A byte order mark may precede the header.
    const names = bareCells.map((name, i) => (i === 0 ? name.replace(/^\uFEFF/, '') : name));
    this.setNames(names, 1);
    return true;
  }

  /** Finds the columns by their names. Throws ConfigError if a needed one is missing. */
  private setNames(names: readonly string[], line: number): void {
    this.positions = positionsByName(names);
    if (this.positions === null)
      throw this.badRowError(
        line,
        `expected the fields id, price, qty and time, got ${JSON.stringify(names.join(',').slice(0, 80))}`,
        FILES_REMEDY,
      );
    this.kind = AGGREGATE_IDS.includes(plainName(names[this.positions.id]!)) ? 'aggregates' : 'trades';
  }

  /** Reads the trades of a JSON file, which may be a list or a reply that contains one. Throws ConfigError for other content. */
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
      if (typeof row !== 'object' || row === null || Array.isArray(row))
        throw this.badRowError(i + 1, 'expected an object for each trade', FILES_REMEDY);
      const fields = Object.entries(row);
      this.setNames(
        fields.map(([name]) => name),
        i + 1,
      );
      this.parseRow(
        i + 1,
        fields.map(([, cell]) => cellTextOf(cell)),
      );
    }
  }

  /** Reads one trade from the cells of a row, and hands it on. Throws ConfigError for an invalid cell. */
  private parseRow(line: number, cells: readonly string[]): void {
    const { trade, positions } = this;
    const cell = (position: number) => bareCell(cells[position]);
    const { id, price, quantity, time } = positions!;
    const idText = cell(id);
    trade.id = Number(idText);
    if (!WHOLE_NUMBER.test(idText) || trade.id > MAX_EXACT)
      throw this.badRowError(line, `id: expected a whole number, got ${JSON.stringify(idText)}`);
    this.readFigure(cell(price), 'price', line);
    trade.price = this.figureUnits;
    trade.priceDigits = this.figureDigits;
    this.readFigure(cell(quantity), 'qty', line);
    trade.quantity = this.figureUnits;
    trade.quantityDigits = this.figureDigits;
    const timeText = cell(time);
    // Times are cut to ms. Within a ms, the ids give the order.
    const timeMs = Math.floor(WHOLE_NUMBER.test(timeText) ? msOfUnix(Number(timeText)) : (msOfDate(timeText) ?? NaN));
    if (!(timeMs > 0)) throw this.badRowError(line, `time: expected a time of the years 2000 to 2099, got ${JSON.stringify(timeText)}`);
    trade.timeMs = timeMs;
    trade.takerSide = this.sideOf(cells, line);
    this.rows++;
    this.take(trade, line);
  }

  /** Returns the side of the taker: 1 a buyer, -1 a seller, 0 unknown. */
  private sideOf(cells: readonly string[], line: number): number {
    const { buyerMaker, side, buyer, maker } = this.positions!;
    const flag = (position: number, name: string): boolean => {
      const text = bareCell(cells[position]).toLowerCase();
      if (text !== 'true' && text !== 'false') throw this.badRowError(line, `${name}: expected true or false, got ${JSON.stringify(text)}`);
      return text === 'true';
    };
    if (buyerMaker >= 0) return flag(buyerMaker, 'isBuyerMaker') ? -1 : 1;
    if (side >= 0) {
      const text = bareCell(cells[side]).toUpperCase();
      if (text !== 'BUY' && text !== 'SELL') throw this.badRowError(line, `side: expected BUY or SELL, got ${JSON.stringify(text)}`);
      return text === 'BUY' ? 1 : -1;
    }
    // In a list of own trades, the taker bought if we bought as taker, or if we sold as maker.
    if (buyer >= 0 && maker >= 0) return flag(buyer, 'isBuyer') === flag(maker, 'isMaker') ? -1 : 1;
    return 0;
  }

  /** Reads a decimal above 0 into `figureUnits` and `figureDigits`. */
  private readFigure(cellText: string, name: string, line: number): void {
    const text = /^\d+(?:\.\d+)?[eE][-+]?\d{1,2}$/.test(cellText) ? withoutExponent(cellText) : cellText;
    if (!DECIMAL.test(text)) throw this.badRowError(line, `${name}: expected a plain decimal, got ${JSON.stringify(cellText)}`);
    const point = text.indexOf('.');
    let end = text.length;
    if (point >= 0) {
      while (text.charCodeAt(end - 1) === ZERO) end--;
      if (end - 1 === point) end = point;
    }
    this.figureDigits = end > point && point >= 0 ? end - point - 1 : 0;
    this.figureUnits = Number(this.figureDigits === 0 ? text.slice(0, end) : text.slice(0, point) + text.slice(point + 1, end));
    if (this.figureUnits === 0) throw this.badRowError(line, `${name}: expected a figure above 0, got ${JSON.stringify(cellText)}`);
    if (this.figureUnits > MAX_EXACT || this.figureDigits > MAX_FIGURE_DIGITS)
      throw this.badRowError(line, `${name}: ${cellText} has more digits than exact figures can have`);
  }

  /** Returns the error for a bad row. */
  private badRowError(
    line: number,
    reason: string,
    remedy = 'correct the row, or fetch the file again; nothing was imported',
  ): ConfigError {
    return new ConfigError(`${this.file}:${line}: ${reason}`, remedy);
  }
}

/** Returns the text of a cell without quotes. */
const bareCell = (cell: string | undefined): string => {
  const text = (cell ?? '').trim();
  return text.startsWith('"') ? text.replace(/^"(.*)"$/, '$1') : text;
};

/** Returns the list in an answer such as `{ list: [...] }`. Null without exactly one list. */
function listIn(value: unknown): readonly unknown[] | null {
  if (typeof value !== 'object' || value === null) return null;
  // The form of `isobar api --json`: no row may have been refused.
  const { answer } = value as { readonly answer?: { readonly rows?: unknown; readonly refused?: unknown } | null };
  if (Array.isArray(answer?.rows) && Array.isArray(answer.refused)) return answer.refused.length === 0 ? answer.rows : null;
  const lists = Object.values(value).filter((inner) => Array.isArray(inner));
  return lists.length === 1 ? (lists[0] as readonly unknown[]) : null;
}

function cellTextOf(value: unknown): string {
  return typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean' ? String(value) : '';
}
