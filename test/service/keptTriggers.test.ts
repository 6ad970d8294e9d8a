// Tests trigger orders that have ended: every read finds them, and they are not in memory.

import { expect, it } from 'vitest';
import { endpointOf, OPS } from '../../src/protocol/endpoints/endpoints.ts';
import { FuturesFixture } from './futuresFixture.ts';
import { codeOf } from './serviceFixture.ts';

/** The ids of trigger orders begin with 1622 and have 19 digits. */
const TRIGGER_ID = /1622\d{15}/;
const TRIGGER_COUNT = 1500;
/** Index of the only trigger order that is not cancelled. */
const PENDING_INDEX = 7;

it('ended trigger orders are on the last page of 1500, and cannot be cancelled again', () => {
  const fixture = new FuturesFixture({ limits: Object.fromEntries(OPS.map((op) => [endpointOf(op).limit.rateClass, null])) });
  const cancel = (orderId: string) => fixture.post('/v1/inner/trigger_order_cancel', { contractName: 'E-BTC-USDT', orderId });
  const ids: string[] = [];
  for (let index = 0; index < TRIGGER_COUNT; index++) {
    const { body } = fixture.sendTriggerOrder('alice', 'BUY', '3', String(2000 + index), { open: 'OPEN', type: 'LIMIT', price: 1000 });
    const id = TRIGGER_ID.exec(body)?.[0] ?? body;
    ids.push(id);
    if (index !== PENDING_INDEX) expect(codeOf(cancel(id)), id).toBe(0);
  }
  const { triggers } = fixture.service.futures;
  expect(triggers.inMemory).toBeLessThan(1024);
  expect(triggers.pending().map(({ id }) => id)).toEqual([ids[PENDING_INDEX]]);

  /** Returns a page of the list, with its ids as texts. */
  const pageOf = (page: number) =>
    JSON.parse(
      fixture.post('/fapi/v1/trigger_order_list', { contractName: 'E-BTC-USDT', page, limit: 100 }).body.replaceAll(/:(\d{19})/g, ':"$1"'),
    ) as { data: { count: number; triggerOrderList: { triggerOrderId: string; triggerPrice: unknown }[] } };
  const firstPage = pageOf(1).data;
  expect(JSON.stringify(firstPage)).toContain(String(TRIGGER_COUNT));
  const lastPageText = JSON.stringify(pageOf(TRIGGER_COUNT / 100));
  expect(ids.slice(0, 100).every((id) => lastPageText.includes(id))).toBe(true);
  expect(lastPageText.indexOf(ids[99]!)).toBeLessThan(lastPageText.indexOf(ids[0]!));
  // The oldest and the newest get the same refusal.
  expect(codeOf(cancel(ids[0]!))).toBe(codeOf(cancel(ids.at(-1)!)));
  expect(codeOf(cancel(ids[0]!))).not.toBe(0);
  expect(codeOf(cancel(ids[PENDING_INDEX]!))).toBe(0);
});
