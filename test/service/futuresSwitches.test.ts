// Tests the effect on the wire of each futures switch that no other test covers.

import { expect, it } from 'vitest';
import { codeOf } from './serviceFixture.ts';
import { FuturesFixture } from './futuresFixture.ts';

const CONTRACT = 'contractName=E-BTC-USDT';

/** Places an order that rests, and returns its id. */
const placeRestingOrder = (fixture: FuturesFixture): string => fixture.placeOrder('alice', 'BUY', 1, 100, { timeInForce: 'POST_ONLY' });

it.each<
  [name: string, value: string, readBody: (fixture: FuturesFixture) => string, expectedByDefault: RegExp, expectedUnderSwitch: RegExp]
>([
  [
    'timeInForceRead',
    'code',
    (fixture) => fixture.get(`/fapi/v1/order?${CONTRACT}&orderId=${placeRestingOrder(fixture)}`).body,
    /"timeInForce":"POST_ONLY"/,
    /"timeInForce":"5"/,
  ],
  [
    'orderQueryShape',
    'array',
    (fixture) => fixture.get(`/fapi/v1/order?${CONTRACT}&orderId=${placeRestingOrder(fixture)}`).body,
    /^\{"side"/,
    /^\[\{"side".*\}\]$/,
  ],
  ['contractFields', 'wide', (fixture) => fixture.getPublic('/fapi/v1/contracts').body, /"status":1\}/, /"status":1,"\w+Money"/],
  ['depthTime', 'null', (fixture) => fixture.getPublic(`/fapi/v1/depth?${CONTRACT}`).body, /^\{"time":\d{13},/, /^\{"time":null,/],
])('the futures switch %s: %s changes the reply', (name, value, readBody, expectedByDefault, expectedUnderSwitch) => {
  expect(readBody(new FuturesFixture())).toMatch(expectedByDefault);
  expect(readBody(new FuturesFixture({}, { [name]: value }))).toMatch(expectedUnderSwitch);
});

it.each<
  [name: string, value: string, readCode: (fixture: FuturesFixture) => number, expectedByDefault: number, expectedUnderSwitch: number]
>([
  ['positionsEndpoint', 'off', (fixture) => codeOf(fixture.get(`/fapi/v1/positions?${CONTRACT}`)), 0, -1020],
  ['conditionPath', 'noSlash', (fixture) => fixture.post('/fapi/v1/conditionOrder/', {}).status, 400, 404],
  ['conditionPath', 'slash', (fixture) => fixture.post('/fapi/v1/conditionOrder', {}).status, 400, 404],
  ['cancelTriggerPath', '/fapi/v1/cancel_trigger_order', (fixture) => fixture.post('/v1/inner/trigger_order_cancel', {}).status, 400, 404],
  ['historyMax', '100', (fixture) => codeOf(fixture.post('/fapi/v1/orderHistorical', { limit: '101' })), 0, -1102],
])('the futures switch %s: %s changes the code', (name, value, readCode, expectedByDefault, expectedUnderSwitch) => {
  const otherSwitches = name === 'historyMax' ? { limitTooLarge: 'reject' } : {};
  expect(readCode(new FuturesFixture({}, otherSwitches))).toBe(expectedByDefault);
  expect(readCode(new FuturesFixture({}, { ...otherSwitches, [name]: value }))).toBe(expectedUnderSwitch);
});

it('the path of a trigger cancel follows cancelTriggerPath', () => {
  const path = '/fapi/v1/cancel_trigger_order';
  expect(new FuturesFixture({}, { cancelTriggerPath: path }).post(path, {}).status).toBe(400);
  expect(new FuturesFixture().post(path, {}).status).toBe(404);
});
