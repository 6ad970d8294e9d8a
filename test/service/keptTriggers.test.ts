// Tests trigger orders that have ended: every read finds them, and they are not in memory.

import { expect, it } from 'vitest';
import { endpointOf, OPS } from '../../src/protocol/endpoints/endpoints.ts';
import { FuturesFixture } from './futuresFixture.ts';
import { codeOf } from './serviceFixture.ts';

const TRIGGER_COUNT = 1500;

it('ended trigger orders are on the last page of 1500, and cannot be cancelled again', () => {
  const fixture = new FuturesFixture({ limits: Object.fromEntries(OPS.map((op) => [endpointOf(op).limit.rateClass, null])) });
  const cancel = (orderId: string) => fixture.post('/v1/inner/trigger_order_cancel', { contractName: 'E-BTC-USDT', orderId });
  const ids: string[] = [];
  for (let orderNumber = 0; orderNumber < TRIGGER_COUNT; orderNumber++) {
    const { body } = fixture.trigger('alice', 'BUY', '3', String(2000 + orderNumber), { open: 'OPEN', type: 'LIMIT', price: 1000 });
    const id = /1622\d{15}/.exec(body)?.[0] ?? body;
    ids.push(id);
    if (orderNumber !== 7) expect(codeOf(cancel(id)), id).toBe(0);
  }
  const { triggers } = fixture.service.futures;
  expect(triggers.inMemory).toBeLessThan(1024);
  expect(triggers.pending().map(({ id }) => id)).toEqual([ids[7]]);

  const page = (orderNumber: number) =>
    JSON.parse(
      fixture
        .post('/fapi/v1/trigger_order_list', { contractName: 'E-BTC-USDT', page: orderNumber, limit: 100 })
        .body.replaceAll(/:(\d{19})/g, ':"$1"'),
    ) as { data: { count: number; triggerOrderList: { triggerOrderId: string; triggerPrice: unknown }[] } };
  const firstPage = page(1).data;
  expect(JSON.stringify(firstPage)).toContain(String(TRIGGER_COUNT));
  const text = JSON.stringify(page(TRIGGER_COUNT / 100));
  expect(ids.slice(0, 100).every((id) => text.includes(id))).toBe(true);
  expect(text.indexOf(ids[99]!)).toBeLessThan(text.indexOf(ids[0]!));
  expect(codeOf(cancel(ids[0]!))).toBe(codeOf(cancel(ids.at(-1)!)));
  expect(codeOf(cancel(ids[0]!))).not.toBe(0);
  expect(codeOf(cancel(ids[7]!))).toBe(0);
});
