// Reads the bytes of a file, decompressing gzip and zips of one file. The content decides, not the name.

import { createHash } from 'node:crypto';
import { closeSync, constants, createReadStream, fstatSync, openSync, readSync, type ReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip, createInflateRaw } from 'node:zlib';
import { entryKindText } from '../../disk/regularFile.ts';
import { ConfigError } from '../../../base/errors.ts';
import { fileError } from '../../disk/fileError.ts';
import { checkedContent, zipEntry } from './zip.ts';

const CHUNK_BYTES = 1 << 18;
const HEAD_BYTES = 8;
/** Start of a zip with files, and of an empty one. */
const ZIP_STARTS = ['PK\x03\x04', 'PK\x05\x06'] as const;
const UNPACK_OPTIONS = { chunkSize: CHUNK_BYTES } as const;

/** How a file is packed, and its size in bytes. */
export interface FileHead {
  readonly size: number;
  readonly packing: 'none' | 'gzip' | 'zip';
  /** First bytes of the file as stored. */
  readonly bytes: Uint8Array;
}

/** The unpacked content of a file, chunk by chunk. */
export interface PackedFile {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Returns the fraction of the file that has been read, 0 to 1. */
  readonly share: () => number;
}

/** Returns the size and packing of a file. Throws ConfigError if it does not exist. */
export function inspectFile(path: string): FileHead {
  return withFile(path, (file) => {
    const head = new Uint8Array(HEAD_BYTES);
    const bytes = head.subarray(0, readSync(file, head, 0, HEAD_BYTES, 0));
    const start = Buffer.from(bytes).toString('latin1');
    return { size: Math.max(1, fstatSync(file).size), packing: packingOf(start), bytes };
  });
}

/** Returns the packing of a file by its first bytes. */
function packingOf(start: string): FileHead['packing'] {
  if (start.startsWith('\x1f\x8b')) return 'gzip';
  return ZIP_STARTS.some((magic) => start.startsWith(magic)) ? 'zip' : 'none';
}

/** Opens the content of the file. Throws ConfigError for a zip that does not have exactly one file. */
export function openPacked(path: string, { size, packing }: FileHead): PackedFile {
  const entry = packing === 'zip' ? withFile(path, (file) => zipEntry(path, file, size)) : null;
  if (entry?.packedBytes === 0) throw new ConfigError(`${path}: the file is empty`, 'fetch the file again');
  const range = entry === null ? {} : { start: entry.start, end: entry.start + entry.packedBytes - 1 };
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES, ...range });
  const share = () => file.bytesRead / (entry?.packedBytes ?? size);
  // Errors of either stream reach the iteration.
  const unpackWith = (unpack: NodeJS.ReadWriteStream): AsyncIterable<Uint8Array> => chunksOf(pipeline(file, unpack, () => {}));
  if (packing === 'gzip') {
    const gunzip = createGunzip(UNPACK_OPTIONS);
    return { chunks: withoutTrailingBytes(unpackWith(gunzip), path, () => gunzip.bytesWritten), share };
  }
  if (entry === null) return { chunks: chunksOf(file), share };
  const chunks = entry.isDeflated ? unpackWith(createInflateRaw(UNPACK_OPTIONS)) : chunksOf(file);
  return { chunks: checkedContent(chunks, entry, path), share };
}

async function* chunksOf(stream: AsyncIterable<string | Buffer>): AsyncIterable<Uint8Array> {
  for await (const chunk of stream) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}

/** Yields the chunks. Throws ConfigError if other data follows the gzip data. Zero padding may follow, as on tapes. */
async function* withoutTrailingBytes(
  chunks: AsyncIterable<Uint8Array>,
  path: string,
  bytesUnpacked: () => number,
): AsyncIterable<Uint8Array> {
  yield* chunks;
  // zlib reports an error if the next byte is not zero. Bytes after the first zero are checked here.
  for await (const chunk of chunksOf(createReadStream(path, { start: bytesUnpacked(), highWaterMark: CHUNK_BYTES }))) {
    if (chunk.every((byte) => byte === 0)) continue;
    throw new ConfigError(`${path}: the gzip data is damaged: other bytes follow its end`, 'fetch the file again');
  }
}

/** Returns the error for a failure while reading content. `reached` says how far reading got, such as `row 12`. */
export function unpackError(path: string, { packing }: FileHead, reached: string, error: unknown): Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!code.startsWith('Z_')) return fileError(path, 'cannot be read', error);
  return new ConfigError(`${path}: the ${packing} data is damaged or ends early, after ${reached}`, 'fetch the file again');
}

/** Returns the SHA-256 of the file as stored. */
export async function contentHash(path: string): Promise<string> {
  const hash = createHash('sha256');
  const file: ReadStream = createReadStream(path, { highWaterMark: CHUNK_BYTES });
  try {
    for await (const chunk of chunksOf(file)) hash.update(chunk);
  } catch (error) {
    throw fileError(path, 'cannot be read', error);
  }
  return hash.digest('hex');
}

/** Opens a regular file or a folder for reading, and closes it after `use`. Throws ConfigError for devices, pipes and sockets. */
function withFile<T>(path: string, use: (file: number) => T): T {
  try {
    // Opening a FIFO without a writer would block permanently.
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(file);
      if (!stats.isFile() && !stats.isDirectory())
        throw new ConfigError(`${path}: expected a file, got ${entryKindText(stats)}`, 'copy its content into a file first');
      return use(file);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw fileError(path, 'cannot be read', error);
  }
}
