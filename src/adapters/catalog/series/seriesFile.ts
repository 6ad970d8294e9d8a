// Reads a file of mark prices or funding rates: text with a header, plain, gzip or zip, or freqtrade's feather.

import { largestOf } from '../../../base/number/extremes.ts';
import { ConfigError } from '../../../base/errors.ts';
import { GrowingColumn } from '../../../base/memory/growingColumn.ts';
import { withArrowFile } from '../arrow/arrowReader.ts';
import { loadInflate } from '../arrow/inflate.ts';
import type { SeriesKey } from '../files/paths.ts';
import { formatOf } from '../rows/formats.ts';
import { inspectFile, openPacked, unpackError } from '../readers/packedFile.ts';
import { decimalsIn, withoutExponent } from '../rows/textRows.ts';
import { msOfDate, msOfUnix } from '../rows/timeText.ts';
import { FIGURES, isSameFunding, seriesProblem, type SeriesColumns } from './seriesColumns.ts';

/** Common column names, without case and punctuation, in order of preference. freqtrade stores rates as `open`. */
const TIME_NAMES = ['opentimems', 'opentime', 'fundingtimems', 'fundingtime', 'calctime', 'timestamp', 'time', 'datetime', 'date'];
const RATE_NAMES = ['fundingrate', 'lastfundingrate', 'rate', 'open'];
const HEADERS: Readonly<Record<SeriesKey['kind'], string>> = {
  mark: 'open_time_ms,open,high,low,close',
  funding: 'funding_time_ms,funding_rate',
};
const NUMBER = /^[-+]?\d+(\.\d*)?([eE][-+]?\d{1,3})?$/;
/** A value that needs more decimals is a rounding error of a computation. */
const MAX_DIGITS = 16;

/** Reads all rows of the file, which may be newest first. Throws ConfigError with file and line of the first bad row. */
export async function readSeries(path: string, key: SeriesKey): Promise<SeriesColumns> {
  const head = inspectFile(path);
  if (head.packing === 'none' && formatOf(head.bytes, path) === 'feather') return readFeather(path, key);
  const { chunks } = openPacked(path, head);
  const rows = new SeriesRows(path, key);
  let line = 0;
  let columns: readonly number[] | null = null;
  const parseLine = (text: string): void => {
    line++;
    if (text.trim() === '') return;
    const cells = text.split(',').map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
    if (columns === null) columns = columnsOf(cells, path, key);
    else
      rows.addText(
        line,
        columns.map((column) => cells[column] ?? ''),
      );
  };
  try {
    const decoder = new TextDecoder('utf-8', { fatal: false });
    let unfinishedLine = '';
    for await (const chunk of chunks) {
      // A carriage return alone ends a line too, except at the end of a chunk: the newline may follow in the next one.
      const lines = (unfinishedLine + decoder.decode(chunk, { stream: true })).split(/\r?\n|\r(?!$|\n)/);
      unfinishedLine = lines.pop() ?? '';
      lines.forEach(parseLine);
    }
    if (unfinishedLine !== '') parseLine(unfinishedLine);
  } catch (error) {
    throw unpackError(path, head, `line ${line}`, error);
  }
  return rows.columns();
}

/** Returns the positions of the time and of the figures in a row. Throws ConfigError when a column is missing. */
function columnsOf(header: readonly string[], path: string, key: SeriesKey): readonly number[] {
  const names = header.map((cell) => cell.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));
  const indexOfAny = (candidates: readonly string[]) => candidates.map((name) => names.indexOf(name)).find((index) => index >= 0) ?? -1;
  const figurePositions = key.kind === 'mark' ? FIGURES.mark.map((name) => indexOfAny([name])) : [indexOfAny(RATE_NAMES)];
  const positions = [indexOfAny(TIME_NAMES), ...figurePositions];
  if (positions.every((position) => position >= 0)) return positions;
  const shownText = JSON.stringify(header.join(',').slice(0, 60));
  throw new ConfigError(
    `${path}:1: expected the header ${HEADERS[key.kind]}, got ${shownText}`,
    'docs/futures.md shows the files of marks and funding',
  );
}

/** Reads a feather file of freqtrade. */
async function readFeather(path: string, key: SeriesKey): Promise<SeriesColumns> {
  const inflate = await loadInflate();
  return withArrowFile(
    path,
    (file) => {
      const hasRateColumn = file.fields.some(({ name }) => name === 'funding_rate');
      const names = key.kind === 'mark' ? FIGURES.mark : [hasRateColumn ? 'funding_rate' : 'open'];
      const time = file.fields.find(({ kind }) => kind === 'timestamp')?.name ?? 'date';
      const columns = [time, ...names].map(() => new Float64Array(file.rows));
      file.readTimes(time, 0, columns[0]!);
      names.forEach((name, i) => file.readFloats(name, 0, columns[i + 1]!));
      const rows = new SeriesRows(path, key);
      for (let row = 0; row < file.rows; row++)
        rows.addNumbers(
          row + 1,
          columns.map((column) => column[row]!),
        );
      return rows.columns();
    },
    inflate,
  );
}

/** Collects rows in the order of the file. */
class SeriesRows {
  private readonly path: string;
  private readonly key: SeriesKey;
  private readonly timeMs = new GrowingColumn();
  private readonly figures: readonly GrowingColumn[];
  private digits = 0;

  constructor(path: string, key: SeriesKey) {
    this.path = path;
    this.key = key;
    this.figures = FIGURES[key.kind].map(() => new GrowingColumn());
  }

  /** Adds a row of text: the time, then the figures. */
  addText(line: number, [time = '', ...cells]: readonly string[]): void {
    const wrongCell = cells.find((cell) => !NUMBER.test(cell));
    if (wrongCell !== undefined) throw this.badRowError(line, `expected a number, got ${JSON.stringify(wrongCell)}`);
    const timeMs = /^\d+$/.test(time) ? msOfUnix(Number(time)) : (msOfDate(time) ?? NaN);
    if (!(timeMs > 0)) throw this.badRowError(line, `expected a time, got ${JSON.stringify(time)}`);
    this.addRow(line, timeMs, cells.map(Number), largestOf(cells.map(digitsIn)));
  }
  /** Adds a row of doubles. Each means the shortest decimal that reads back as the same double. */
  addNumbers(line: number, [timeMs = NaN, ...figures]: readonly number[]): void {
    const digits = figures.reduce((max, figure) => decimalsIn(Math.abs(figure), max, MAX_DIGITS), 0);
    this.addRow(line, timeMs, figures, digits);
  }

  /** Returns all rows, oldest first. Throws ConfigError if there are no rows. */
  columns(): SeriesColumns {
    const { timeMs, figures, digits } = this;
    if (timeMs.length === 0) throw new ConfigError(`${this.path}: there are no rows in it`, 'fetch the file again');
    const columns = [timeMs, ...figures].map((column) => column.view().slice());
    if (this.isFalling) for (const column of columns) column.reverse();
    const [times = new Float64Array(0), ...figureColumns] = columns;
    return { length: times.length, timeMs: times, figures: figureColumns, digits };
  }

  /** Checks a row and adds it. A repeated row is skipped. */
  private addRow(line: number, timeMs: number, figures: readonly number[], digits: number): void {
    const problem = seriesProblem(this.key, timeMs, figures, digits);
    if (problem !== null) throw this.badRowError(line, problem);
    const { length } = this.timeMs;
    const lastMs = this.timeMs.values[length - 1] ?? NaN;
    const isSameTime = this.key.kind === 'funding' ? isSameFunding(timeMs, lastMs) : timeMs === lastMs;
    if (length > 0 && isSameTime && this.figures.every((column, i) => column.values[length - 1] === figures[i])) return;
    const isOutOfOrder = length > 0 && (timeMs === lastMs || (length > 1 && timeMs < lastMs !== this.isFalling));
    if (isOutOfOrder) throw this.badRowError(line, 'the times neither rise nor fall from the first row to the last');
    if (isSameTime) throw this.badRowError(line, 'the funding time of the row before it has another rate');
    this.timeMs.push(timeMs);
    this.figures.forEach((column, i) => column.push(figures[i]!));
    this.digits = Math.max(this.digits, digits);
  }

  /** True when the file has its newest row first. */
  private get isFalling(): boolean {
    return this.timeMs.length > 1 && this.timeMs.values[1]! < this.timeMs.values[0]!;
  }

  /** Returns the error for a bad row. */
  private badRowError(line: number, reason: string): ConfigError {
    return new ConfigError(`${this.path}:${line}: ${reason}`, 'correct the row, or fetch the file again; nothing was imported');
  }
}

/** Returns the number of decimals of a number as written, without trailing zeros. */
function digitsIn(text: string): number {
  const plain = /e/i.test(text) ? withoutExponent(text.replace(/^[-+]/, '')) : text;
  return (plain.split('.')[1] ?? '').replace(/0+$/, '').length;
}
