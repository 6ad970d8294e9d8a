// Tests that the client reads every reply that the paper exchange writes, under every switch and spelling.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answerOf, OPS, type Op } from '../../src/protocol/endpoints/endpoints.ts';
import { parseJson } from '../../src/protocol/json/parseJson.ts';
import { decodeAnswer, encodeAnswer, listing } from '../../src/protocol/shapes/answer.ts';
import { SEED_VARIANTS, VARIANT_VALUES, type Variants } from '../../src/protocol/shapes/variants.ts';
import { answerArbitrary } from './answerArbitrary.ts';

/** Draws a value for every switch. */
const anyVariants = fc.record(
  Object.fromEntries(Object.entries(VARIANT_VALUES).map(([name, values]) => [name, fc.constantFrom<string>(...values)])) as unknown as {
    [Name in keyof Variants]: fc.Arbitrary<Variants[Name]>;
  },
);

/** Writes a reply of the endpoint's type, such as the arbitrary draws, as the exchange does. */
const encode = (op: Op, reply: unknown, variants?: Variants): string => encodeAnswer(answerOf(op), reply as never, variants);

/** Returns the value of a reply. Throws Error if it cannot be decoded. */
function decode(op: Op, text: string): unknown {
  const json = parseJson(text);
  if (!json.ok) throw new Error(`${json.problem} at ${json.offset}: ${text}`);
  const decoded = decodeAnswer(answerOf(op), json.value);
  if (!decoded.ok) throw new Error(`${decoded.problem}: ${text}`);
  return decoded.value;
}

/** Returns the reply without the spelling of codes, which only the wire has. */
const withoutRaw = (reply: unknown): unknown =>
  JSON.parse(JSON.stringify(reply, (key, member: unknown) => (key === 'raw' ? undefined : member)));

/** Members that the shapes of the specification do not have, by operation. */
const UNSPECIFIED_MEMBERS: Readonly<Partial<Record<Op, readonly string[]>>> = {
  'spot.symbols': ['limitVolumeMin', 'limitPriceMin', 'limitAmountMin', 'marketBuyMin', 'marketSellMin'],
  'futures.contracts': ['minOrderMoney', 'maxMarketMoney', 'maxLimitVolume', 'maxLimitMoney'],
  'spot.account': ['uid'],
};

/** Returns the reply with null for these members. */
const withoutUnspecified = (op: Op, reply: unknown): unknown =>
  JSON.parse(JSON.stringify(reply, (key, member: unknown) => (UNSPECIFIED_MEMBERS[op]?.includes(key) ? null : member)));
/** The status that every reply of a call means: an order that was just created is new, and one under cancel is not cancelled yet. */
const FIXED_STATUS: Readonly<Partial<Record<Op, string>>> = { 'spot.newOrder': 'INIT', 'spot.cancelOrder': 'PENDING_CANCEL' };

/** Returns the reply with the status that the call always has. */
const withStatus = (op: Op, reply: unknown): unknown => {
  const word = FIXED_STATUS[op];
  if (word === undefined) return reply;
  return JSON.parse(JSON.stringify(reply, (key, member: unknown) => (key === 'status' && member !== null ? { word } : member)));
};

describe.each(OPS)('%s', (op) => {
  test('a reply in the form of the specification is read unchanged', () => {
    fc.assert(
      fc.property(answerArbitrary(op), (reply) => {
        const canonical = withoutUnspecified(op, reply);
        expect(withoutRaw(decode(op, encode(op, canonical)))).toEqual(withStatus(op, withoutRaw(canonical)));
      }),
      { numRuns: 60 },
    );
  });

  test('a reply in any dialect is read, and gives the same bytes when written again', () => {
    fc.assert(
      fc.property(answerArbitrary(op), anyVariants, (reply, variants) => {
        const text = encode(op, reply, variants);
        const decoded = decode(op, text);
        expect(encode(op, decoded, variants)).toBe(text);
        if (decoded !== null && typeof decoded === 'object' && 'refused' in decoded) expect(decoded.refused).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

test('the shapes of the specification, as text, are unchanged', () => {
  /** Decodes a body, and writes it again under other switches. */
  const rewrite = (op: Op, body: string, changes: Partial<Variants> = {}) => encode(op, decode(op, body), { ...SEED_VARIANTS, ...changes });
  const order =
    '{"symbol":"BTCUSDT","orderId":499890200602846976,"price":9300,"origQty":1,"executedQty":0,"type":"LIMIT","side":"BUY","clientOrderId":"0","time":1588591856950,"status":"NEW"}';
  expect(rewrite('spot.openOrders', `[${order}]`)).toBe(`[${order}]`);
  expect(rewrite('spot.openOrders', `[${order}]`, { lists: 'list', statusSpelling: 'words', openOrdersClientId: 'off' })).toBe(
    `{"list":[${order.replace('"clientOrderId":"0",', '').replace('"NEW"', '"NEW_"')}]}`,
  );
  const created = '{"orderId":12,"clientOrderId":"a","status":0}';
  expect(rewrite('spot.newOrder', created)).toBe(created);
  expect(rewrite('spot.newOrder', created, { spotOrderId: 'both', createStatus: 'NEW' })).toBe(
    '{"orderId":12,"orderIdString":"12","clientOrderId":"a","status":"NEW"}',
  );
  expect(rewrite('spot.newOrder', created, { spotOrderId: 'array' })).toBe('{"orderId":["12"],"clientOrderId":"a","status":0}');
  const noData = '{"code":"0","msg":"成功","data":null}';
  expect(encode('futures.openOrders', listing([]))).toBe(noData);
  expect(rewrite('futures.openOrders', '[]', { futuresOpenOrders: 'bare' })).toBe('[]');
  expect(rewrite('spot.queryOrder', noData)).toBe('{"code":"0","msg":"Success","data":null}');
  expect(rewrite('futures.changeLeverage', noData, { okMsg: 'Success' })).toBe('{"code":"0","msg":"Success","data":null}');
  expect(rewrite('futures.cancelTriggerOrder', noData)).toBe('{"code":"0","msg":"成功","data":null,"msgData":null,"succ":true}');
  expect(rewrite('spot.batchCancel', '{"success":[],"failed":[1]}', { batchCancelAllWrong: 'empty' })).toBe('{}');
  const symbols =
    '{"symbols":[{"symbol":"btcusdt","baseAsset":"BTC","quoteAsset":"USDT","pricePrecision":2,"quantityPrecision":6,"marketBuyMin":"5"}]}';
  expect(rewrite('spot.symbols', symbols, { symbolsShape: 'symbols' })).toBe(symbols);
  expect(rewrite('spot.symbols', symbols)).toBe(
    '[{"symbol":"BTCUSDT","baseAsset":"BTC","quoteAsset":"USDT","pricePrecision":2,"QuantityPrecision":6}]',
  );
  const bar = '{"idx":1538728800000,"open":1,"close":1.5,"high":2,"low":0.5,"vol":3}';
  expect(rewrite('spot.klines', `[${bar}]`, { klineIdx: 's' })).toBe(`[${bar.replace('8800000', '8800')}]`);
});
