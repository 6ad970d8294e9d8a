// Each switch of the futures side that no other test turns, in both of its readings, as it shows on the wire.

import { expect, it } from 'vitest';
import { codeOf } from './serviceFixture.ts';
import { FuturesFixture } from './futuresFixture.ts';

const NAME = 'contractName=E-BTC-USDT';
const resting = (fixture: FuturesFixture): string => fixture.order('alice', 'BUY', 1, 100, { timeInForce: 'POST_ONLY' });

it.each<[string, string, (fixture: FuturesFixture) => string, RegExp, RegExp]>([
  [
    'timeInForceRead',
    'code',
    (setup) => setup.get(`/fapi/v1/order?${NAME}&orderId=${resting(setup)}`).body,
    /"timeInForce":"POST_ONLY"/,
    /"timeInForce":"5"/,
  ],
  ['orderQueryShape', 'array', (rig) => rig.get(`/fapi/v1/order?${NAME}&orderId=${resting(rig)}`).body, /^\{"side"/, /^\[\{"side".*\}\]$/],
  ['contractFields', 'wide', (otherFixture) => otherFixture.open('/fapi/v1/contracts').body, /"status":1\}/, /"status":1,"\w+Money"/],
  ['depthTime', 'null', (stand) => stand.open(`/fapi/v1/depth?${NAME}`).body, /^\{"time":\d{13},/, /^\{"time":null,/],
])('%s: %s', (name, value, answer, usual, other) => {
  expect(answer(new FuturesFixture())).toMatch(usual);
  expect(answer(new FuturesFixture({}, { [name]: value }))).toMatch(other);
});

it.each<[string, string, (fixture: FuturesFixture) => number, number, number]>([
  ['positionsEndpoint', 'off', (setup) => codeOf(setup.get(`/fapi/v1/positions?${NAME}`)), 0, -1020],
  ['conditionPath', 'noSlash', (rig) => rig.post('/fapi/v1/conditionOrder/', {}).status, 400, 404],
  ['conditionPath', 'slash', (otherFixture) => otherFixture.post('/fapi/v1/conditionOrder', {}).status, 400, 404],
  ['cancelTriggerPath', '/fapi/v1/cancel_trigger_order', (stand) => stand.post('/v1/inner/trigger_order_cancel', {}).status, 400, 404],
  ['historyMax', '100', (stand) => codeOf(stand.post('/fapi/v1/orderHistorical', { limit: '101' })), 0, -1102],
])('%s: %s answers with another code', (name, value, code, usual, other) => {
  const more = name === 'historyMax' ? { limitTooLarge: 'reject' } : {};
  expect(code(new FuturesFixture({}, more))).toBe(usual);
  expect(code(new FuturesFixture({}, { ...more, [name]: value }))).toBe(other);
});

it('the other path of a trigger cancel is served where the switch says so', () => {
  const path = '/fapi/v1/cancel_trigger_order';
  expect(new FuturesFixture({}, { cancelTriggerPath: path }).post(path, {}).status).toBe(400);
  expect(new FuturesFixture().post(path, {}).status).toBe(404);
});
