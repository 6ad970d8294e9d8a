// Decompresses bodies that a service compressed without being asked, up to a size limit and off the event loop.

import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';

type DecompressResult = { readonly ok: true; readonly body: Uint8Array } | { readonly ok: false; readonly cause: string };

/**
 * Calls `onResult` once with the decompressed body, before returning if nothing needs decompression. `encoding`: the Content-Encoding header,
 * if any. Stops as soon as the output exceeds `maxBytes`, so a decompression bomb costs no more than that.
 */
export function decompress(
  encoding: string | undefined,
  body: Uint8Array,
  maxBytes: number,
  onResult: (result: DecompressResult) => void,
): void {
  const name = encoding?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity' || body.length === 0) {
    onResult({ ok: true, body });
    return;
  }
  const decompressBody = decompressorOf(name, body);
  if (decompressBody === null) {
    onResult({ ok: false, cause: `an answer in an encoding that was not requested: ${name.slice(0, 40)}` });
    return;
  }
  decompressBody(body, { maxOutputLength: maxBytes }, (error, result) =>
    onResult(
      error ? { ok: false, cause: `an answer that cannot be decompressed: ${causeOf(error, maxBytes)}` } : { ok: true, body: result },
    ),
  );
}

/** Returns the function for a content encoding; null for an unknown one. */
function decompressorOf(name: string, body: Uint8Array): typeof gunzip | null {
  switch (name) {
    case 'gzip':
    case 'x-gzip':
      return gunzip;
    case 'br':
      return brotliDecompress;
    case 'deflate':
      // Some servers omit the two-byte zlib header, whose first byte ends in 8.
      return (body[0]! & 0x0f) === 8 ? inflate : inflateRaw;
    default:
      return null;
  }
}

const causeOf = (error: NodeJS.ErrnoException, maxBytes: number): string =>
  error.code === 'ERR_BUFFER_TOO_LARGE' ? `larger than ${maxBytes} bytes` : (error.code ?? error.message);
