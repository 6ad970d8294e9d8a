// Reads a text file of bars in chunks: splits it into lines, detects the columns from the first lines, and takes the others as rows.

import { ConfigError } from '../../../base/errors.ts';
import { isAddress, layoutOf, type LayoutRules } from './csvLayout.ts';
import { withoutMark, type BarFormat } from '../rows/formats.ts';
import { RowCollector, type ParsedFile, type RowRules } from '../rows/rowCollector.ts';
import { TextRows } from '../rows/textRows.ts';

/** A longer line is not a row of bars, and is not buffered. */
const MAX_LINE_LENGTH = 65_536;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** Reads the rows of a CSV file from its chunks of bytes. */
export class CsvFile {
  /** The detected format. It is `csv` until the header or the first row is read. */
  format: BarFormat = 'csv';
  /** Number of lines read. */
  private lineCount = 0;
  private lineEnd = NEWLINE;
  /** The unfinished last line of the chunks read. */
  private unfinishedLine: Buffer = Buffer.alloc(0);
  private rows: TextRows | null = null;
  private collector: RowCollector | null = null;
  private isAfterAddress = false;
  private isStrict = true;
  private readonly rules: RowRules & LayoutRules;

  constructor(rules: RowRules & LayoutRules) {
    this.rules = rules;
  }

  /** Number of rows kept. */
  get rowsTaken(): number {
    return this.collector?.rows ?? 0;
  }

  /** The last line read, for messages. */
  get reached(): string {
    return `line ${this.lineCount}`;
  }

  /** Takes a chunk. Only its unfinished last line is kept. */
  addChunk(bytes: Uint8Array): void {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let lineStart = this.lineCount === 0 && this.unfinishedLine.length === 0 ? withoutMark(chunk) : 0;
    if (this.lineCount === 0) this.lineEnd = lineEndOf(chunk);
    if (this.unfinishedLine.length > 0) {
      const end = chunk.indexOf(this.lineEnd);
      const piece = end < 0 ? chunk : chunk.subarray(0, end);
      this.checkLength(this.unfinishedLine.length + piece.length);
      this.unfinishedLine = Buffer.concat([this.unfinishedLine, piece]);
      if (end < 0) return;
      this.addLine(this.unfinishedLine, 0, this.unfinishedLine.length);
      lineStart = end + 1;
    }
    for (let end = chunk.indexOf(this.lineEnd, lineStart); end >= 0; end = chunk.indexOf(this.lineEnd, lineStart)) {
      this.addLine(chunk, lineStart, end);
      lineStart = end + 1;
    }
    this.checkLength(chunk.length - lineStart);
    this.unfinishedLine = Buffer.from(chunk.subarray(lineStart));
  }

  /** Ends the file. The last line may lack its line end. */
  finish(): ParsedFile {
    if (this.unfinishedLine.length > 0) this.addLine(this.unfinishedLine, 0, this.unfinishedLine.length);
    const { file } = this.rules;
    if (this.lineCount === 0) throw new ConfigError(`${file}: the file is empty`, 'fetch the file again');
    if (this.collector === null) throw new ConfigError(`${file}: there are no rows in it`, 'fetch the file again');
    return this.collector.parsed();
  }

  private addLine(bytes: Buffer, from: number, until: number): void {
    this.checkLength(until - from);
    this.lineCount++;
    const to = until > from && bytes[until - 1] === RETURN ? until - 1 : until;
    if (this.rows) this.parseRow(bytes, from, to);
    else this.readHead(bytes, from, to);
  }

  /** Reads the first line, from which the layout of all rows follows. A line before it that is only an address is skipped. */
  private readHead(bytes: Buffer, from: number, to: number): void {
    const text = bytes.toString('utf8', from, to);
    if (this.lineCount === 1 && isAddress(text)) {
      this.isAfterAddress = true;
      return;
    }
    const layout = layoutOf(text, this.placeOf(this.lineCount), this.rules, this.isAfterAddress);
    this.format = layout.format;
    this.isStrict = layout.strict;
    this.collector = new RowCollector(this.rules, (line) => this.placeOf(line), layout.strict);
    this.rows = new TextRows(this.collector, layout);
    if (layout.isRow) this.rows.parseLine(this.lineCount, bytes, from, to);
  }

  private parseRow(bytes: Buffer, from: number, to: number): void {
    // Other programs may end a file with empty lines; isobar's own layout has none.
    if (from < to || this.isStrict) this.rows?.parseLine(this.lineCount, bytes, from, to);
  }

  private placeOf(line: number): string {
    return `${this.rules.file}:${line}`;
  }

  private checkLength(bytes: number): void {
    if (bytes <= MAX_LINE_LENGTH) return;
    throw new ConfigError(
      `${this.placeOf(this.lineCount + 1)}: a line of more than ${MAX_LINE_LENGTH} bytes`,
      'this is not a file of bars, or its line ends are lost',
    );
  }
}

/** Returns the line end: a newline, possibly after a carriage return, or a carriage return alone, as some spreadsheets write. */
function lineEndOf(chunk: Buffer): number {
  const isAlone = !chunk.includes(NEWLINE) && chunk.subarray(0, -1).includes(RETURN);
  return isAlone ? RETURN : NEWLINE;
}
