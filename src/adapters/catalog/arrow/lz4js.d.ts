// Types for the parts of lz4js (which ships none) that isobar and its tests use.

declare module 'lz4js' {
  /**
   * Decompresses the LZ4 block of `length` bytes at `from` in `source` to `to` in `target`, whose earlier bytes the block may refer to.
   * Returns the end of the written bytes. Checks no bounds.
   */
  export function decompressBlock(source: Uint8Array, target: Uint8Array, from: number, length: number, to: number): number;
  /** Returns an LZ4 frame of `source` with independent blocks and without checksums. */
  export function compress(source: Uint8Array): Uint8Array;
}
