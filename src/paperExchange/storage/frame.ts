// Frames of the exchange store: some lines of rows and a seal with their checksum. They become durable together or not at all.

import { crc32c, crcText } from '../../base/number/crc32c.ts';
import { LINE_FEED } from '../records/rowStore.ts';
import { RECORDS } from './recordTable.ts';

/** The last line of a frame. */
export interface Seal {
  /** Number of the frame, from 1 across all files. */
  readonly seq: number;
  /** Time of the exchange, ms. */
  readonly timeMs: number;
  readonly crc: string;
}

/** The seal before the first frame. */
export const NO_FRAME: Seal = { seq: 0, timeMs: 0, crc: '00000000' };

/** Bytes of the checksum at the end of a seal: a comma, eight digits in quotes, and a bracket. It covers all bytes before them. */
const CHECKSUM_BYTES = 12;
/** No single bit error turns a seal into a row, or a row into a seal. */
const SEAL_HEAD = '["seal",';
const SEAL_PATTERN = /^\["seal",(\d{1,15}),(\d{1,15}),(\d{1,12}),"([0-9a-f]{8})"\]$/;
/** A complete seal followed by something other than a line feed. A torn write cannot leave that. */
const OVERLONG_SEAL_PATTERN = /^\["seal",[\d,]+"[0-9a-f]{8}"\]./s;
const ROW_PATTERN = new RegExp(`^\\["(head|${RECORDS.map(({ name }) => name).join('|')})",`);

/** Returns a complete frame and its seal. `rows`: lines of printable ASCII, each with its line feed. */
export function sealText(rows: string, seq: number, timeMs: number): { readonly text: string; readonly seal: Seal } {
  const head = `${SEAL_HEAD}${seq},${timeMs},${rows.length}`;
  const crc = crcText(crc32c(Buffer.from(rows + head, 'latin1')));
  return { text: `${rows}${head},"${crc}"]\n`, seal: { seq, timeMs, crc } };
}

/** A frame that was read back, with its positions in the file. */
export interface StoreFrame {
  readonly seal: Seal;
  /** Start of its first row. */
  readonly from: number;
  /** End of its last row, where the seal starts. */
  readonly rowsEnd: number;
  /** The position after its seal. */
  readonly end: number;
}

/** Returns the frame that begins at `from` and has number `seq`; null if it is incomplete or its checksum is wrong. */
export function frameAt(bytes: Buffer, from: number, seq: number): StoreFrame | null {
  const sealStart = sealAt(bytes, from);
  if (sealStart < 0) return null;
  const end = bytes.indexOf(LINE_FEED, sealStart);
  const fields = end < 0 ? null : SEAL_PATTERN.exec(bytes.toString('latin1', sealStart, end));
  if (fields === null || fields === undefined) return null;
  const crc = fields[4]!;
  const isExpected = Number(fields[1]) === seq && Number(fields[3]) === sealStart - from;
  if (!isExpected || crcText(crc32c(bytes, from, end - CHECKSUM_BYTES)) !== crc) return null;
  return { seal: { seq, timeMs: Number(fields[2]), crc }, from, rowsEnd: sealStart, end: end + 1 };
}

/** Returns the start of the next line that is a seal; -1 if no later line is one. */
function sealAt(bytes: Buffer, from: number): number {
  if (bytes.toString('latin1', from, from + SEAL_HEAD.length) === SEAL_HEAD) return from;
  const lineFeed = bytes.indexOf(`\n${SEAL_HEAD}`, from, 'latin1');
  return lineFeed < 0 ? -1 : lineFeed + 1;
}

/**
 * True when the bytes from `from` to the end of the file are what a torn append leaves. That is the start of a frame without its seal, or a
 * frame with holes of zeros. Anything else was changed later, and may have been acknowledged.
 */
export function isTornFrame(bytes: Buffer, from: number): boolean {
  if (bytes.indexOf(0, from) >= 0) return countCompleteFrames(bytes, from) === 0;
  if (sealAt(bytes, from) >= 0 && bytes.at(-1) === LINE_FEED) return false;
  for (let lineStart = from; lineStart < bytes.length;) {
    const lineEnd = bytes.indexOf(LINE_FEED, lineStart);
    if (lineEnd < 0) return !OVERLONG_SEAL_PATTERN.test(bytes.toString('latin1', lineStart));
    if (!isRow(bytes.toString('latin1', lineStart, lineEnd))) return false;
    lineStart = lineEnd + 1;
  }
  return true;
}

/** Returns the number of complete frames behind a hole. If there is one, a single append cannot have left the hole. */
function countCompleteFrames(bytes: Buffer, from: number): number {
  let frames = 0;
  for (let sealStart = sealAt(bytes, from); sealStart >= 0; sealStart = sealAt(bytes, bytes.indexOf(LINE_FEED, sealStart) + 1)) {
    const end = bytes.indexOf(LINE_FEED, sealStart);
    if (end < 0) break;
    if (end + 1 < bytes.length) frames++;
  }
  return frames;
}

/** True for a line that is a record of this version, as JSON. */
function isRow(line: string): boolean {
  try {
    return ROW_PATTERN.test(line) && Array.isArray(JSON.parse(line));
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
