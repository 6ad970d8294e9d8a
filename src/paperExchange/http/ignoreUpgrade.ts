// Ignores a request to upgrade the protocol, as a server may (RFC 9110, section 7.8). The request is read again as an ordinary one.

import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Passes a request back to the server without its upgrade headers. Node hands over every request with an Upgrade header once there is a
 * listener, and some clients ask for h2c in each request. The request's bytes go back in front of what follows.
 */
export function ignoreUpgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method = '', url = '', httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name, value] = [rawHeaders[at]!, rawHeaders[at + 1]!];
    const kept = withoutUpgrade(name.toLowerCase(), value);
    if (kept !== null) lines.push(`${name}: ${kept}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}

const OF_THE_UPGRADE: ReadonlySet<string> = new Set(['upgrade', 'http2-settings']);

/** Returns the part of a header to keep; null: drop the header. */
function withoutUpgrade(name: string, value: string): string | null {
  if (OF_THE_UPGRADE.has(name)) return null;
  if (name !== 'connection') return value;
  const tokens = value.split(',').map((token) => token.trim());
  const left = tokens.filter((token) => !OF_THE_UPGRADE.has(token.toLowerCase()));
  return left.length === 0 ? null : left.join(', ');
}
