// The opening handshake of a WebSocket (RFC 6455, section 4.2): checks the request and builds the reply.

import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The reply has a hash of the client's key and this text (RFC 6455, section 1.3). */
const ACCEPT_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const VERSION = '13';

/** True for a request for a WebSocket. A request for another protocol (h2c) is an ordinary request to a server without that protocol. */
export const asksForWebSocket = ({ headers, method }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';

/** Returns the reply to a handshake, as text. `isAccepted` is false if the request is refused. */
export function handshake({ headers, httpVersion }: IncomingMessage): { readonly isAccepted: boolean; readonly answer: string } {
  const key = headers['sec-websocket-key'] ?? '';
  if (headers['sec-websocket-version'] !== VERSION) return refusal(426, 'Upgrade Required', `Sec-WebSocket-Version: ${VERSION}\r\n`);
  // A key is 16 bytes in base64.
  if (httpVersion !== '1.1' || !/^[A-Za-z0-9+/]{21}[AQgw]==$/.test(key)) return refusal(400, 'Bad Request');
  const accept = createHash('sha1')
    .update(key + ACCEPT_SUFFIX)
    .digest('base64');
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade', `Sec-WebSocket-Accept: ${accept}`];
  return { isAccepted: true, answer: `${lines.join('\r\n')}\r\n\r\n` };
}

/** Returns an HTTP error as the reply to a handshake. `moreHeaders`: further header lines, each with its line end. */
export function refusal(status: number, text: string, moreHeaders = ''): { readonly isAccepted: false; readonly answer: string } {
  return { isAccepted: false, answer: `HTTP/1.1 ${status} ${text}\r\n${moreHeaders}Connection: close\r\nContent-Length: 0\r\n\r\n` };
}
