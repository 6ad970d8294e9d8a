// Tests that every documented reply is decoded, in every known shape, and that a reply without a required member is refused.

import { describe, expect, test } from 'vitest';
import { OPS, answerOf, type Op } from '../../src/protocol/endpoints/endpoints.ts';
import { parseJson } from '../../src/protocol/json/parseJson.ts';
import { decodeAnswer } from '../../src/protocol/shapes/answer.ts';
import { ownOrder } from '../../src/protocol/shapes/spot.ts';
import { DOCUMENTED_ANSWERS } from './documentedAnswers.ts';

/** Returns the value of a reply. Throws Error if it cannot be decoded. */
function decode(op: Op, body: string): unknown {
  const json = parseJson(body);
  if (!json.ok) throw new Error(`${json.problem} at ${json.offset}`);
  const result = decodeAnswer(answerOf(op), json.value);
  if (!result.ok) throw new Error(result.problem);
  return result.value;
}

/** Returns the reason why a body is refused. */
function problemOf(op: Op, body: string): string | null {
  const json = parseJson(body);
  if (!json.ok) throw new Error(`${json.problem} at ${json.offset}`);
  const result = decodeAnswer(answerOf(op), json.value);
  return result.ok ? null : result.problem;
}

test('every endpoint has documented replies', () => {
  expect(Object.keys(DOCUMENTED_ANSWERS)).toEqual([...OPS]);
});

describe.each(OPS)('%s', (op) => {
  test.each(DOCUMENTED_ANSWERS[op])('a reply of the shape $shape is decoded to its documented meaning', ({ body, means }) => {
    expect(decode(op, body)).toEqual(means);
  });
});

/** The members of an order, without its id. */
const ORDER_MEMBERS = '"symbol":"BTCUSDT","side":"BUY","status":"NEW","origQty":1,"executedQty":0';

describe('a refused reply', () => {
  test.each<[Op, string, string]>([
    ['spot.newOrder', '{}', 'orderId: expected an order id, got nothing'],
    ['spot.newOrder', '{"orderId":0}', 'orderId: expected an order id, got 0'],
    ['spot.newOrder', '{"orderId":1.5}', 'orderId: expected an order id, got 1.5'],
    ['spot.newOrder', '{"orderId":["1","2"]}', 'orderId: expected an order id, got ["1","2"]'],
    ['spot.newOrder', '{"orderId":1,"orderIdString":"2"}', 'orderIdString: expected orderIdString 1, got "2"'],
    ['spot.newOrder', '{"code":"0","msg":"","data":null}', 'expected an object, got null'],
    ['spot.queryOrder', `{"orderId":1,${ORDER_MEMBERS.replace('"origQty":1,', '')}}`, 'origQty: expected decimal, got nothing'],
    ['spot.queryOrder', `{"orderId":1,${ORDER_MEMBERS.replace('BUY', 'LONG')}}`, 'side: expected BUY or SELL, got "LONG"'],
    ['spot.openOrders', '{}', 'expected a list, got {}'],
    ['spot.openOrders', '"[]"', 'expected a list, got "[]"'],
    ['spot.account', '{}', 'balances: expected a list, got nothing'],
    ['spot.batchOrders', '{"ids":[1,"x"]}', 'expected a list of ids, got {"ids":[1,"x"]}'],
    ['futures.createOrder', '{"orderId":""}', 'orderId: expected an id, got ""'],
    [
      'futures.createConditionOrder',
      '{"code":"0","msg":"","data":{"triggerIds":[]}}',
      'expected trigger ids, got {"code":"0","msg":"","data":{"triggerIds":[]}}',
    ],
    ['futures.changeLeverage', '{}', 'expected code 0, got {}'],
    ['futures.depth', '{"asks":[[2,1],[1,1]],"bids":[]}', 'asks: expected best level first, got [[2,1],[1,1]]'],
    ['futures.depth', '{"asks":[],"bids":[[9,1],[10,1]]}', 'bids: expected best level first, got [[9,1],[10,1]]'],
    ['futures.depth', '{"asks":[]}', 'bids: expected a list of levels, got nothing'],
    ['spot.serverTime', '{"serverTime":"now"}', 'serverTime: expected a decimal, got "now"'],
  ])('a reply is refused: %s %s', (op, body, why) => {
    expect(problemOf(op, body)).toBe(why);
  });

  test('a row that cannot be read is reported with its instrument, and the other rows are decoded', () => {
    const unreadable = ORDER_MEMBERS.replace('"executedQty":0', '"executedQty":"?"');
    const body = `[{"orderId":1,${ORDER_MEMBERS}},{"orderId":2,${unreadable}},{"orderId":3,${ORDER_MEMBERS}},7]`;
    expect(decode('spot.openOrders', body)).toMatchObject({
      rows: [{ orderId: '1' }, { orderId: '3' }],
      refused: [
        { instrument: 'BTCUSDT', problem: '[1].executedQty: expected a decimal, got "?"' },
        { instrument: null, problem: '[3]: expected an object, got 7' },
      ],
    });
  });

  test('a fill that does not name its own order is refused', () => {
    const fill = '"symbol":"BTCUSDT","id":1,"price":1,"qty":1,"time":1,"isBuyer":true,"isMaker":false,"feeCoin":"BTC","fee":0';
    expect(decode('spot.myTrades', `[{${fill},"bidId":0,"askId":5}]`)).toMatchObject({
      rows: [],
      refused: [{ instrument: 'BTCUSDT', problem: '[0].bidId: expected the id of the own order, got 0' }],
    });
  });
});

test("the own order of a fill is the buyer's or the seller's", () => {
  expect(ownOrder({ isBuyer: true, bidId: '1', askId: '2' })).toEqual({ orderId: '1', side: 'buy' });
  expect(ownOrder({ isBuyer: false, bidId: '1', askId: '2' })).toEqual({ orderId: '2', side: 'sell' });
});
