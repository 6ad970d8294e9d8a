// Helpers of the HTTP servers of a bot: limits on connections, request bodies and headers.

import type { IncomingMessage } from 'node:http';

/** Enough for a few clients: dashboards that poll once a second, or senders of external values. */
export const MAX_CONNECTIONS = 32;
/** Time-outs end slow connections, so that they do not block others. */
export const SERVER_LIMITS = {
  headersTimeout: 2000,
  requestTimeout: 10_000,
  keepAliveTimeout: 10_000,
  connectionsCheckingInterval: 1000,
  maxHeaderSize: 16 * 1024,
} as const;

/** Calls `onBody` with the body of a request, or with null for a body of more than `maxBytes`. */
export function receiveBody(request: IncomingMessage, maxBytes: number, onBody: (body: Buffer | null) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= maxBytes) chunks.push(chunk);
  });
  request.on('end', () => onBody(size > maxBytes ? null : Buffer.concat(chunks)));
  request.on('error', () => request.destroy());
}

/** Returns each header as one text. */
export function singleHeaders(headers: IncomingMessage['headers']): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]));
}
