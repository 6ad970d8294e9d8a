// Each switch of the futures side that no other test turns, in both of its readings, as it shows on the wire.

import { expect, it } from 'vitest';
import { codeOf } from './serviceDesk.ts';
import { FuturesDesk } from './futuresDesk.ts';

const NAME = 'contractName=E-BTC-USDT';
const resting = (desk: FuturesDesk): string => desk.order('alice', 'BUY', 1, 100, { timeInForce: 'POST_ONLY' });

it.each<[string, string, (desk: FuturesDesk) => string, RegExp, RegExp]>([
  [
    'timeInForceRead',
    'code',
    (desk) => desk.get(`/fapi/v1/order?${NAME}&orderId=${resting(desk)}`).body,
    /"timeInForce":"POST_ONLY"/,
    /"timeInForce":"5"/,
  ],
  [
    'orderQueryShape',
    'array',
    (desk) => desk.get(`/fapi/v1/order?${NAME}&orderId=${resting(desk)}`).body,
    /^\{"side"/,
    /^\[\{"side".*\}\]$/,
  ],
  ['contractFields', 'wide', (desk) => desk.open('/fapi/v1/contracts').body, /"status":1\}/, /"status":1,"\w+Money"/],
  ['depthTime', 'null', (desk) => desk.open(`/fapi/v1/depth?${NAME}`).body, /^\{"time":\d{13},/, /^\{"time":null,/],
])('%s: %s', (name, value, answer, usual, other) => {
  expect(answer(new FuturesDesk())).toMatch(usual);
  expect(answer(new FuturesDesk({}, { [name]: value }))).toMatch(other);
});

it.each<[string, string, (desk: FuturesDesk) => number, number, number]>([
  ['positionsEndpoint', 'off', (desk) => codeOf(desk.get(`/fapi/v1/positions?${NAME}`)), 0, -1020],
  ['conditionPath', 'noSlash', (desk) => desk.post('/fapi/v1/conditionOrder/', {}).status, 400, 404],
  ['conditionPath', 'slash', (desk) => desk.post('/fapi/v1/conditionOrder', {}).status, 400, 404],
  ['cancelTriggerPath', '/fapi/v1/cancel_trigger_order', (desk) => desk.post('/v1/inner/trigger_order_cancel', {}).status, 400, 404],
  ['historyMax', '100', (desk) => codeOf(desk.post('/fapi/v1/orderHistorical', { limit: '101' })), 0, -1102],
])('%s: %s answers with another code', (name, value, code, usual, other) => {
  const more = name === 'historyMax' ? { limitTooLarge: 'reject' } : {};
  expect(code(new FuturesDesk({}, more))).toBe(usual);
  expect(code(new FuturesDesk({}, { ...more, [name]: value }))).toBe(other);
});

it('the other path of a trigger cancel is served where the switch says so', () => {
  const path = '/fapi/v1/cancel_trigger_order';
  expect(new FuturesDesk({}, { cancelTriggerPath: path }).post(path, {}).status).toBe(400);
  expect(new FuturesDesk().post(path, {}).status).toBe(404);
});
