// FlatBuffers as far as Arrow metadata needs them: encodes a tree of parts to bytes, and reads fields by number.
// Own code, because loading apache-arrow adds about 90 ms to every command that reads bars (measured 2026-11, Node 20). The tests compare
// both directions with it.

import { assertNever } from '../../../base/assert.ts';
import { InvariantError } from '../../../base/errors.ts';

/** A number stored inside its table. `value` is an integer; 8 bytes hold up to 2^53 - 1. */
export interface FlatScalar {
  readonly kind: 'scalar';
  readonly bytes: 1 | 2 | 4 | 8;
  readonly value: number;
}
/** A table with its fields. Null is a field that is left out. */
export interface FlatTable {
  readonly kind: 'table';
  /** By field number; null for the default value. */
  readonly fields: readonly (FlatPart | null)[];
}
/** A text, written as UTF-8. */
export interface FlatText {
  readonly kind: 'text';
  readonly text: string;
}
/** A vector of tables. */
export interface FlatTableList {
  readonly kind: 'list';
  readonly items: readonly FlatTable[];
}
/** A vector of structs of 64-bit integers, `perItem` in each struct. */
export interface FlatLongs {
  readonly kind: 'longs';
  readonly perItem: number;
  readonly values: readonly number[];
}
/** A part of a buffer that is written. */
export type FlatPart = FlatScalar | FlatTable | FlatText | FlatTableList | FlatLongs;

/** Returns a table with these fields by their id; null leaves a field out. */
export const flatTable = (...fields: (FlatPart | null)[]): FlatTable => ({ kind: 'table', fields });
/** Returns a text. */
export const flatText = (value: string): FlatText => ({ kind: 'text', text: value });
/** Returns a list of tables. */
export const flatList = (items: readonly FlatTable[]): FlatTableList => ({ kind: 'list', items });
/** Returns a list of structs of `perItem` 64-bit integers. */
export const longs = (perItem: number, values: readonly number[]): FlatLongs => ({ kind: 'longs', perItem, values });
/** Returns an unsigned integer of one byte, such as a flag. */
export const byte = (value: number): FlatScalar => ({ kind: 'scalar', bytes: 1, value });
/** Returns a signed 16-bit integer, such as an enum or a version. */
export const short = (value: number): FlatScalar => ({ kind: 'scalar', bytes: 2, value });
/** Returns a signed 32-bit integer. */
export const flatInt = (value: number): FlatScalar => ({ kind: 'scalar', bytes: 4, value });
/** Returns a signed 64-bit integer. `value` is at most 2^53 - 1. */
export const long = (value: number): FlatScalar => ({ kind: 'scalar', bytes: 8, value });

/** Returns the bytes of a FlatBuffer with the root `root`, padded to a multiple of 8. */
export function encode(root: FlatTable): Uint8Array {
  const writer = new FlatWriter();
  const slot = writer.reserve(4, 4);
  writer.writeOffset(slot, writer.writeTable(root));
  return writer.finish();
}

/** Writes front to back: a table, then what it refers to, because the format requires offsets to point forward. */
class FlatWriter {
  private bytes = new Uint8Array(1024);
  private view = new DataView(this.bytes.buffer);
  private position = 0;

  /** Returns the written bytes, padded to a multiple of 8. */
  finish(): Uint8Array {
    this.reserve(8, 0);
    return this.bytes.subarray(0, this.position);
  }

  /** Reserves `size` zero bytes and returns their position, a multiple of `align`. */
  reserve(align: number, size: number): number {
    const start = Math.ceil(this.position / align) * align;
    this.position = start + size;
    if (this.position > this.bytes.length) {
      const wider = new Uint8Array(Math.max(this.bytes.length * 2, this.position));
      wider.set(this.bytes);
      this.bytes = wider;
      this.view = new DataView(wider.buffer);
    }
    return start;
  }

  /** Writes a reference from `slot` to a later position. */
  writeOffset(slot: number, target: number): void {
    this.view.setUint32(slot, target - slot, true);
  }

  /** Writes a table, its vtable with the positions of the fields before it, and its parts behind it. Returns its position. */
  writeTable(part: FlatTable): number {
    const offsets: number[] = [];
    let size = 4;
    for (const field of part.fields) {
      if (field === null) {
        offsets.push(0);
        continue;
      }
      const bytes = field.kind === 'scalar' ? field.bytes : 4;
      const offset = Math.ceil(size / bytes) * bytes;
      offsets.push(offset);
      size = offset + bytes;
    }
    const vtableBytes = 4 + 2 * offsets.length;
    const vtable = this.reserve(2, vtableBytes);
    const start = this.reserve(8, size);
    this.view.setInt32(start, start - vtable, true);
    this.view.setUint16(vtable, vtableBytes, true);
    this.view.setUint16(vtable + 2, size, true);
    for (let i = 0; i < offsets.length; i++) this.view.setUint16(vtable + 4 + 2 * i, offsets[i]!, true);
    for (const [id, field] of part.fields.entries()) {
      if (field === null) continue;
      const slot = start + offsets[id]!;
      if (field.kind === 'scalar') this.writeScalar(slot, field);
      else this.writeOffset(slot, this.writePart(field));
    }
    return start;
  }

  /** Writes a part that its table refers to. Returns its position. */
  private writePart(part: Exclude<FlatPart, FlatScalar>): number {
    if (part.kind === 'table') return this.writeTable(part);
    if (part.kind === 'text') return this.writeText(part.text);
    return part.kind === 'list' ? this.writeList(part.items) : this.writeLongs(part);
  }

  private writeScalar(slot: number, { bytes, value }: FlatScalar): void {
    if (bytes === 8) this.view.setBigInt64(slot, BigInt(value), true);
    else if (bytes === 4) this.view.setInt32(slot, value, true);
    else if (bytes === 2) this.view.setInt16(slot, value, true);
    else this.view.setUint8(slot, value);
  }

  /** Writes a text with its length in UTF-8 bytes before it. Returns its offset. */
  private writeText(value: string): number {
    const utf8 = new TextEncoder().encode(value);
    // A zero byte follows the text and is not included in its length.
    const start = this.reserve(4, 4 + utf8.length + 1);
    this.view.setUint32(start, utf8.length, true);
    this.bytes.set(utf8, start + 4);
    return start;
  }

  private writeList(items: readonly FlatTable[]): number {
    const start = this.reserve(4, 4 + 4 * items.length);
    this.view.setUint32(start, items.length, true);
    for (const [index, table] of items.entries()) this.writeOffset(start + 4 + 4 * index, this.writeTable(table));
    return start;
  }

  private writeLongs({ perItem, values }: FlatLongs): number {
    // The structs after the length are aligned to 8, so the length is at 4 modulo 8.
    const start = this.reserve(8, 8 + 8 * values.length) + 4;
    this.view.setUint32(start, values.length / perItem, true);
    for (let i = 0; i < values.length; i++) this.view.setBigInt64(start + 4 + 8 * i, BigInt(values[i]!), true);
    return start;
  }
}

/** Reads fields of tables by number. Positions are byte offsets; position 0 means an absent field. Throws RangeError outside the bytes. */
export class FlatReader {
  private readonly view: DataView;
  private readonly bytes: Uint8Array;
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Returns the position of the root table. */
  root(): number {
    return this.view.getUint32(0, true);
  }

  /** Returns the position of field `id` of the table at `start`. */
  field(start: number, id: number): number {
    const vtable = start - this.view.getInt32(start, true);
    const entryOffset = 4 + 2 * id;
    const vtableBytes = this.view.getUint16(vtable, true);
    if (entryOffset >= vtableBytes) return 0;
    const offset = this.view.getUint16(vtable + entryOffset, true);
    return offset === 0 ? 0 : start + offset;
  }

  /** Returns the start of the table, text or vector to which the field at `slot` refers. */
  follow(slot: number): number {
    return slot === 0 ? 0 : slot + this.view.getUint32(slot, true);
  }

  /** Returns the integer of `bytes` bytes at `slot`. 0, the default of the format, for an absent field (slot 0). */
  number(slot: number, bytes: 1 | 2 | 4 | 8): number {
    if (slot === 0) return 0;
    switch (bytes) {
      case 8:
        return this.long(slot);
      case 4:
        return this.view.getInt32(slot, true);
      case 2:
        return this.view.getInt16(slot, true);
      case 1:
        return this.view.getUint8(slot);
      default:
        return assertNever(bytes);
    }
  }

  /** Returns the 64-bit integer at a position. Values above 2^53 lose digits. */
  long(position: number): number {
    return Number(this.view.getBigInt64(position, true));
  }

  /** Returns the text at a position; an absent one (position 0) is empty. Throws RangeError if it runs past the end of the file. */
  text(start: number): string {
    if (start === 0) return '';
    const length = this.view.getUint32(start, true);
    if (start + 4 + length > this.bytes.length) throw new RangeError('text runs past the end');
    return new TextDecoder().decode(this.bytes.subarray(start + 4, start + 4 + length));
  }

  /** Returns the positions of the elements, `bytes` long each, of the vector at `start`. */
  elements(start: number, bytes: number): number[] {
    if (start === 0) return [];
    const length = this.view.getUint32(start, true);
    if (start + 4 + length * bytes > this.bytes.length) throw new RangeError('vector runs past the end');
    return Array.from({ length }, (_, index) => start + 4 + index * bytes);
  }

  /** Returns the positions of the tables of the vector at `start`. */
  tables(start: number): number[] {
    return this.elements(start, 4).map((slot) => this.follow(slot));
  }
}

/** Throws InvariantError on a big-endian computer: typed arrays are written as they are in memory, and Arrow files are little-endian. */
export function assertLittleEndian(): void {
  if (new Uint8Array(Uint16Array.of(1).buffer)[0] !== 1) throw new InvariantError('isobar runs on little-endian machines only');
}
