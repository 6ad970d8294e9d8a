// The HTTP server of the exchange: it reads requests from sockets, and writes the replies of a function.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError } from '../../base/errors.ts';
import { listenRemedy } from '../../base/text/listenRemedy.ts';
import type { DeliveredReply } from '../faults/faultyService.ts';
import type { HeartbeatServer } from './heartbeatServer.ts';
import { ignoreUpgrade } from './ignoreUpgrade.ts';
import { requestTargetOf } from './requestTarget.ts';
import { StalledClients } from './stalledClients.ts';
import type { Answerer } from './answerer.ts';

/** The timer that checks for clients that do not read. */
export interface HttpClock {
  /** Calls `onPeriod` every `periodMs` until the returned function is called. */
  repeat(periodMs: number, onPeriod: () => void): () => void;
}

/** Limits that protect the server from its clients. */
export interface ServerLimits {
  /** Maximum number of simultaneous connections. A further one is closed at once. */
  readonly maxConnections: number;
  /** Time limit in ms for receiving a complete request, body included. After it the server answers HTTP 408 and closes the connection. */
  readonly requestTimeoutMs: number;
}

/** Address and limits of the server. */
export interface HttpServerOptions extends ServerLimits {
  /** Default: loopback. */
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Maximum size of a body in bytes. A larger one is answered with HTTP 413, and the connection is closed. */
  readonly maxBodyBytes: number;
  readonly clock: HttpClock;
}

/** Options of a server that does not set its own. */
export const HTTP_DEFAULTS: Omit<HttpServerOptions, 'clock'> = {
  host: '127.0.0.1',
  port: 0,
  maxBodyBytes: 256 * 1024,
  maxConnections: 1000,
  requestTimeoutMs: 10_000,
};
const JSON_UTF8 = 'application/json;charset=UTF-8';
/** Idle connections stay open slightly longer than most clients keep theirs. */
const KEEP_ALIVE_MS = 65_000;
/** How often incomplete requests are checked for their time limit. */
const CHECK_MS = 1000;
/** A client is disconnected if it reads none of its waiting replies for this time. Checks have the same interval, so it may take twice as long. */
const STALLED_MS = 65_000;
/** Time in which clients of WebSockets may read close frames, and refused ones their reply, when the server closes. */
const CLOSE_MS = 500;
const NO_BODY = new Uint8Array(0);

/** A server that listens. */
export interface RunningHttpServer {
  readonly port: number;
  /** For example `http://127.0.0.1:8080`. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts the server. `sockets` handles WebSockets if it is given. Throws ConfigError if the port is not available. */
export async function startHttpServer(
  answer: Answerer,
  options: HttpServerOptions,
  sockets: HeartbeatServer | null = null,
): Promise<RunningHttpServer> {
  const { maxConnections, requestTimeoutMs } = options;
  const timeouts = { headersTimeout: requestTimeoutMs, requestTimeout: requestTimeoutMs, connectionsCheckingInterval: CHECK_MS };
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, ...timeouts }, (request, response) =>
    receive(request, response, answer, options),
  );
  server.maxConnections = maxConnections;
  if (sockets !== null) {
    server.on('upgrade', (request, socket, head) => {
      if (!sockets.acceptUpgrade(request, socket, head)) ignoreUpgrade(server, request, socket, head);
    });
  }
  const stalledClients = new StalledClients();
  server.on('connection', (socket) => stalledClients.watch(socket));
  await startListening(server, options);
  const stopChecking = options.clock.repeat(STALLED_MS, () => stalledClients.close());
  const { port } = addressOf(server);
  return {
    port,
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    close: async () => {
      stopChecking();
      sockets?.close();
      const stopWaiting = options.clock.repeat(CLOSE_MS, () => stalledClients.closeAll());
      await waitForClose(server);
      stopWaiting();
    },
  };
}

/** Reads a request and passes it to `answer`. A body above the limit is answered with HTTP 413. */
function receive(request: IncomingMessage, response: ServerResponse, answer: Answerer, { maxBodyBytes }: HttpServerOptions): void {
  const { method = '', url = '', socket } = request;
  const { target, authority } = requestTargetOf(url);
  const ownHeaders = headersOf(request);
  const headers = authority === null ? ownHeaders : { ...ownHeaders, host: authority };
  const answerWith = (body: Uint8Array): void => {
    answer({ method, target, headers, body, ip: socket.remoteAddress ?? '' }, (delivered) => {
      if (delivered === null) socket.destroy();
      else send(response, delivered);
    });
  };
  // A body is always announced by a header (RFC 9112, section 6). Without one the request is complete.
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return answerWith(NO_BODY);
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
    // A single chunk needs no copy.
    answerWith(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
  });
}

/** Writes a reply, or only its first `cutAt` bytes before the connection closes. */
function send(response: ServerResponse, { status, headers, body, cutAt }: NonNullable<DeliveredReply>): void {
  // The client closed the connection before its reply was ready.
  if (response.destroyed) return;
  const length = Buffer.byteLength(body);
  response.writeHead(status, { 'Content-Type': JSON_UTF8, 'Content-Length': length, ...headers });
  if (cutAt === undefined || cutAt >= length) {
    response.end(body);
    return;
  }
  response.write(Buffer.from(body).subarray(0, cutAt), () => response.destroy());
}

/**
 * Returns the headers with names in lower case. Reading the raw lines avoids Node's header table, which would cost as much as the rest of a
 * ping.
 */
function headersOf(request: IncomingMessage): Readonly<Record<string, string | undefined>> {
  const { rawHeaders } = request;
  const headers: Record<string, string | undefined> = {};
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    if (Object.hasOwn(headers, name)) return joinHeaders(request.headers);
    headers[name] = rawHeaders[index + 1]!;
  }
  return headers;
}

/**
 * Returns the headers of a request that sends a name twice, as Node merges them: most are joined, of the others the first counts. The
 * exchange reads no header that occurs twice.
 */
function joinHeaders(headers: IncomingMessage['headers']): Readonly<Record<string, string | undefined>> {
  const entries = Object.entries(headers);
  return Object.fromEntries(entries.map(([name, value]) => [name, typeof value === 'object' ? value.join(', ') : value]));
}

/** Waits until the server listens. Throws ConfigError if the port is not available. */
async function startListening(server: Server, { host, port }: HttpServerOptions): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(new ConfigError(`cannot listen on ${host}:${port}: ${error.code ?? error.message}`, listenRemedy(error.code)));
    });
    server.listen(port, host, resolve);
  });
}

/** Returns the address on which a server listens. */
function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new ConfigError('the server listens on no port', 'give a port');
  return address;
}

/** Closes the server and all its connections, and waits until that is done. */
async function waitForClose(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
