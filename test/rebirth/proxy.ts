// A proxy between a bot and its exchange: it can drop a request or its reply, and reports each one that passes.

import { once } from 'node:events';
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Time after which an idle connection is closed. The exchange closes one after twice that time, so no request is written to one that it closes. */
const IDLE_MS = 30_000;

/** One request of the bot. */
export interface BotRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** What the proxy does with a request: it passes it on, loses it, or passes it on and loses the reply. */
export type ProxyDecision = 'pass' | 'loseRequest' | 'loseReply';

/** An HTTP proxy on this machine that decides about each request. */
export class Proxy {
  readonly url: string;
  /** Called for each request before it is passed on. */
  decide: (botRequest: BotRequest) => ProxyDecision = () => 'pass';
  /** Called after a loss. From then on the exchange has the request, or will never get it. */
  onLoss: () => void = () => {};
  readonly #server;
  readonly #agent = new Agent({ keepAlive: true, timeout: IDLE_MS });

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Starts a proxy to the exchange at this address. */
  static async open(target: string): Promise<Proxy> {
    const { port } = new URL(target);
    const holder: { proxy: Proxy | null } = { proxy: null };
    const server = createServer((incoming, outgoing) => void holder.proxy!.#handle(incoming, outgoing, Number(port)));
    server.keepAliveTimeout = 0;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (holder.proxy = new Proxy(server));
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** Passes a request and its reply on, unless `decide` loses one of them. */
  async #handle(incoming: IncomingMessage, outgoing: ServerResponse, port: number): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
    } catch {
      // The bot was killed while it sent the request.
      return;
    }
    const { method = 'GET', url = '/', rawHeaders } = incoming;
    const bytes = Buffer.concat(chunks);
    const decision = this.decide({ method, path: url, body: bytes.toString('utf8') });
    if (decision === 'loseRequest') {
      incoming.socket.destroy();
      this.onLoss();
      return;
    }
    const forwarded = request({ host: '127.0.0.1', port, method, path: url, agent: this.#agent, headers: forwardedHeaders(rawHeaders) });
    forwarded.end(bytes);
    const [response] = (await once(forwarded, 'response')) as [IncomingMessage];
    const responseChunks: Buffer[] = [];
    for await (const chunk of response) responseChunks.push(chunk as Buffer);
    if (decision === 'loseReply') {
      incoming.socket.destroy();
      this.onLoss();
      return;
    }
    outgoing.writeHead(response.statusCode ?? 502, forwardedHeaders(response.rawHeaders));
    outgoing.end(Buffer.concat(responseChunks));
  }
}

/** Returns the headers without those that concern only one connection. `raw`: names and values in turn. */
function forwardedHeaders(raw: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index]!.toLowerCase();
    if (!['connection', 'keep-alive', 'transfer-encoding', 'host'].includes(name)) headers[name] = raw[index + 1]!;
  }
  return headers;
}
