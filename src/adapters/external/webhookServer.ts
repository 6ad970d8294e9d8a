// Runs the HTTP server for webhooks: on loopback, or behind a TLS front that the config names.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { ConfigError } from '../../base/errors.ts';
import { listenRemedy } from '../../base/text/listenRemedy.ts';
import { MAX_CONNECTIONS, receiveBody, SERVER_LIMITS } from '../localServer/requests.ts';

/** Where webhooks listen. */
export interface WebhookListener {
  readonly host: string;
  /** 0: a free port. */
  readonly port: number;
  /** Host and port of the TLS front, as requests through it name them; null: none. */
  readonly frontHost: string | null;
}

/** The reply to a request of a webhook. */
export interface HookReply {
  readonly status: number;
  /** Why the value was not taken; null if it was. */
  readonly problem: string | null;
}

/** Takes a request with a body; null: no such path. */
export type HookHandler = (path: string, headers: IncomingMessage['headers'], body: Buffer) => Promise<HookReply> | null;

/** Listening webhooks. */
export interface OpenWebhooks {
  /** `http://127.0.0.1:8091`. */
  readonly url: string;
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 8 * 1024;

/** Opens the server. Throws ConfigError for a port that cannot be opened. */
export async function openWebhookServer({ host, port, frontHost }: WebhookListener, handler: HookHandler): Promise<OpenWebhooks> {
  const hosts = new Set<string>();
  const server = createServer(SERVER_LIMITS, (request, response) => {
    receiveBody(request, MAX_BODY_BYTES, (body) => void replyTo(request, body, hosts, handler).then((reply) => send(response, reply)));
  });
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new ConfigError(`webhooks.port: cannot listen on ${host}:${port}: ${error.code ?? error.message}`, listenRemedy(error.code))),
    );
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const boundPort = typeof address === 'object' && address !== null ? address.port : port;
  for (const name of ['127.0.0.1', 'localhost', '[::1]']) hosts.add(`${name}:${boundPort}`);
  if (frontHost !== null) hosts.add(frontHost);
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Returns the reply to a request. `body` null: it was too large. */
async function replyTo(
  { method, url = '', headers }: IncomingMessage,
  body: Buffer | null,
  hosts: ReadonlySet<string>,
  handler: HookHandler,
): Promise<HookReply> {
  // A page of another site may reach this port by a name of its own that resolves to this computer.
  if (!hosts.has((headers.host ?? '').toLowerCase())) return { status: 403, problem: 'this address is not one of the webhooks' };
  if (headers.origin !== undefined) return { status: 403, problem: 'the request comes from a page' };
  if (method !== 'POST') return { status: 405, problem: 'expected POST' };
  if (body === null) return { status: 413, problem: `expected at most ${MAX_BODY_BYTES} bytes` };
  return (await handler(url, headers, body)) ?? { status: 404, problem: 'no such path' };
}

/** Sends a reply as JSON, unless the connection has closed. */
function send(response: ServerResponse, { status, problem }: HookReply): void {
  if (response.destroyed) return;
  const body = JSON.stringify(problem === null ? { ok: true } : { problem });
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(body);
}
