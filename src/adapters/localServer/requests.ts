// What the HTTP servers of a bot have in common: time-outs for slow clients, bodies with a most, headers as single texts.

import type { IncomingMessage } from 'node:http';

/** Enough for a few clients: pages that ask once a second, or senders of values. */
export const MAX_CONNECTIONS = 32;
/** Time-outs end slow connections, so that they do not block others. */
export const SERVER_LIMITS = {
  headersTimeout: 2000,
  requestTimeout: 10_000,
  keepAliveTimeout: 10_000,
  connectionsCheckingInterval: 1000,
  maxHeaderSize: 16 * 1024,
} as const;

/** Calls `whole` with the body of a request; null for one of more than `maxBytes`. */
export function receiveBody(request: IncomingMessage, maxBytes: number, whole: (body: Buffer | null) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= maxBytes) chunks.push(chunk);
  });
  request.on('end', () => whole(size > maxBytes ? null : Buffer.concat(chunks)));
  request.on('error', () => request.destroy());
}

/** Returns each header as one text. */
export function singleHeaders(headers: IncomingMessage['headers']): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]));
}
