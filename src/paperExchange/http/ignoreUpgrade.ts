// Requests that ask for another protocol, which a server may overlook (RFC 9110, section 7.8), read once more as ordinary ones.

import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Node gives every request with an Upgrade header away as soon as somebody listens for one; some clients ask for h2c with each request.
 * Its bytes go back in front of what follows, without what asks for the upgrade, and the connection begins anew.
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

/** The value of a header that stays; null: it does not. */
function withoutUpgrade(name: string, value: string): string | null {
  if (OF_THE_UPGRADE.has(name)) return null;
  if (name !== 'connection') return value;
  const tokens = value.split(',').map((token) => token.trim());
  const left = tokens.filter((token) => !OF_THE_UPGRADE.has(token.toLowerCase()));
  return left.length === 0 ? null : left.join(', ');
}
