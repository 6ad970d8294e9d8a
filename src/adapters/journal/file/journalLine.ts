// Writes and parses a record as one line of JSON in plain ASCII. The line begins with `seq` and ends with a checksum of all before it.

import { InvariantError } from '../../../base/errors.ts';
import { crc32c, crcText } from '../../../base/number/crc32c.ts';
import type { RecordField } from '../records/fields.ts';
import { journalGuards } from '../records/guards.ts';
import { isRecordKind, RECORD_KINDS, type RecordBody, type JournalRecord, type RecordKind } from '../records/records.ts';

/** The text before and after the eight digits of the checksum. */
const [SEAL_HEAD, SEAL_END] = [',"crc":"', '"}'].map((text) => Buffer.from(text)) as [Buffer, Buffer];
/** Number of hex digits of a checksum. */
const CRC_DIGITS = 8;
const SEAL_BYTES = SEAL_HEAD.length + CRC_DIGITS + SEAL_END.length;
/** A longer line is invalid. */
const MAX_LINE_BYTES = 1 << 20;

/** A member of a record kind. */
interface Member {
  readonly name: string;
  readonly field: RecordField<unknown>;
}
const MEMBERS = new Map<string, readonly Member[]>(
  Object.entries(RECORD_KINDS).map(([kind, fields]) => [kind, Object.entries(fields).map(([name, field]) => ({ name, field }))]),
);

/** A record as a line of the file. */
export interface JournalLine {
  /** Includes the line feed. */
  readonly text: string;
  readonly crc: string;
}

/** Returns the line of a record. Throws InvariantError for a body that could not be read back. */
export function lineOf<K extends RecordKind>(seq: number, timeMs: number, kind: K, body: RecordBody<K>, durableSeq: number): JournalLine {
  // hot: docs/performance.md#whole-json
  const head = `{"seq":${seq},"t":${timeMs},"k":"${kind}",${escapedAscii(JSON.stringify(bodyMembers(kind, body))).slice(1, -1)},"dur":${durableSeq}`;
  if (head.length > MAX_LINE_BYTES - SEAL_BYTES)
    throw new InvariantError(`journal ${kind}: ${head.length} bytes are more than a record holds`);
  const crc = crcText(crc32c(bytesOf(head), 0, head.length));
  return { text: `${head},"crc":"${crc}"}\n`, crc };
}

/**
 * Checks that all members of a kind can be read back, and returns them in the order of the table. That is the body itself if it has exactly
 * these members in this order.
 */
function bodyMembers<K extends RecordKind>(kind: K, body: RecordBody<K>): object {
  const valuesByName: Readonly<Record<string, unknown>> = body;
  const members = MEMBERS.get(kind)!;
  const names = Object.keys(valuesByName);
  let isInTableOrder = names.length === members.length;
  for (let index = 0; index < members.length; index++) {
    const { name, field } = members[index]!;
    const value = valuesByName[name];
    if (!field.accepts(value)) throw new InvariantError(`journal ${kind} ${name}: expected ${field.expects}, got ${String(value)}`);
    isInTableOrder &&= names[index] === name;
  }
  return isInTableOrder ? body : Object.fromEntries(members.map(({ name }) => [name, valuesByName[name]]));
}

/** A buffer for the checksum of a new line. It is reused, because lines are short. */
const LINE_BUFFER = Buffer.allocUnsafe(8192);

/** Returns a buffer that begins with these bytes. It is valid until the next call. */
function bytesOf(latin1: string): Buffer {
  if (latin1.length > LINE_BUFFER.length) return Buffer.from(latin1, 'latin1');
  LINE_BUFFER.write(latin1, 0, 'latin1');
  return LINE_BUFFER;
}

/** The reason why a line is not a record. `isSealed`: its checksum is right, so it was written like this. */
export interface Flaw {
  readonly flaw: string;
  readonly isSealed: boolean;
}

/** Parses the line in `bytes[from, to)`, without its line feed. Returns the record, or the reason why it is not one. */
export function parseLine(bytes: Buffer, from: number, to: number): JournalRecord | Flaw {
  const sealAt = to - SEAL_BYTES;
  const hasValidLength = sealAt > from && to - from <= MAX_LINE_BYTES;
  const crc = hasValidLength ? sealedCrc(bytes, sealAt) : -1;
  if (crc < 0) return { flaw: 'a line that is not a whole record', isSealed: false };
  if (journalGuards.checksums && crc !== crc32c(bytes, from, sealAt)) return { flaw: 'a record with a wrong checksum', isSealed: false };
  try {
    const parsedLine: unknown = JSON.parse(bytes.toString('latin1', from, to));
    const flaw = flawOf(parsedLine);
    return flaw === null ? (parsedLine as JournalRecord) : { flaw, isSealed: true };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { flaw: 'a line that is not JSON', isSealed: true };
  }
}

/** Returns the checksum at the end of a line, or -1 if it has none. */
function sealedCrc(bytes: Buffer, offset: number): number {
  for (let i = 0; i < SEAL_HEAD.length; i++) if (bytes[offset + i] !== SEAL_HEAD[i]) return -1;
  const digitsStart = offset + SEAL_HEAD.length;
  for (let i = 0; i < SEAL_END.length; i++) if (bytes[digitsStart + CRC_DIGITS + i] !== SEAL_END[i]) return -1;
  let crc = 0;
  for (let i = 0; i < CRC_DIGITS; i++) {
    const digit = HEX_VALUES[bytes[digitsStart + i]!]!;
    if (digit < 0) return -1;
    crc = crc * 16 + digit;
  }
  return crc;
}

/** The value of a lower-case hex digit, by character code; -1 for other characters. */
const HEX_VALUES = Int8Array.from({ length: 256 }, (_, code) => '0123456789abcdef'.indexOf(String.fromCharCode(code)));

/** True for a line that could be read. */
export const isRecord = (line: JournalRecord | Flaw): line is JournalRecord => !('flaw' in line);

/** True for a line with text after a complete record. An interrupted write does not leave that. */
export const isOverlong = (bytes: Buffer, from: number, to: number): boolean =>
  /,"crc":"[0-9a-f]{8}"\}./s.test(bytes.toString('latin1', from, to));

/** Returns why the JSON of a line is not a record, or null. Unknown members are accepted, because a later version may write more. */
function flawOf(parsedLine: unknown): string | null {
  if (typeof parsedLine !== 'object' || parsedLine === null) return 'a line that is not an object';
  const members = parsedLine as Readonly<Record<string, unknown>>;
  const { seq, t, k, dur } = members;
  if (!isCount(seq) || !isCount(dur) || !Number.isSafeInteger(t)) return 'a record without seq, t or dur';
  if (!isRecordKind(k)) return `a record of kind ${JSON.stringify(k)}, which this version does not know`;
  for (const { name, field } of MEMBERS.get(k)!)
    if (!field.accepts(members[name])) return `a record of kind ${k} whose ${name} is not ${field.expects}`;
  return null;
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

/**
 * Returns the same JSON with everything except printable ASCII escaped, so that a damaged byte cannot form another character, and a
 * terminal can show it.
 */
const escapedAscii = (json: string): string => (/^[\x20-\x7e]*$/.test(json) ? json : json.replace(/[^\x20-\x7e]/g, escapeText));
const escapeText = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
