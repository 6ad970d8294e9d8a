// The parts of lz4js (which ships no types) that isobar and its tests use.

declare module 'lz4js' {
  /**
   * Unpacks the LZ4 block of `length` bytes at `from` in `source` to `to` in `target`, whose earlier bytes the block may refer to.
   * Returns the end of what was written. Checks neither bound.
   */
  export function decompressBlock(source: Uint8Array, target: Uint8Array, from: number, length: number, to: number): number;
  /** An LZ4 frame of `source`: blocks that do not refer to one another, without checksums. */
  export function compress(source: Uint8Array): Uint8Array;
}
