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

/** Values with which a request is meaningful: instruments, prices at which they trade, ids that exist. */
export interface MeaningfulValues {
  /** Returns the names of the instruments of a market. */
  readonly names: (market: Market) => readonly string[];
  /** Returns a plain decimal near which an instrument trades. */
  readonly price: (instrumentName: string) => string;
  /** Ids of orders that the exchange has reported. */
  readonly ids: readonly string[];
}

/** Integers at which number formats end. */
const EDGES = [2n ** 31n, 2n ** 32n, 2n ** 50n, 2n ** 51n, 2n ** 52n, 2n ** 53n, 2n ** 63n, 2n ** 64n, 10n ** 15n, 10n ** 17n, 10n ** 20n];
/** Unusual ways to write a number. */
const UNUSUAL_FORMS = [
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
/** The longest and largest numbers that a request may have, and a little beyond. */
const EXTREME_NUMBERS = [
  '1e308',
  '-1e308',
  '1e-308',
  '1e400',
  '1e-400',
  '1e401',
  '9'.repeat(400),
  `1.${'0'.repeat(200)}`,
  `0.${'1'.repeat(200)}`,
];
/** Decimals near the limits of exact numbers. */
const EDGE_DECIMALS = [
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
function drawNumber(rng: Rng): string {
  const choice = Math.floor(rng.next() * 5);
  if (choice === 0) return pickOne(rng, rng.next() < 0.8 ? UNUSUAL_FORMS : EXTREME_NUMBERS);
  if (choice === 1) return pickOne(rng, EDGE_DECIMALS);
  const digits = choice === 2 ? integerNearEdge(rng) : integerOfAnyLength(rng);
  const decimals = Math.floor(rng.next() * 10);
  if (rng.next() < 0.5 || decimals === 0) return digits;
  const padded = digits.padStart(decimals + 1, '0');
  return `${padded.slice(0, -decimals)}.${padded.slice(-decimals)}`;
}
/** Draws an integer at most 2 away from an edge. */
const integerNearEdge = (rng: Rng): string => String(pickOne(rng, EDGES) + BigInt(Math.floor(rng.next() * 5) - 2));
/** Draws an integer of 1 to 24 digits. Each length is equally likely. */
function integerOfAnyLength(rng: Rng): string {
  const length = 1 + Math.floor(rng.next() * 24);
  let text = String(1 + Math.floor(rng.next() * 9));
  while (text.length < length) text += Math.floor(rng.next() * 10);
  return text;
}

/** Draws one of the values. */
const pickOne = <Value>(rng: Rng, values: readonly Value[]): Value => values[Math.floor(rng.next() * values.length)]!;

/** Values of `recvWindow`, in ms: valid and invalid ones. */
const RECV_WINDOWS = ['1', '5000', '5001', '60000', '9007199254740991', '99999999999999999999', '0.5', '-1'];

/** The calls from which half of the requests are drawn. */
const TRADING_OPS: readonly Op[] = [
  'spot.newOrder',
  'spot.batchOrders',
  'futures.createOrder',
  'futures.createOrder',
  'futures.createConditionOrder',
];

/** Draws a request. Half of the draws take a trading call, and the other half any call. */
export function drawRequest(rng: Rng, meaningful: MeaningfulValues): DrawnRequest {
  const op = rng.next() < 0.5 ? pickOne(rng, TRADING_OPS) : pickOne(rng, OPS);
  const { method, path, params, market, security } = endpointOf(op);
  const instrumentName = pickOne(rng, meaningful.names(market));
  const drawnParams = drawParams(rng, params, meaningful, instrumentName);
  const isGet = method === 'GET';
  if (rng.next() < 0.02) drawnParams.set('recvWindow', pickOne(rng, RECV_WINDOWS));
  const withoutQuotes = (text: string): string => text.replace(/^"|"$/g, '');
  const query = [...drawnParams].map(([key, text]) => `${key}=${encodeURIComponent(withoutQuotes(text))}`).join('&');
  const body = objectText(drawnParams);
  return {
    op,
    method,
    target: isGet && query !== '' ? `${path}?${query}` : path,
    body: isGet ? '' : body,
    isSigned: security !== 'NONE',
    params: drawnParams,
  };
}

/** Returns the JSON text of an object whose members are JSON texts. */
const objectText = (members: ReadonlyMap<string, string>): string =>
  `{${[...members].map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`;

/** Draws the parameters of a call, as JSON texts by name. Optional ones are left out in half of the draws. */
function drawParams(rng: Rng, params: Params, meaningful: MeaningfulValues, instrumentName: string): Map<string, string> {
  const drawnParams = new Map<string, string>();
  for (const [key, param] of Object.entries<Param>(params)) {
    const { onlyWith } = param;
    const isFreeToOmit = param.need === 'optional' && onlyWith === undefined && key !== 'positionType';
    if (isFreeToOmit && rng.next() < 0.5) continue;
    // Most values of these two parameters are refused, so they are left out more often.
    if ((key === 'positionType' || key === 'timeInForce') && rng.next() < 0.8) continue;
    // Some parameters are valid only beside a certain value of another one.
    const otherValue = onlyWith === undefined ? undefined : drawnParams.get(onlyWith.name);
    const isOutOfPlace = otherValue !== undefined && otherValue !== `"${onlyWith!.is}"`;
    if (isOutOfPlace) continue;
    drawnParams.set(key, drawJson(rng, key, param, meaningful, instrumentName));
  }
  return drawnParams;
}

/** Draws a value of a parameter as JSON. */
function drawJson(rng: Rng, key: string, param: Param, meaningful: MeaningfulValues, instrumentName: string): string {
  switch (param.kind) {
    case 'text':
      return JSON.stringify(param.of === 'clientId' ? `c${Math.floor(rng.next() * 1e6)}` : instrumentName);
    case 'choice':
      // A position can only be closed where one was opened.
      if (key === 'open' && rng.next() < 0.4) return '"OPEN"';
      return typeof param.values[0] === 'number' && rng.next() < 0.1
        ? maybeQuoted(rng, drawNumber(rng))
        : JSON.stringify(pickOne(rng, param.values));
    case 'interval':
      return JSON.stringify(pickOne(rng, ['1min', '5min', '1h', '4h', '1day', ...INTERVALS]));
    case 'time':
      return rng.next() < 0.5 ? String(1_767_571_200_000 + Math.floor(rng.next() * 1e9)) : maybeQuoted(rng, drawNumber(rng));
    case 'integer':
      return rng.next() < 0.5 ? String(1 + Math.floor(rng.next() * Math.min(param.max, 130))) : maybeQuoted(rng, drawNumber(rng));
    case 'id':
      return maybeQuoted(rng, drawId(rng, meaningful));
    case 'decimal':
      return maybeQuoted(rng, drawDecimal(rng, key, meaningful, instrumentName));
    case 'ids':
      return `[${Array.from({ length: 1 + Math.floor(rng.next() * 10) }, () => drawId(rng, meaningful)).join(',')}]`;
    case 'rows': {
      const rows = Array.from({ length: 1 + Math.floor(rng.next() * 3) }, () => drawParams(rng, param.row, meaningful, instrumentName));
      return `[${rows.map(objectText).join(',')}]`;
    }
    default:
      throw new Error('a kind of parameter that the campaign does not know');
  }
}

/** Draws an existing id in most cases, else any number. */
const drawId = (rng: Rng, meaningful: MeaningfulValues): string =>
  rng.next() < 0.7 && meaningful.ids.length > 0 ? pickOne(rng, meaningful.ids) : drawNumber(rng);

/** Draws a price near the market, or powers of ten away, or any number; a volume of any valid size. */
function drawDecimal(rng: Rng, key: string, meaningful: MeaningfulValues, instrumentName: string): string {
  const random = rng.next();
  if (random < 0.3) return drawNumber(rng);
  if (!/price/i.test(key)) return drawVolume(rng);
  const price = meaningful.price(instrumentName);
  const [integerPart = '0', decimalPart = ''] = price.split('.');
  const marketTicks = BigInt(integerPart + decimalPart || '0');
  const spread = random < 0.8 ? 0.02 : 1;
  const factorPpm = BigInt(Math.round((1 + (rng.next() - 0.5) * spread) * 1e6));
  const movedTicks = (marketTicks * factorPpm) / 1_000_000n;
  const digits = String(movedTicks > 0n ? movedTicks : 1n).padStart(decimalPart.length + 1, '0');
  const decimals = decimalPart.length;
  const plain = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
  return random < 0.9 ? plain : `${plain}e${Math.floor(rng.next() * 24) - 12}`;
}
/** Draws a quantity, as an integer or with an exponent. */
const drawVolume = (rng: Rng): string => {
  const power = Math.floor(rng.next() * 12);
  const size = 1 + Math.floor(rng.next() * 99);
  return rng.next() < 0.5 ? String(size * 10 ** Math.floor(power / 2)) : `${size}e-${Math.floor(power / 3)}`;
};

/** Puts a number into quotes in some cases, because both forms are valid. */
const maybeQuoted = (rng: Rng, text: string): string => (rng.next() < 0.3 ? `"${text}"` : text);
