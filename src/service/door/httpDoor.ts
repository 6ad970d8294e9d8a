// HTTP before the exchange: sockets and bytes in, the answer of the synchronous function out.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError } from '../../base/errors.ts';
import type { Delivered } from '../faults/faultyService.ts';
import type { ServiceRequest } from '../message.ts';
import type { HeartbeatServer } from '../socket/heartbeatServer.ts';
import { plainAgain } from './plainAgain.ts';

/** Answers a request, now or later; null: the connection is closed without an answer. */
export type Answerer = (request: ServiceRequest, deliver: (response: Delivered) => void) => void;

export interface DoorOptions {
  /** Loopback unless said otherwise. */
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  /** Largest body in bytes; the connection of a larger one is closed after HTTP 413. */
  readonly maxBodyBytes: number;
}

export const DOOR_DEFAULTS: DoorOptions = { host: '127.0.0.1', port: 0, maxBodyBytes: 256 * 1024 };
const JSON_UTF8 = 'application/json;charset=UTF-8';
/** Idle connections stay open a little longer than most clients keep theirs. */
const KEEP_ALIVE_MS = 65_000;
const NO_BODY = new Uint8Array(0);

export interface Door {
  readonly port: number;
  /** `http://127.0.0.1:8080`. */
  readonly url: string;
  close(): Promise<void>;
}

/** Opens the door, with WebSockets behind it where `sockets` takes them. Throws ConfigError when the port cannot be had. */
export async function openDoor(answer: Answerer, options: DoorOptions, sockets: HeartbeatServer | null = null): Promise<Door> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => receive(request, response, answer, options));
  if (sockets !== null) {
    server.on('upgrade', (request, socket, head) => {
      if (!sockets.take(request, socket, head)) plainAgain(server, request, socket, head);
    });
  }
  await listening(server, options);
  const { port } = addressOf(server);
  return {
    port,
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    close: () => {
      sockets?.close();
      return closed(server);
    },
  };
}

function receive(request: IncomingMessage, response: ServerResponse, answer: Answerer, { maxBodyBytes }: DoorOptions): void {
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= maxBodyBytes) chunks.push(chunk);
    else if (!response.headersSent) {
      response.writeHead(413, { Connection: 'close' });
      response.end();
    }
  });
  request.on('end', () => {
    if (response.headersSent) return;
    const given: ServiceRequest = {
      method: request.method ?? '',
      target: request.url ?? '',
      headers: single(request.headers),
      body: chunks.length === 0 ? NO_BODY : chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks),
      ip: request.socket.remoteAddress ?? '',
    };
    answer(given, (delivered) => {
      if (delivered === null) request.socket.destroy();
      else send(response, delivered);
    });
  });
}

function send(response: ServerResponse, { status, headers, body, cutAt }: NonNullable<Delivered>): void {
  // A client that went away while its answer waited gets none.
  if (response.destroyed) return;
  const length = Buffer.byteLength(body);
  response.writeHead(status, { 'Content-Type': JSON_UTF8, 'Content-Length': length, ...headers });
  if (cutAt === undefined || cutAt >= length) {
    response.end(body);
    return;
  }
  response.write(Buffer.from(body).subarray(0, cutAt), () => response.destroy());
}

/** A header that came twice is none of the exchange's: Node joins all that matter here, and keeps the first of the others. */
function single(headers: IncomingMessage['headers']): Readonly<Record<string, string | undefined>> {
  const found: Record<string, string | undefined> = {};
  for (const name in headers) {
    const value = headers[name];
    found[name] = typeof value === 'object' ? value.join(', ') : value;
  }
  return found;
}

async function listening(server: Server, { host, port }: DoorOptions): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        new ConfigError(`cannot listen on ${host}:${port}: ${error.code ?? error.message}`, 'choose another port, or 0 for a free one'),
      );
    });
    server.listen(port, host, resolve);
  });
}

function addressOf(server: Server): AddressInfo {
  const found = server.address();
  if (found === null || typeof found === 'string') throw new ConfigError('the server listens on no port', 'give a port');
  return found;
}

async function closed(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
