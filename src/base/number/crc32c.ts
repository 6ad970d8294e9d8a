// Computes CRC-32C (Castagnoli). It detects every damage of up to 32 consecutive bits, and misses one of 2^32 other cases.

/** The polynomial of Castagnoli, with its bits reversed. */
const POLYNOMIAL = 0x82f6_3b78;
/** Eight tables. Table `n` begins at `256 * n` and has the effect of a byte that is followed by `n` more bytes. */
const TABLES = new Int32Array(256 * 8);
for (let byte = 0; byte < 256; byte++) {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ (value & 1 ? POLYNOMIAL : 0);
  TABLES[byte] = value;
}
for (let index = 256; index < TABLES.length; index++) {
  const shorter = TABLES[index - 256]!;
  TABLES[index] = (shorter >>> 8) ^ TABLES[shorter & 255]!;
}

/**
 * Returns the CRC of `bytes[from, to)` as an unsigned integer. It processes eight bytes in a step, because a restart may read 100 MB.
 * The first byte of the eight is looked up in table 7 (from element 1792 on), the last one in table 0.
 */
export function crc32c(bytes: Uint8Array, from = 0, to = bytes.length): number {
  const tables = TABLES;
  let crc = -1;
  let offset = from;
  for (; offset + 8 <= to; offset += 8) {
    const firstFour = crc ^ (bytes[offset]! | (bytes[offset + 1]! << 8) | (bytes[offset + 2]! << 16) | (bytes[offset + 3]! << 24));
    crc =
      tables[1792 + (firstFour & 255)]! ^
      tables[1536 + ((firstFour >>> 8) & 255)]! ^
      tables[1280 + ((firstFour >>> 16) & 255)]! ^
      tables[1024 + (firstFour >>> 24)]! ^
      tables[768 + bytes[offset + 4]!]! ^
      tables[512 + bytes[offset + 5]!]! ^
      tables[256 + bytes[offset + 6]!]! ^
      tables[bytes[offset + 7]!]!;
  }
  for (; offset < to; offset++) crc = (crc >>> 8) ^ tables[(crc ^ bytes[offset]!) & 255]!;
  return ~crc >>> 0;
}

/** Returns the CRC as eight hex digits. */
export const crcText = (crc: number): string => crc.toString(16).padStart(8, '0');
