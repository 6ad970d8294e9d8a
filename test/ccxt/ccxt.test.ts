// Tests the client against ccxt, an independent implementation of the signature: the same calls over real sockets to one service.

import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerOf, type OpResult } from '../../src/protocol/endpoints/endpoints.ts';
import { parseJson } from '../../src/protocol/json/parseJson.ts';
import { decodeAnswer, encodeAnswer } from '../../src/protocol/shapes/answer.ts';
import { isSameSignature, signedBytes, signedPath } from '../../src/protocol/sign.ts';
import { always, answerBytes, type SeenRequest } from '../fixtures/stubExchange.ts';
import { FUTURES_ANSWERS } from '../protocol/documentedFuturesAnswers.ts';
import { EXPECTED_FUTURES, type ExpectedRequest } from '../protocol/expectedRequests.ts';
import { CREDENTIALS, RestFixture, SECRET } from '../rest/restClientFixture.ts';
import type { Bitrue } from './bitrue.mjs';
import { opOf } from '../fixtures/opOf.ts';

const isInstalled = existsSync(new URL('node_modules/ccxt/package.json', import.meta.url));
if (!isInstalled) console.log('skipped: ccxt is not installed (npm run test:ccxt installs it into test/ccxt)');

const E_BTC = { contractName: 'E-BTC-USDT' };
const LIMIT_ORDER = { ...E_BTC, volume: '1.5', price: '0.00000125', type: 'LIMIT', side: 'BUY', open: 'OPEN' };

/** One call of the client that ccxt makes too. */
interface Case extends Pick<ExpectedRequest, 'op' | 'args' | 'security'> {
  /** The call in titles and in the printed table. */
  readonly description: string;
  /** True for a call on the second path that some services have. It does not begin with /fapi. */
  readonly otherPath?: boolean;
}

/** Every call of the specification's table, and calls whose bytes are built in another way. */
const CASES: readonly Case[] = [
  ...EXPECTED_FUTURES.map(({ op, args, security }) => ({ op, args, security, description: op })),
  {
    op: 'futures.cancelTriggerOrder',
    args: { ...E_BTC, orderId: '7' },
    security: 'TRADE',
    description: 'futures.cancelTriggerOrder, other path',
    otherPath: true,
  },
  { op: 'futures.openOrders', args: {}, security: 'TRADE', description: 'futures.openOrders, no query' },
  { op: 'futures.openOrders', args: { contractName: 'E-BTC/USDT' }, security: 'TRADE', description: 'futures.openOrders, escaped query' },
  {
    op: 'futures.createOrder',
    args: { ...LIMIT_ORDER, clientOrderId: 'c_1-x', timeInForce: 'IOC' },
    security: 'TRADE',
    description: 'futures.createOrder, limit',
  },
];

const body = ({ body: bytes }: SeenRequest): string => bytes.toString();
const header = ({ headers }: SeenRequest, name: string): string =>
  headers.find(([headerName]) => headerName.toLowerCase() === name)?.[1] ?? '';
const signature = (request: SeenRequest): string => header(request, 'x-ch-sign');
const credentials = (request: SeenRequest) => ['x-ch-apikey', 'x-ch-ts', 'x-ch-sign'].map((name) => header(request, name));

/** Returns the signature by the protocol of isobar, over the bytes that arrived and their time. */
const expectedSignature = (request: SeenRequest): string => {
  const signedCall = { timestamp: header(request, 'x-ch-ts'), method: request.method, path: signedPath(request.target, 'include') };
  return CREDENTIALS.sign(signedBytes(signedCall, request.body));
};

/** Returns the JSON with ids as text. They are larger than the numbers of JavaScript, in which ccxt would write them. */
const idsAsText = (json: string): string => json.replaceAll(/:(\d{16,})(?=[,}])/g, ':"$1"');

/** Returns the arguments of a request as ccxt takes them: by name, in their order. */
function paramsOf(request: SeenRequest): Readonly<Record<string, unknown>> {
  if (request.method === 'POST') return JSON.parse(idsAsText(body(request))) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(new URL(request.target, 'http://127.0.0.1').searchParams);
}

describe.skipIf(!isInstalled)('ccxt and the client', () => {
  let fixture: RestFixture;
  let otherFixture: RestFixture;
  /** Opens ccxt at the stub of a fixture. */
  let open: (target: RestFixture) => Bitrue;
  /** One row of the printed table for each compared call. */
  const tableRows: (readonly string[])[] = [];

  beforeAll(async () => {
    const { Bitrue } = await import('./bitrue.mjs');
    open = ({ stub }) => new Bitrue(stub.origin, CREDENTIALS.apiKey, SECRET);
    const answers = always(200, '{"code":"0","msg":"Success","data":null}');
    fixture = await RestFixture.open(answers);
    otherFixture = await RestFixture.open(answers, { dialect: { cancelTriggerPath: '/fapi/v1/cancel_trigger_order' } });
  });
  afterAll(async () => {
    await fixture?.close();
    await otherFixture?.close();
    if (tableRows.length > 0) console.log(tableOf(tableRows));
  });

  /** Returns the one request that `send` makes. Requests for the time count only if `isTime` is true. */
  async function requestSeen({ stub }: RestFixture, isTime: boolean, send: () => Promise<unknown>): Promise<SeenRequest> {
    const before = stub.requests.length;
    await send();
    const arrived = stub.requests.slice(before).filter(({ target }) => isTime || !target.endsWith('/time'));
    expect(arrived).toHaveLength(1);
    return arrived[0]!;
  }

  it.each(CASES)(
    'ccxt sends the bytes and the signature of the client for $description',
    async ({ op: name, description, args, security, otherPath = false }) => {
      const op = opOf(name);
      const isSigned = security !== 'NONE';
      const from = otherPath ? otherFixture : fixture;
      const ours = await requestSeen(from, op === 'futures.serverTime', () => from.call(op, args, { attempts: 1 }));
      const ccxt = open(from);
      const [path = ''] = ours.target.split('?');
      const send = ccxt.methodOf(ours.method === 'GET' ? 'GET' : 'POST', path, isSigned);
      if (send === null) {
        expect(path).toBe('/v1/inner/trigger_order_cancel');
        tableRows.push([description, ours.method, path, 'no: ccxt signs below /fapi and /dapi alone', '']);
        return;
      }
      ccxt.timestamp = isSigned ? Number(header(ours, 'x-ch-ts')) : null;

      // The bytes of ccxt equal those of the client. Only its bodies begin with the window and have long ids as text.
      const theirs = await requestSeen(from, true, () => send(paramsOf(ours)));
      const inOurs = ours.method === 'GET' ? '' : idsAsText(body(ours)).replace('{', '{"recvWindow":5000,');
      expect([theirs.method, theirs.target, body(theirs)]).toEqual([ours.method, ours.target, inOurs]);
      if (!isSigned) {
        expect(credentials(theirs).concat(credentials(ours)).join('')).toBe('');
        tableRows.push([description, ours.method, path, 'the same', 'none']);
        return;
      }
      expect(signature(theirs)).toBe(expectedSignature(theirs));

      // ccxt signs and sends the bytes of the client: every digit arrives unchanged.
      ccxt.body = ours.method === 'GET' ? null : body(ours);
      const again = await requestSeen(from, true, () => send(paramsOf(ours)));
      expect([again.method, again.target, body(again)]).toEqual([ours.method, ours.target, body(ours)]);
      expect(credentials(again)).toEqual(credentials(ours));
      expect(isSameSignature(signature(again), expectedSignature(ours))).toBe(true);
      tableRows.push([description, ours.method, path, ours.method === 'GET' ? 'the same' : 'the same but recvWindow', 'identical']);
    },
  );

  it('a signature is valid only for its own bytes, time and path', async () => {
    const ccxt = open(fixture);
    const send = ccxt.methodOf('POST', '/fapi/v1/order', true)!;
    ccxt.timestamp = 1_588_591_856_950;
    const sent = await requestSeen(fixture, false, () => send(LIMIT_ORDER));
    const others: readonly Partial<SeenRequest>[] = [
      { body: Buffer.from(body(sent).replace('1.5', '1.6')) },
      { target: '/fapi/v1/cancel' },
      { headers: sent.headers.map(([name, value]) => [name, name === 'X-CH-TS' ? '1588591856951' : value] as const) },
    ];
    expect(isSameSignature(signature(sent), expectedSignature(sent))).toBe(true);
    for (const other of others) expect(isSameSignature(signature(sent), expectedSignature({ ...sent, ...other }))).toBe(false);
  });

  it('ccxt reads the same values as the client from replies that the encoders write', async () => {
    const ccxt = open(fixture);
    const texts = new Map<string, string>();
    /** Returns the values of the documented answer, and writes it with the encoder for ccxt. */
    const writeDocumented = <O extends keyof typeof FUTURES_ANSWERS>(op: O, path: string): OpResult<O> => {
      const json = parseJson(FUTURES_ANSWERS[op][0]!.body);
      const decoded = json.ok ? decodeAnswer(answerOf(op), json.value) : json;
      if (!decoded.ok) throw new Error(`${op}: ${decoded.problem}`);
      texts.set(path, encodeAnswer(answerOf(op), decoded.value));
      return decoded.value;
    };
    const contracts = writeDocumented('futures.contracts', '/fapi/v1/contracts');
    const ticker = writeDocumented('futures.ticker', '/fapi/v1/ticker');
    const depth = writeDocumented('futures.depth', '/fapi/v1/depth');
    const bars = writeDocumented('futures.klines', '/fapi/v1/klines');
    fixture.stub.behaviour = (socket, { target }) => void socket.write(answerBytes(200, texts.get(target.split('?')[0]!) ?? '{}'));

    const { symbol: id, multiplier, pricePrecision } = contracts.rows[0]!;
    const market = { id, linear: true, contractSize: Number(multiplier), precision: { price: 10 ** -pricePrecision } };
    expect(await ccxt.loadMarkets()).toMatchObject({ 'BTC/USDT:USDT': market });

    const [high, low, bid, ask] = [ticker.high, ticker.low, ticker.buy, ticker.sell].map(Number);
    const [last, baseVolume] = [ticker.last, ticker.volume].map(Number);
    expect(await ccxt.fetchTicker('BTC/USDT:USDT')).toMatchObject({ timestamp: ticker.timeMs, high, low, bid, ask, last, baseVolume });

    const levels = (side: 'asks' | 'bids') => depth[side].map(({ price, quantity }) => [Number(price), Number(quantity)]);
    expect(await ccxt.fetchOrderBook('BTC/USDT:USDT')).toMatchObject({ asks: levels('asks'), bids: levels('bids') });

    const row = ({ openMs, open: first, high: max, low: min, close, volume }: (typeof bars.rows)[number]) =>
      [openMs, first, max, min, close, volume].map(Number);
    expect(await ccxt.fetchOHLCV('BTC/USDT:USDT', '1h')).toEqual(bars.rows.map(row));
  });
});

/** Returns the compared calls as an aligned table. */
function tableOf(rows: readonly (readonly string[])[]): string {
  const all = [['call', '', 'path', 'bytes of ccxt', 'signatures'], ...rows];
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
