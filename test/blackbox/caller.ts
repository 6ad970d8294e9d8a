// Sends signed requests over plain HTTP. It is written only from parts 4 and 5 of the specification, and keeps every digit of an id.

import { createHmac } from 'node:crypto';
import { Agent, request } from 'node:http';
import type { Exchange } from './exchange.ts';

/** The arguments of a call by the names of the wire. */
export type CallArgs = Readonly<Record<string, unknown>>;

/** How a request differs from an ordinary one. */
export interface SendOptions {
  /** The account whose key signs (default alice). Null sends no credentials. */
  readonly as?: string | null;
  /** Secret that signs. The default is that of the account. */
  readonly secret?: string;
  /** Timestamp in ms. The default is the exchange's time. */
  readonly timestamp?: number | string;
  /** Headers that replace the usual ones. The value undefined removes a header. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Text that is signed instead of the sent bytes. */
  readonly signedText?: string;
  /** Changes the signature before it is sent. */
  readonly changeSignature?: (signature: string) => string;
  /** The loopback address of the client. */
  readonly from?: string;
}

/** A reply as it arrived, before any shape is checked. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** The parsed body. A whole number of 16 digits or more is text that starts with #. Undefined if the body is no JSON. */
  readonly json: unknown;
  /** The error code; 0 for a success. */
  readonly code: number;
}

/** Returns the API key of a test account. */
export const keyOf = (account: string): string => `${account}-Key`;
/** Returns the API secret of a test account. */
export const secretOf = (account: string): string => `${account}-Secret`;

/** One request in all its parts. */
interface HttpRequest {
  readonly method: string;
  readonly target: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly from: string;
}

/** Sends calls to one exchange, and keeps one connection pool for each local address. */
export class Caller {
  readonly exchange: Exchange;
  readonly #agents = new Map<string, Agent>();

  constructor(exchange: Exchange) {
    this.exchange = exchange;
  }

  /** Sends a GET with its parameters in the query. */
  get(path: string, args: CallArgs = {}, sendOptions: SendOptions = {}): Promise<Reply> {
    const query = Object.entries(args).map(([name, value]) => `${name}=${encodeURIComponent(textOf(value))}`);
    return this.send('GET', query.length === 0 ? path : `${path}?${query.join('&')}`, '', sendOptions);
  }

  /** Sends a POST with its parameters as a JSON body. */
  post(path: string, args: CallArgs = {}, sendOptions: SendOptions = {}): Promise<Reply> {
    return this.send('POST', path, jsonText(args), sendOptions);
  }

  /** Signs and sends a request. `target` is the path with its query. */
  send(method: string, target: string, body: string, sendOptions: SendOptions = {}): Promise<Reply> {
    const { as = 'alice', headers = {}, from = '127.0.0.1' } = sendOptions;
    const signedCall = `${method}${target}${method === 'POST' ? body : ''}`;
    const credentials = as === null ? {} : this.#credentials(as, signedCall, sendOptions);
    const allHeaders = { 'Content-Type': 'application/json', ...credentials, ...headers };
    const sentHeaders = Object.fromEntries(Object.entries(allHeaders).filter(([, value]) => value !== undefined));
    return this.#request({ method, target, body, headers: sentHeaders, from });
  }

  /** Closes all connections. */
  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
  }

  /** Returns the headers that sign `call` (method, target and body of a POST) by part 5 of the specification. */
  #credentials(as: string, call: string, sendOptions: SendOptions) {
    const { secret, timestamp = this.exchange.nowMs, signedText, changeSignature = (text) => text } = sendOptions;
    const hmac = createHmac('sha256', secret ?? secretOf(as)).update(signedText ?? `${timestamp}${call}`);
    return { 'X-CH-APIKEY': keyOf(as), 'X-CH-TS': String(timestamp), 'X-CH-SIGN': changeSignature(hmac.digest('hex')) };
  }

  /** Sends a request over the connection of its client, and resolves with the reply. */
  #request({ method, target, body, headers, from }: HttpRequest): Promise<Reply> {
    const { hostname, port } = new URL(this.exchange.origin);
    let agent = this.#agents.get(from);
    if (agent === undefined) this.#agents.set(from, (agent = new Agent({ keepAlive: true, maxSockets: 32, localAddress: from })));
    const length = Buffer.byteLength(body);
    const allHeaders = length === 0 ? headers : { ...headers, 'Content-Length': String(length) };
    return new Promise((resolve, reject) => {
      const call = request({ hostname, port, method, path: target, headers: allHeaders, agent }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('end', () => {
          const json = parse(text);
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json, code: codeIn(json) });
        });
        response.on('error', reject);
      });
      call.on('error', reject);
      call.end(body);
    });
  }
}

/** A text that is written into JSON unchanged and unquoted, such as `1.50`. */
class RawJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
/** Returns a value that `Caller` writes into JSON unchanged: `raw('1.50')`. */
export const raw = (text: string): unknown => new RawJson(text);

/** Returns the JSON text of a value that may have raw parts. */
function jsonText(value: unknown): string {
  if (value instanceof RawJson) return value.text;
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${jsonText(member)}`);
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value);
}

/** Returns the text of a value in a query, before it is percent-encoded. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : jsonText(value));

/** Parses a body, and keeps every digit of long whole numbers. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text.replaceAll(/(?<=[:[,])(\d{16,})(?=[,}\]])/g, '"#$1"'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Returns the error code of a body, 0 if it has none. */
function codeIn(json: unknown): number {
  return typeof json === 'object' && json !== null && 'code' in json ? Number(json.code) : 0;
}
