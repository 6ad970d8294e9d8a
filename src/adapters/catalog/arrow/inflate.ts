// Decompresses buffers of Arrow files: LZ4 frames, the default of pandas and polars, and zstd.

/** Codes of the compression of record batches, from the format's BodyCompression table. */
export const CODEC = { lz4Frame: 0, zstd: 1 } as const;

/** Decompresses `packed` into exactly `length` bytes. Throws RangeError if the length differs or the data is damaged. */
export type Inflate = (codec: number, packed: Uint8Array, length: number) => Uint8Array;

/** Loads both decompressors. Only callers that read files of other programs need them. */
export async function loadInflate(): Promise<Inflate> {
  const [{ default: lz4 }, zstd] = await Promise.all([import('lz4js'), import('fzstd')]);
  return (codec, packed, length) => {
    switch (codec) {
      case CODEC.lz4Frame:
        return inflateLz4(packed, length, lz4.decompressBlock);
      case CODEC.zstd:
        return inflateZstd(packed, length, zstd.decompress);
      default:
        throw new RangeError(`an unknown codec, ${codec}`);
    }
  };
}

const LZ4_MAGIC = 0x184d2204;
const VERSION_BITS = 0xc0;
const VERSION_1 = 0x40;
const BLOCK_CHECKSUMS = 0x10;
const CONTENT_SIZE = 0x08;
const DICTIONARY = 0x01;
/** Bit of a block's size: the block is not compressed. */
const STORED = 0x80000000;

/**
 * Decodes the blocks of an LZ4 frame (lz4_Frame_format.md 1.6.4). Own code, because lz4js 0.2.0 reads block checksums as data, and
 * polars writes them. A block may refer to earlier blocks, so all blocks are decompressed into one array.
 */
function inflateLz4(packed: Uint8Array, length: number, decompressBlock: typeof import('lz4js').decompressBlock): Uint8Array {
  const target = new Uint8Array(length);
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const flags = view.getUint8(4);
  if (view.getUint32(0, true) !== LZ4_MAGIC || (flags & VERSION_BITS) !== VERSION_1) throw new RangeError('a buffer that is no LZ4 frame');
  if ((flags & DICTIONARY) !== 0) throw new RangeError('an LZ4 frame with a dictionary');
  const checksumBytes = flags & BLOCK_CHECKSUMS ? 4 : 0;
  // Magic number, two bytes of flags, optional content size, one checksum byte.
  let position = flags & CONTENT_SIZE ? 15 : 7;
  let unpackedBytes = 0;
  for (let size = view.getUint32(position, true); size !== 0; size = view.getUint32(position, true)) {
    const blockBytes = size & ~STORED;
    position += 4;
    if (position + blockBytes > packed.length) throw new RangeError('an LZ4 block that ends early');
    if (size >= STORED) {
      target.set(packed.subarray(position, position + blockBytes), unpackedBytes);
      unpackedBytes += blockBytes;
    } else {
      unpackedBytes = decompressBlock(packed, target, position, blockBytes, unpackedBytes);
    }
    // Bytes past the end of the target are lost without an error, so compare the count.
    if (unpackedBytes > length) break;
    position += blockBytes + checksumBytes;
  }
  return withLength(target, unpackedBytes, length);
}

/** Zstandard recommends 8 MiB for decoders. Windows beyond 128 MiB need a special option of its own tool. */
const MAX_WINDOW_BYTES = 2 ** 27;
const ZSTD_MAGIC = 0xfd2fb528;
const SINGLE_SEGMENT = 0x20;

/** Throws RangeError if the frame's header states another size than `length`, because fzstd allocates the stated size. */
function checkZstdHeader(packed: Uint8Array, length: number): void {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  if (view.getUint32(0, true) !== ZSTD_MAGIC) throw new RangeError('a buffer that is not a zstd frame');
  // RFC 8878, 3.1.1.1: descriptor, optional window, dictionary id, optional content size.
  const descriptor = view.getUint8(4);
  const isSingleSegment = (descriptor & SINGLE_SEGMENT) !== 0;
  if (!isSingleSegment) {
    // The upper five bits are an exponent, the lower three add eighths.
    const windowCode = view.getUint8(5);
    const baseBytes = 2 ** (10 + (windowCode >> 3));
    if (baseBytes + (baseBytes / 8) * (windowCode & 7) > MAX_WINDOW_BYTES) throw new RangeError('a zstd window beyond 128 MiB');
  }
  const windowFieldBytes = isSingleSegment ? 0 : 1;
  const dictionaryIdBytes = [0, 1, 2, 4][descriptor & 3]!;
  const sizePosition = 5 + windowFieldBytes + dictionaryIdBytes;
  // The upper two bits of the descriptor choose the width of the content size.
  const readSize = [
    () => (isSingleSegment ? view.getUint8(sizePosition) : length),
    () => view.getUint16(sizePosition, true) + 256,
    () => view.getUint32(sizePosition, true),
    () => Number(view.getBigUint64(sizePosition, true)),
  ][descriptor >> 6]!;
  const contentBytes = readSize();
  if (contentBytes !== length) throw new RangeError(`${contentBytes} bytes where ${length} were announced`);
}

/** Returns the `length` unpacked bytes of a zstd frame. Throws RangeError if the frame is damaged or has another length. */
function inflateZstd(packed: Uint8Array, length: number, decompress: typeof import('fzstd').decompress): Uint8Array {
  checkZstdHeader(packed, length);
  try {
    // Do not pass a target array: given a longer one, fzstd 0.1.1 returns all of it.
    const bytes = decompress(packed);
    return withLength(bytes, bytes.length, length);
  } catch (error) {
    throw new RangeError(`zstd: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Returns `bytes`. Throws RangeError if the number of decompressed bytes is not `length`. */
function withLength(bytes: Uint8Array, unpackedBytes: number, length: number): Uint8Array {
  if (unpackedBytes !== length) throw new RangeError(`${unpackedBytes} bytes where ${length} were announced`);
  return bytes;
}
