// Locates and checks the single file in a zip archive, the form in which Binance publishes data.

import { readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { ConfigError } from '../../../base/errors.ts';

/** A file inside a zip archive: where its packed bytes start, and how many there are. */
export interface ZipEntry {
  /** Offset and number of its compressed bytes. */
  readonly start: number;
  readonly packedBytes: number;
  readonly isDeflated: boolean;
  /** Number of its bytes once unpacked; null for one of four gigabytes or more, which states it elsewhere. */
  readonly unpackedBytes: number | null;
  readonly crc: number;
}

// The offsets of fields in the records below are those of APPNOTE.TXT 6.3.10, section 4.3.
/** Length of the record at the end of a zip, without its comment. */
const END_RECORD_BYTES = 22;
const MAX_COMMENT_BYTES = 65_535;
/** Signatures of the records of a zip, and values of their fields. */
const END_SIGNATURE = Buffer.of(0x50, 0x4b, 0x05, 0x06);
const DIRECTORY_SIGNATURE = 0x02014b50;
const LOCAL_SIGNATURE = 0x04034b50;
/** Bytes of a local header and of an entry of the directory, without the names and extra fields that follow. */
const LOCAL_HEADER_BYTES = 30;
const DIRECTORY_ENTRY_BYTES = 46;
const ENCRYPTED = 1;
const STORED = 0;
const DEFLATED = 8;
/** Placeholder for a length of four gigabytes or more. */
const ZIP64_PLACEHOLDER = 0xffffffff;

/**
 * Reads the directory of the open zip `file` of `size` bytes (APPNOTE.TXT 6.3.10, 4.3). Throws ConfigError unless it has exactly one file.
 */
export function zipEntry(path: string, file: number, size: number): ZipEntry {
  const readBytes = (offset: number, length: number) => {
    const into = Buffer.alloc(length);
    if (offset < 0 || readSync(file, into, 0, length, offset) < length) throw damagedZip(path);
    return into;
  };
  const tailBytes = Math.min(size, END_RECORD_BYTES + MAX_COMMENT_BYTES);
  const tail = readBytes(size - tailBytes, tailBytes);
  const endRecord = tail.lastIndexOf(END_SIGNATURE);
  if (endRecord < 0 || endRecord + END_RECORD_BYTES > tail.length) throw damagedZip(path);
  const directoryBytes = tail.readUInt32LE(endRecord + 12);
  const directoryOffset = tail.readUInt32LE(endRecord + 16);
  const directory = readBytes(directoryOffset, directoryBytes);
  const entries = entriesOf(directory, path).filter(({ name }) => !name.endsWith('/') && !name.startsWith('__MACOSX/'));
  const [entry] = entries;
  if (entry === undefined || entries.length > 1) {
    throw new ConfigError(`${path}: expected a zip of one file, got ${entries.length}`, 'unpack it and import its files');
  }
  const { flags, method, packedBytes, unpackedBytes, headerOffset, crc } = entry;
  const isEncrypted = (flags & ENCRYPTED) !== 0;
  const isSupportedMethod = method === STORED || method === DEFLATED;
  if (isEncrypted || !isSupportedMethod || packedBytes === ZIP64_PLACEHOLDER || headerOffset === ZIP64_PLACEHOLDER) {
    throw new ConfigError(`${path}: a zip that is encrypted, larger than 4 GB or packed in a rare way`, 'unpack it and import its file');
  }
  const header = readBytes(headerOffset, LOCAL_HEADER_BYTES);
  if (header.readUInt32LE(0) !== LOCAL_SIGNATURE) throw damagedZip(path);
  const nameBytes = header.readUInt16LE(26);
  const extraBytes = header.readUInt16LE(28);
  const start = headerOffset + LOCAL_HEADER_BYTES + nameBytes + extraBytes;
  return {
    start,
    packedBytes,
    isDeflated: method === DEFLATED,
    unpackedBytes: unpackedBytes === ZIP64_PLACEHOLDER ? null : unpackedBytes,
    crc,
  };
}

/** Returns the entries of the directory. Throws ConfigError if it is damaged. */
function entriesOf(directory: Buffer, path: string) {
  const entries = [];
  for (let start = 0; start < directory.length;) {
    if (start + DIRECTORY_ENTRY_BYTES > directory.length || directory.readUInt32LE(start) !== DIRECTORY_SIGNATURE) throw damagedZip(path);
    const nameEnd = start + DIRECTORY_ENTRY_BYTES + directory.readUInt16LE(start + 28);
    entries.push({
      name: directory.toString('utf8', start + DIRECTORY_ENTRY_BYTES, nameEnd),
      flags: directory.readUInt16LE(start + 8),
      method: directory.readUInt16LE(start + 10),
      crc: directory.readUInt32LE(start + 16),
      packedBytes: directory.readUInt32LE(start + 20),
      unpackedBytes: directory.readUInt32LE(start + 24),
      headerOffset: directory.readUInt32LE(start + 42),
    });
    // Extra fields and a comment follow the name.
    start = nameEnd + directory.readUInt16LE(start + 30) + directory.readUInt16LE(start + 32);
  }
  return entries;
}

/** Yields the chunks. Throws ConfigError at the end if their length or checksum is wrong. */
export async function* checkedContent(
  chunks: AsyncIterable<Uint8Array>,
  { unpackedBytes, crc }: ZipEntry,
  path: string,
): AsyncIterable<Uint8Array> {
  let bytesSoFar = 0;
  let crcSoFar = 0;
  for await (const chunk of chunks) {
    bytesSoFar += chunk.length;
    crcSoFar = crc32(chunk, crcSoFar);
    yield chunk;
  }
  if (bytesSoFar !== (unpackedBytes ?? bytesSoFar) || crcSoFar !== crc) throw damagedZip(path);
}

function damagedZip(path: string): ConfigError {
  return new ConfigError(`${path}: the zip data is damaged or ends early`, 'fetch the file again');
}
