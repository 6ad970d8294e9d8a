// Parses an HTTP request in its most common form: complete in one chunk and without special headers. Node's parser handles all others.

import type { ServiceRequest } from '../api/message.ts';

/**
 * Request line and headers, restricted to characters that no two parsers read differently. Everything else is left to Node's parser:
 * invalid requests, and valid ones with other methods, folded lines or bytes beyond ASCII.
 */
const HEAD = /^(GET|POST) (\/[\w/?&=%.~:+,;@!*()[\]-]*) HTTP\/1\.1((?:\r\n[A-Za-z][\w-]*:[ -~]*)+)$/;
/** Headers that change the message framing, the protocol or the lifetime of the connection. */
const NOT_PLAIN: ReadonlySet<string> = new Set(['transfer-encoding', 'upgrade', 'expect', 'te', 'trailer', 'http2-settings']);
const HEAD_END = '\r\n\r\n';
const MAX_HEAD_BYTES = 8192;
const NO_BODY = new Uint8Array(0);

/** Returns the request; null unless `bytes` are exactly one simple request with at most `maxBodyBytes` of body. */
export function parseFastRequest(bytes: Buffer, maxBodyBytes: number, ip: string): ServiceRequest | null {
  const end = bytes.indexOf(HEAD_END, 0, 'latin1');
  if (end < 0 || end > MAX_HEAD_BYTES) return null;
  const found = HEAD.exec(bytes.toString('latin1', 0, end));
  if (found === null) return null;
  const headers = headersIn(found[3]!);
  if (headers === null) return null;
  const method = found[1]!;
  const from = end + HEAD_END.length;
  if (lengthOf(headers['content-length'], method) !== bytes.length - from || bytes.length - from > maxBodyBytes) return null;
  return { method, target: found[2]!, headers, body: from === bytes.length ? NO_BODY : bytes.subarray(from), ip };
}

/** Returns the headers with names in lower case; null if a name occurs twice or the request is not simple. */
function headersIn(lines: string): Readonly<Record<string, string>> | null {
  const headers: Record<string, string> = {};
  // Each line begins with its line break.
  for (let at = 2; at < lines.length;) {
    const end = lines.indexOf('\r\n', at);
    const stop = end < 0 ? lines.length : end;
    const colon = lines.indexOf(':', at);
    const name = lines.slice(at, colon).toLowerCase();
    if (Object.hasOwn(headers, name) || NOT_PLAIN.has(name)) return null;
    headers[name] = lines.slice(colon + 1, stop).trim();
    at = stop + 2;
  }
  const { connection } = headers;
  const isKept = connection === undefined || connection.toLowerCase() === 'keep-alive';
  return isKept && headers['host'] !== undefined ? headers : null;
}

/** Returns the length of the body in bytes; NaN if it is not stated in the simple form. */
function lengthOf(text: string | undefined, method: string): number {
  if (text === undefined) return method === 'GET' ? 0 : NaN;
  return /^\d{1,9}$/.test(text) ? Number(text) : NaN;
}
