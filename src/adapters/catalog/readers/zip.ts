// Locates and checks the single file in a zip archive, the form in which Binance publishes data.

import { readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { ConfigError } from '../../../base/errors.ts';

export interface ZipEntry {
  /** Offset and number of its compressed bytes. */
  readonly start: number;
  readonly packedBytes: number;
  readonly isDeflated: boolean;
  readonly crc: number;
}

const END_BYTES = 22;
const MAX_COMMENT_BYTES = 65_535;
const END = Buffer.of(0x50, 0x4b, 0x05, 0x06);
const DIRECTORY = 0x02014b50;
const LOCAL = 0x04034b50;
const ENCRYPTED = 1;
const STORED = 0;
const DEFLATED = 8;
/** Placeholder for a length of four gigabytes or more. */
const ZIP64 = 0xffffffff;

/**
 * Reads the directory of the open zip `file` of `size` bytes (APPNOTE.TXT 6.3.10, 4.3). Throws ConfigError unless it has exactly one file.
 */
export function zipEntry(path: string, file: number, size: number): ZipEntry {
  const bytes = (at: number, length: number) => {
    const into = Buffer.alloc(length);
    if (at < 0 || readSync(file, into, 0, length, at) < length) throw damagedZip(path);
    return into;
  };
  const tailBytes = Math.min(size, END_BYTES + MAX_COMMENT_BYTES);
  const tail = bytes(size - tailBytes, tailBytes);
  const end = tail.lastIndexOf(END);
  if (end < 0 || end + END_BYTES > tail.length) throw damagedZip(path);
  const directory = bytes(tail.readUInt32LE(end + 16), tail.readUInt32LE(end + 12));
  const entries = entriesOf(directory, path).filter(({ name }) => !name.endsWith('/') && !name.startsWith('__MACOSX/'));
  const [entry] = entries;
  if (entry === undefined || entries.length > 1) {
    throw new ConfigError(`${path}: expected a zip of one file, got ${entries.length}`, 'unpack it and import its files');
  }
  const { flags, method, packedBytes, headerAt, crc } = entry;
  if ((flags & ENCRYPTED) !== 0 || (method !== STORED && method !== DEFLATED) || packedBytes === ZIP64 || headerAt === ZIP64) {
    throw new ConfigError(`${path}: a zip that is encrypted, larger than 4 GB or packed in a rare way`, 'unpack it and import its file');
  }
  const header = bytes(headerAt, 30);
  if (header.readUInt32LE(0) !== LOCAL) throw damagedZip(path);
  return { start: headerAt + 30 + header.readUInt16LE(26) + header.readUInt16LE(28), packedBytes, isDeflated: method === DEFLATED, crc };
}

function entriesOf(directory: Buffer, path: string) {
  const entries = [];
  for (let at = 0; at < directory.length;) {
    if (at + 46 > directory.length || directory.readUInt32LE(at) !== DIRECTORY) throw damagedZip(path);
    const nameEnd = at + 46 + directory.readUInt16LE(at + 28);
    entries.push({
      name: directory.toString('utf8', at + 46, nameEnd),
      flags: directory.readUInt16LE(at + 8),
      method: directory.readUInt16LE(at + 10),
      crc: directory.readUInt32LE(at + 16),
      packedBytes: directory.readUInt32LE(at + 20),
      headerAt: directory.readUInt32LE(at + 42),
    });
    at = nameEnd + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return entries;
}

/** Yields the chunks. Throws ConfigError at the end if their checksum is wrong. */
export async function* checkedCrc(chunks: AsyncIterable<Uint8Array>, { crc }: ZipEntry, path: string): AsyncIterable<Uint8Array> {
  let sum = 0;
  for await (const chunk of chunks) {
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (sum !== crc) throw damagedZip(path);
}

function damagedZip(path: string): ConfigError {
  return new ConfigError(`${path}: the zip data is damaged or ends early`, 'fetch the file again');
}
