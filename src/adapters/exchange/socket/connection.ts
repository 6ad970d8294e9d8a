// Opens one WebSocket connection. It replies to pings of every form and ignores all other messages. `PersistentSocket` reopens it.

import { createHash } from 'node:crypto';
import { request as requestPlain, type IncomingMessage } from 'node:http';
import { request as requestTls } from 'node:https';
import type { Duplex } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { utf8 } from '../../../protocol/json/json.ts';
import {
  CLOSE,
  closeReplyCode,
  closePayload,
  frameOf,
  FrameReader,
  OPCODE,
  textIn,
  type SocketFrame,
} from '../../../protocol/socket/frames.ts';
import { heartbeatText, stampIn } from '../../../protocol/socket/heartbeatText.ts';

/** The handshake's reply is a hash of our key and this text (RFC 6455). */
const ACCEPT_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
/** Maximum message size in bytes, also when decompressed. Pings are smaller. */
const MAX_MESSAGE_BYTES = 64 * 1024;

/** The first bytes of gzip data. */
const GZIP_MAGIC = [0x1f, 0x8b] as const;

/** Takes the events of a connection. */
export interface ConnectionEvents {
  readonly opened: () => void;
  /** A ping was received and answered. */
  readonly pinged: () => unknown;
  /** Called once, whichever side closed the connection. */
  readonly closed: (reason: string) => void;
}

/** An open connection. */
export interface SocketConnection {
  /** Closes the connection now. `closed` is not called any more. */
  drop(): void;
}

/** Opens a connection. `url` starts with http or https instead of ws or wss. `random` returns numbers from 0 to 1. */
export function openSocket(url: string, random: () => number, events: ConnectionEvents): SocketConnection {
  const key = Buffer.from(bytesFrom(16, random)).toString('base64');
  let socket: Duplex | null = null;
  let hasEnded = false;
  const end = (reason: string | null): void => {
    if (hasEnded) return;
    hasEnded = true;
    request.destroy();
    socket?.destroy();
    if (reason !== null) events.closed(reason);
  };
  const send = url.startsWith('https:') ? requestTls : requestPlain;
  const request = send(url, {
    agent: false,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    headers: { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': key },
  });
  request.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  request.on('response', ({ statusCode }) => end(`the service answers HTTP ${statusCode ?? 0}`));
  request.on('upgrade', (response, upgraded, head) => {
    socket = upgraded;
    upgraded.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
    upgraded.on('close', () => end('the connection was lost'));
    if (hasEnded) upgraded.destroy();
    else if (!isAccepted(response, key)) end('expected a WebSocket handshake reply, got another reply');
    else listen(upgraded, head, random, { ...events, pinged: () => hasEnded || events.pinged() }, end);
  });
  request.end();
  return { drop: () => end(null) };
}

const bytesFrom = (count: number, random: () => number): Uint8Array => Uint8Array.from({ length: count }, () => Math.floor(random() * 256));

/** True if the reply accepts the handshake with this key, and adds nothing to the protocol. */
function isAccepted({ headers }: IncomingMessage, key: string): boolean {
  const accept = createHash('sha1')
    .update(key + ACCEPT_SUFFIX)
    .digest('base64');
  // We offered no extension and no protocol. A service that names one would use it.
  const isWithoutExtras = headers['sec-websocket-extensions'] === undefined && headers['sec-websocket-protocol'] === undefined;
  return headers.upgrade?.toLowerCase() === 'websocket' && headers['sec-websocket-accept'] === accept && isWithoutExtras;
}

/** Handles everything that the service sends. `head`: bytes that arrived with the handshake. */
function listen(socket: Duplex, head: Buffer, random: () => number, events: ConnectionEvents, end: (reason: string) => void): void {
  const reader = new FrameReader('server', MAX_MESSAGE_BYTES);
  const send = (opcode: number, payload: Uint8Array): void => void socket.write(frameOf(opcode, payload, bytesFrom(4, random)));
  const receive = (bytes: Uint8Array): void => {
    const { frames, error } = reader.push(bytes);
    for (const frame of frames) handleFrame(frame, send, events, end);
    if (error === null) return;
    send(OPCODE.close, closePayload(error.code, error.reason));
    end(`the service sent ${error.reason}`);
  };
  events.opened();
  socket.on('data', receive);
  if (head.length > 0) receive(head);
}

type Send = (opcode: number, payload: Uint8Array) => void;

/** Replies to pings of every form, and ends the connection for a close frame. */
function handleFrame({ opcode, payload }: SocketFrame, send: Send, events: ConnectionEvents, end: (reason: string) => void): void {
  switch (opcode) {
    case OPCODE.ping:
      send(OPCODE.pong, payload);
      events.pinged();
      return undefined;
    case OPCODE.close: {
      const code = closeReplyCode(payload);
      send(OPCODE.close, closePayload(code === CLOSE.protocol ? CLOSE.protocol : CLOSE.normal, ''));
      return end(`the service closed it (${code})`);
    }
    case OPCODE.text:
    case OPCODE.binary: {
      const stamp = stampIn('ping', messageIn(payload) ?? '');
      if (stamp === null) return undefined;
      send(OPCODE.text, utf8(heartbeatText('pong', stamp)));
      events.pinged();
      return undefined;
    }
    default:
      return undefined;
  }
}

/** Returns the text of a message, which some services compress with gzip; null if it is not text. */
function messageIn(payload: Uint8Array): string | null {
  const isGzip = payload[0] === GZIP_MAGIC[0] && payload[1] === GZIP_MAGIC[1];
  if (!isGzip) return textIn(payload);
  try {
    return textIn(gunzipSync(payload, { maxOutputLength: MAX_MESSAGE_BYTES }));
  } catch (error) {
    // Broken or too large, so not a ping.
    if (error instanceof Error) return null;
    throw error;
  }
}
