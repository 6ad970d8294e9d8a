// Sends signed requests over plain HTTP. It is written only from parts 4 and 5 of the specification, and keeps every digit of an id.

import { createHmac } from 'node:crypto';
import { Agent, request } from 'node:http';
import type { Exchange } from './exchange.ts';

export type Given = Readonly<Record<string, unknown>>;

/** What a request has that an ordinary one has not. */
export interface Sending {
  /** The account whose key signs; null: no credentials. */
  readonly as?: string | null;
  readonly secret?: string;
  /** Timestamp; default: the time of the exchange. */
  readonly ts?: number | string;
  /** Over the usual headers; undefined: left out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** What is signed in place of what is sent. */
  readonly signed?: string;
  /** Turns the signature into what is sent for it. */
  readonly spelled?: (signature: string) => string;
  /** The loopback address that it comes from. */
  readonly from?: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** Whole numbers beyond 2^53 are text that begins with #. */
  readonly json: unknown;
  /** 0 for a success. */
  readonly code: number;
}

export const keyOf = (account: string): string => `${account}-Key`;
export const secretOf = (account: string): string => `${account}-Secret`;

export class Caller {
  readonly exchange: Exchange;
  readonly #agents = new Map<string, Agent>();

  constructor(exchange: Exchange) {
    this.exchange = exchange;
  }

  /** A GET with its parameters in the query; credentials unless `as` is null. */
  get(path: string, given: Given = {}, sending: Sending = {}): Promise<Reply> {
    const query = Object.entries(given).map(([name, value]) => `${name}=${encodeURIComponent(textOf(value))}`);
    return this.send('GET', query.length === 0 ? path : `${path}?${query.join('&')}`, '', sending);
  }

  post(path: string, given: Given = {}, sending: Sending = {}): Promise<Reply> {
    return this.send('POST', path, bodyOf(given), sending);
  }

  send(method: string, target: string, body: string, sending: Sending = {}): Promise<Reply> {
    const { as = 'alice', secret, ts = this.exchange.nowMs, headers = {}, signed, spelled = (text) => text, from = '127.0.0.1' } = sending;
    const all: Record<string, string | undefined> = { 'Content-Type': 'application/json' };
    if (as !== null) {
      const text = signed ?? `${ts}${method}${target}${method === 'POST' ? body : ''}`;
      all['X-CH-APIKEY'] = keyOf(as);
      all['X-CH-TS'] = String(ts);
      all['X-CH-SIGN'] = spelled(
        createHmac('sha256', secret ?? secretOf(as))
          .update(text)
          .digest('hex'),
      );
    }
    Object.assign(all, headers);
    const kept = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    return this.#exchangeOne(method, target, body, kept, from);
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
  }

  #exchangeOne(method: string, target: string, body: string, headers: Record<string, string | undefined>, from: string): Promise<Reply> {
    const { hostname, port } = new URL(this.exchange.origin);
    let agent = this.#agents.get(from);
    if (agent === undefined) this.#agents.set(from, (agent = new Agent({ keepAlive: true, maxSockets: 32, localAddress: from })));
    const length = Buffer.byteLength(body);
    const sent = length === 0 ? headers : { ...headers, 'Content-Length': String(length) };
    return new Promise((resolve, reject) => {
      const call = request({ hostname, port, method, path: target, headers: sent, agent }, (response) => {
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

/** JSON text with unquoted parts that JSON has no value for: `raw('1.50')`. */
class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
export const raw = (text: string): unknown => new Raw(text);

function bodyOf(value: unknown): string {
  if (value instanceof Raw) return value.text;
  if (Array.isArray(value)) return `[${value.map(bodyOf).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([name, each]) => `${JSON.stringify(name)}:${bodyOf(each)}`)
      .join(',')}}`;
  }
  return JSON.stringify(value);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : bodyOf(value));

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replaceAll(/(?<=[:[,])(\d{16,})(?=[,}\]])/g, '"#$1"'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function codeIn(json: unknown): number {
  return typeof json === 'object' && json !== null && 'code' in json ? Number(json.code) : 0;
}
