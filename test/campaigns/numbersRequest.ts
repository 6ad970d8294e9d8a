// Builds well-formed requests of all 38 endpoints with numbers of any size, which an exchange must survive.

import type { Rng } from '../../src/base/number/rng.ts';
import type { Market } from '../../src/model/instrument.ts';
import type { Param, Params } from '../../src/protocol/endpoints/endpoint.ts';
import { endpointOf, OPS, type Op } from '../../src/protocol/endpoints/endpoints.ts';
import { INTERVALS } from '../../src/model/interval.ts';

/** One drawn request. The caller signs it if `isSigned`. */
export interface DrawnRequest {
  readonly op: Op;
  readonly method: string;
  readonly target: string;
  readonly body: string;
  readonly isSigned: boolean;
  /** Parameters as they were drawn. */
  readonly params: ReadonlyMap<string, string>;
}

/** What makes a request mean something: instruments, a price at which they trade, ids that exist. */
export interface Sense {
  readonly names: (market: Market) => readonly string[];
  /** A plain decimal near which an instrument trades. */
  readonly price: (name: string) => string;
  readonly ids: readonly string[];
}

const EDGES = [2n ** 31n, 2n ** 32n, 2n ** 50n, 2n ** 51n, 2n ** 52n, 2n ** 53n, 2n ** 63n, 2n ** 64n, 10n ** 15n, 10n ** 17n, 10n ** 20n];
const UNUSUAL = [
  '0',
  '1',
  '-1',
  '0.5',
  '1e0',
  '1E2',
  '-0',
  '1e22',
  '1e-22',
  '1e99',
  '1e-99',
  '0e0',
  '0.1e1',
  '9'.repeat(40),
  '99999999999999',
];
/** As long and as far as a number may be written, and a little further. */
const FAR = ['1e308', '-1e308', '1e-308', '1e400', '1e-400', '1e401', '9'.repeat(400), `1.${'0'.repeat(200)}`, `0.${'1'.repeat(200)}`];
const UNUSUAL_DECIMALS = [
  `0.${'0'.repeat(39)}1`,
  '900719925474100',
  '9007199255',
  '9007199254740991',
  '0.00000001',
  '1.00000000',
  '-5',
  '1e-8',
];

/** Draws a number of any size, as text. */
function anyNumber(rng: Rng): string {
  const kind = Math.floor(rng.next() * 5);
  if (kind === 0) return of(rng, rng.next() < 0.8 ? UNUSUAL : FAR);
  if (kind === 1) return of(rng, UNUSUAL_DECIMALS);
  const digits = kind === 2 ? edge(rng) : wild(rng);
  const point = Math.floor(rng.next() * 10);
  if (rng.next() < 0.5 || point === 0) return digits;
  const padded = digits.padStart(point + 1, '0');
  return `${padded.slice(0, -point)}.${padded.slice(-point)}`;
}
const edge = (rng: Rng): string => String(of(rng, EDGES) + BigInt(Math.floor(rng.next() * 5) - 2));
/** Draws a number whose length is uniform. */
function wild(rng: Rng): string {
  const length = 1 + Math.floor(rng.next() * 24);
  let text = String(1 + Math.floor(rng.next() * 9));
  while (text.length < length) text += Math.floor(rng.next() * 10);
  return text;
}

const of = <T>(rng: Rng, list: readonly T[]): T => list[Math.floor(rng.next() * list.length)]!;

/** Trading calls come more often than their share of the table. */
const TRADING: readonly Op[] = [
  'spot.newOrder',
  'spot.batchOrders',
  'futures.createOrder',
  'futures.createOrder',
  'futures.createConditionOrder',
];

/** Draws a request. Half of the draws take a trading call, and the other half any call. */
export function draw(rng: Rng, sense: Sense): DrawnRequest {
  const op = rng.next() < 0.5 ? of(rng, TRADING) : of(rng, OPS);
  const { method, path, params, market, security } = endpointOf(op);
  const name = of(rng, sense.names(market));
  const drawnParams = drawParams(rng, params, sense, name);
  const isGet = method === 'GET';
  if (rng.next() < 0.02)
    drawnParams.set('recvWindow', of(rng, ['1', '5000', '5001', '60000', '9007199254740991', '99999999999999999999', '0.5', '-1']));
  const query = [...drawnParams].map(([key, text]) => `${key}=${encodeURIComponent(text.replace(/^"|"$/g, ''))}`).join('&');
  const body = `{${[...drawnParams].map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`;
  return {
    op,
    method,
    target: isGet && query !== '' ? `${path}?${query}` : path,
    body: isGet ? '' : body,
    isSigned: security !== 'NONE',
    params: drawnParams,
  };
}

/** Draws the parameters of a call, as JSON texts by name. */
function drawParams(rng: Rng, params: Params, sense: Sense, name: string): Map<string, string> {
  const drawnParams = new Map<string, string>();
  for (const [key, param] of Object.entries<Param>(params)) {
    if (param.need === 'optional' && param.onlyWith === undefined && key !== 'positionType' && rng.next() < 0.5) continue;
    if ((key === 'positionType' || key === 'timeInForce') && rng.next() < 0.8) continue;
    if (
      param.onlyWith !== undefined &&
      drawnParams.has(param.onlyWith.name) &&
      drawnParams.get(param.onlyWith.name) !== `"${param.onlyWith.is}"`
    )
      continue;
    drawnParams.set(key, jsonOf(rng, key, param, sense, name));
  }
  return drawnParams;
}

/** Draws a value of a parameter as JSON. */
function jsonOf(rng: Rng, key: string, param: Param, sense: Sense, name: string): string {
  switch (param.kind) {
    case 'text':
      return JSON.stringify(param.of === 'clientId' ? `c${Math.floor(rng.next() * 1e6)}` : name);
    case 'choice':
      // A position can only be closed where one was opened.
      if (key === 'open' && rng.next() < 0.4) return '"OPEN"';
      return typeof param.values[0] === 'number' && rng.next() < 0.1 ? quoted(rng, anyNumber(rng)) : JSON.stringify(of(rng, param.values));
    case 'interval':
      return JSON.stringify(of(rng, ['1min', '5min', '1h', '4h', '1day', ...INTERVALS]));
    case 'time':
      return rng.next() < 0.5 ? String(1_767_571_200_000 + Math.floor(rng.next() * 1e9)) : quoted(rng, anyNumber(rng));
    case 'integer':
      return rng.next() < 0.5 ? String(1 + Math.floor(rng.next() * Math.min(param.max, 130))) : quoted(rng, anyNumber(rng));
    case 'id':
      return rng.next() < 0.7 && sense.ids.length > 0 ? quoted(rng, of(rng, sense.ids)) : quoted(rng, anyNumber(rng));
    case 'decimal':
      return quoted(rng, decimalOf(rng, key, sense, name));
    case 'ids':
      return `[${Array.from({ length: 1 + Math.floor(rng.next() * 10) }, () => (rng.next() < 0.7 && sense.ids.length > 0 ? of(rng, sense.ids) : anyNumber(rng))).join(',')}]`;
    case 'rows': {
      const rows = Array.from({ length: 1 + Math.floor(rng.next() * 3) }, () => drawParams(rng, param.row, sense, name));
      return `[${rows.map((row) => `{${[...row].map(([each, text]) => `${JSON.stringify(each)}:${text}`).join(',')}}`).join(',')}]`;
    }
    default:
      throw new Error('a kind of parameter that the campaign does not know');
  }
}

/** Draws a price near the market, or powers of ten away, or any number; a volume of any valid size. */
function decimalOf(rng: Rng, key: string, sense: Sense, name: string): string {
  const luck = rng.next();
  if (luck < 0.3) return anyNumber(rng);
  if (!/price/i.test(key)) return volumeOf(rng);
  const price = sense.price(name);
  const [whole = '0', part = ''] = price.split('.');
  const near = BigInt(whole + part || '0');
  const spread = luck < 0.8 ? 0.02 : 1;
  const moved = (near * BigInt(Math.round((1 + (rng.next() - 0.5) * spread) * 1e6))) / 1_000_000n;
  const text = String(moved > 0n ? moved : 1n).padStart(part.length + 1, '0');
  const plain = part === '' ? text : `${text.slice(0, -part.length)}.${text.slice(-part.length)}`;
  return luck < 0.9 ? plain : `${plain}e${Math.floor(rng.next() * 24) - 12}`;
}
/** Draws a quantity, as an integer or with an exponent. */
const volumeOf = (rng: Rng): string => {
  const power = Math.floor(rng.next() * 12);
  const size = 1 + Math.floor(rng.next() * 99);
  return rng.next() < 0.5 ? String(size * 10 ** Math.floor(power / 2)) : `${size}e-${Math.floor(power / 3)}`;
};
const quoted = (rng: Rng, text: string): string => (rng.next() < 0.3 ? `"${text}"` : text);
