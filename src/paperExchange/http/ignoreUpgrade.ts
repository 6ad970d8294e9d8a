// Ignores a request to upgrade the protocol, as a server may (RFC 9110, section 7.8). The request is read again as an ordinary one.

import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Passes a request back to the server without its upgrade headers. Node hands over every request with an Upgrade header once there is a
 * listener, and some clients ask for h2c in each request. The request's bytes go back in front of the bytes that follow it.
 */
export function ignoreUpgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method = '', url = '', httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    const value = rawHeaders[index + 1]!;
    const keptValue = filterHeader(name.toLowerCase(), value);
    if (keptValue !== null) lines.push(`${name}: ${keptValue}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}

const UPGRADE_HEADERS: ReadonlySet<string> = new Set(['upgrade', 'http2-settings']);

/** Returns the part of a header to keep; null: drop the header. */
function filterHeader(name: string, value: string): string | null {
  if (UPGRADE_HEADERS.has(name)) return null;
  if (name !== 'connection') return value;
  const tokens = value.split(',').map((token) => token.trim());
  const otherTokens = tokens.filter((token) => !UPGRADE_HEADERS.has(token.toLowerCase()));
  return otherTokens.length === 0 ? null : otherTokens.join(', ');
}
