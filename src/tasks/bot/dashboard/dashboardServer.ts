// The HTTP server of the dashboard, on loopback: a public page, and the state and acts of the bot for requests with a token.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { BotControl } from '../../control/botControl.ts';
import { metricsText } from '../../control/metrics.ts';
import { perform, readRequest, requiredLevel, type BotRequest } from '../../control/botRequest.ts';
import { MAX_CONNECTIONS, receiveBody, SERVER_LIMITS, singleHeaders } from '../../../adapters/localServer/requests.ts';
import { ConfigError } from '../../../base/errors.ts';
import { listenRemedy } from '../../../base/text/listenRemedy.ts';
import { assets, type PageAsset } from './assets.ts';
import { RequestGuard, confirmationWordFor, type AccessRefusal } from './requestGuard.ts';
import { Refusals } from './refusals.ts';
import { Tokens, readOrCreateTokens } from './tokens.ts';

/** The address of the dashboard, and the folder of its tokens. */
export interface DashboardOptions {
  /** Data folder of the bot. It holds the tokens. */
  readonly folder: string;
  /** A loopback address; default 127.0.0.1. */
  readonly host?: string;
  /** 0: a free port. */
  readonly port: number;
  readonly nowMs: () => number;
  /** Logs acts and refused requests. */
  readonly log: (level: 'info' | 'warn', message: string) => void;
}

/** A running dashboard. */
export interface Dashboard {
  /** `http://127.0.0.1:8090`. */
  readonly url: string;
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 64 * 1024;
const LOOPBACK: readonly string[] = ['127.0.0.1', '::1', 'localhost'];
/** Security headers of every reply: the browser runs only scripts of this page, shows it in no frame and stores nothing. */
const SECURITY_HEADERS = {
  'Content-Security-Policy': "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
  'Cache-Control': 'no-store',
} as const;

/** A reply of the server, before its security headers. */
interface PageAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
}

const jsonReply = (status: number, value: unknown): PageAnswer => ({
  status,
  type: 'application/json; charset=utf-8',
  body: JSON.stringify(value),
});
const refusalReply = ({ status, problem }: { readonly status: number; readonly problem: string }): PageAnswer =>
  jsonReply(status, { problem });

/** Starts the server. Throws ConfigError for an address that is not loopback, and for a port that cannot be opened. */
export async function openDashboard(control: BotControl, options: DashboardOptions): Promise<Dashboard> {
  const { folder, host = '127.0.0.1', port, log } = options;
  if (!LOOPBACK.includes(host)) {
    throw new ConfigError(
      `dashboard.host: expected ${LOOPBACK.join(', ')}, got ${host}`,
      'from elsewhere use an SSH tunnel: ssh -L 8090:127.0.0.1:8090 ...',
    );
  }
  const handler = new DashboardHandler(control, new Tokens(readOrCreateTokens(folder)), options);
  const server = createServer(SERVER_LIMITS, (request, response) =>
    receiveBody(request, MAX_BODY_BYTES, (body) => void handler.replyTo(request, body).then((answer) => send(response, answer))),
  );
  server.maxConnections = MAX_CONNECTIONS;
  const boundPort = await startListening(server, host, port);
  handler.open(boundPort);
  const hostInUrl = host.includes(':') ? `[${host}]` : host;
  const url = `http://${hostInUrl}:${boundPort}`;
  log('info', `the dashboard is at ${url}; its tokens are in the data folder`);
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        handler.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type ReceivedRequest = Parameters<RequestGuard['authorize']>[0];

/** Answers the requests of one dashboard. */
class DashboardHandler {
  readonly #control: BotControl;
  readonly #tokens: Tokens;
  readonly #options: DashboardOptions;
  readonly #assets: ReadonlyMap<string, PageAsset> = assets();
  readonly #refusals: Refusals;
  #guard: RequestGuard | null = null;

  constructor(control: BotControl, tokens: Tokens, options: DashboardOptions) {
    this.#control = control;
    this.#tokens = tokens;
    this.#options = options;
    this.#refusals = new Refusals(options.nowMs, (message) => options.log('warn', message));
  }

  /** Logs the refusals that are not in the log yet. */
  close(): void {
    this.#refusals.flush();
  }

  /** Creates the guard once the port is known: valid host names include the port. */
  open(port: number): void {
    this.#guard = new RequestGuard(this.#tokens, port, this.#options.nowMs);
  }

  /** Returns the reply to a request. `body` null: the body was too large. */
  async replyTo(request: IncomingMessage, body: Buffer | null): Promise<PageAnswer> {
    const { method = '', url = '' } = request;
    const received = { method, headers: singleHeaders(request.headers) };
    const crossSiteRefusal = this.#guard?.crossSiteRefusal(received) ?? null;
    if (crossSiteRefusal) {
      const sender = received.headers['origin'] ?? received.headers['host'] ?? 'nowhere';
      return this.#refuse(crossSiteRefusal, `${method} from ${sender}`);
    }
    if (body === null) return refusalReply({ status: 413, problem: `expected at most ${MAX_BODY_BYTES} bytes` });
    const asset = this.#assets.get(url);
    if (asset) return method === 'GET' ? { status: 200, ...asset } : refusalReply({ status: 405, problem: 'expected GET' });
    switch (url) {
      case '/api/view':
      case '/metrics':
        return this.#read(received, url);
      case '/api/act':
        return this.#act(received, body);
      default:
        return refusalReply({ status: 404, problem: 'no such path' });
    }
  }

  /** Replies with the view of the bot, or with its metrics. */
  #read(received: ReceivedRequest, url: string): PageAnswer {
    if (received.method !== 'GET') return refusalReply({ status: 405, problem: 'expected GET' });
    const allowed = this.#guard!.authorize(received, 'read');
    if (typeof allowed === 'object') return this.#refuse(allowed, url);
    this.#control.noteActivity();
    const view = this.#control.view();
    if (url === '/metrics')
      return { status: 200, type: 'text/plain; version=0.0.4; charset=utf-8', body: `${metricsText(view)}${this.#refusalMetrics()}` };
    return jsonReply(200, { allowed, view });
  }

  /** Performs an act. The body is `{request, typed}`: the request, and the confirmation word that the operator typed. */
  async #act(received: ReceivedRequest, body: Buffer): Promise<PageAnswer> {
    if (received.method !== 'POST') return refusalReply({ status: 405, problem: 'expected POST' });
    // Check the token first: a caller without one learns nothing about the form of requests.
    const allowed = this.#guard!.authorize(received, 'read');
    if (typeof allowed === 'object') return this.#refuse(allowed, '/api/act');
    if (received.headers['content-type'] !== 'application/json') return refusalReply({ status: 415, problem: 'expected application/json' });
    const { request: requestMembers, typed } = jsonMembers(body);
    const parsed = readRequest(requestMembers);
    if ('problem' in parsed) return refusalReply({ status: 400, problem: parsed.problem });
    return this.#perform(received, parsed.request, typed);
  }

  /** Carries out a request of the page, if its token allows it and the operator has typed the word that it needs. */
  async #perform(received: ReceivedRequest, request: BotRequest, typed: unknown): Promise<PageAnswer> {
    const allowed = this.#guard!.authorize(received, requiredLevel(request.op));
    if (typeof allowed === 'object') return this.#refuse(allowed, request.op);
    const confirmationWord = confirmationWordFor(request.op);
    if (confirmationWord !== null && typed !== confirmationWord)
      return refusalReply({ status: 400, problem: `type the word ${confirmationWord} to confirm` });
    this.#options.log('info', `dashboard: ${request.op} with a token that allows ${allowed}`);
    return jsonReply(200, await perform(this.#control, request, 'dashboard'));
  }

  /** Counts a refusal and returns its reply. `target`: the path or act of the request. */
  #refuse(refusal: AccessRefusal, target: string): PageAnswer {
    this.#refusals.add(refusal.problem, target);
    return refusalReply(refusal);
  }

  /** Returns the count of refusals in the format of the metrics. */
  #refusalMetrics(): string {
    const name = 'isobar_dashboard_refused_total';
    return `# HELP ${name} Requests that the dashboard has refused.\n# TYPE ${name} counter\n${name} ${this.#refusals.total}\n`;
  }
}

/** Returns the members of a JSON body; none if it is not an object. */
function jsonMembers(body: Buffer): { readonly request?: unknown; readonly typed?: unknown } {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null ? value : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** Writes a reply with the security headers. */
function send(response: ServerResponse, { status, type, body }: PageAnswer): void {
  if (response.destroyed) return;
  response.writeHead(status, { ...SECURITY_HEADERS, 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}

/** Starts to listen. Returns the port. Throws ConfigError if it cannot be opened. */
async function startListening(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new ConfigError(`the dashboard cannot listen on ${host}:${port}: ${error.code ?? error.message}`, listenRemedy(error.code))),
    );
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}
