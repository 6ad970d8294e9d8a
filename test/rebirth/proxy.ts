// A proxy between a bot and its exchange: it can drop a request or its reply, and reports each one that passes.

import { once } from 'node:events';
import { Agent, createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request of the bot. */
export interface BotRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** What is done with a request: passed on, lost on its way there, or passed on and its answer lost. */
export type Result = 'pass' | 'loseRequest' | 'loseAnswer';

/** An HTTP proxy on this machine that decides about each request. */
export class Proxy {
  readonly url: string;
  /** Called for each request before it is passed on. */
  decide: (passing: BotRequest) => Result = () => 'pass';
  /** Called once what was lost is lost: the exchange has it, or never will. */
  lost: () => void = () => {};
  readonly #server;
  /** A connection for each request: the exchange may close one that waits just as the next request is written to it. */
  readonly #agent = new Agent({ keepAlive: false });

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async open(target: string): Promise<Proxy> {
    const { port } = new URL(target);
    const cell: { proxy: Proxy | null } = { proxy: null };
    const server = createServer((incoming, outgoing) => void cell.proxy!.#pass(incoming, outgoing, Number(port)));
    server.keepAliveTimeout = 0;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (cell.proxy = new Proxy(server));
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** Passes a request on, unless the test loses the request or its answer. */
  async #pass(incoming: IncomingMessage, outgoing: ServerResponse, port: number): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
    } catch {
      return; // The bot was killed while it sent.
    }
    const { method = 'GET', url = '/', rawHeaders } = incoming;
    const bytes = Buffer.concat(chunks);
    const outcome = this.decide({ method, path: url, body: bytes.toString('utf8') });
    if (outcome === 'loseRequest') {
      incoming.socket.destroy();
      this.lost();
      return;
    }
    const onward = ask({ host: '127.0.0.1', port, method, path: url, agent: this.#agent, headers: pairs(rawHeaders) });
    onward.end(bytes);
    const [answer] = (await once(onward, 'response')) as [IncomingMessage];
    const parts: Buffer[] = [];
    for await (const part of answer) parts.push(part as Buffer);
    if (outcome === 'loseAnswer') {
      incoming.socket.destroy();
      this.lost();
      return;
    }
    outgoing.writeHead(answer.statusCode ?? 502, pairs(answer.rawHeaders));
    outgoing.end(Buffer.concat(parts));
  }
}

/** Headers as they came, without those of the connection itself. */
function pairs(raw: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase();
    if (!['connection', 'keep-alive', 'transfer-encoding', 'host'].includes(name)) headers[name] = raw[at + 1]!;
  }
  return headers;
}
