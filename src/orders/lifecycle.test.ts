// Tests the lifecycle table: every possible pair, every impossible one, and the same table in its packed form.

import { describe, expect, it } from 'vitest';
import type { Lifecycle } from '../model/order.ts';
import { EVENT, EVENT_BITS, LIFECYCLES, nextLifecycle, NEXT_STATE, ORDER_EVENTS, STATE, type OrderEvent } from './lifecycle.ts';

/** The table of the design (order-safety, section 6), row by row. A pair that is not here is impossible. */
const POSSIBLE: readonly (readonly [Lifecycle, OrderEvent, Lifecycle])[] = [
  ['draft', 'denied', 'done'],
  ['draft', 'sent', 'sent'],
  ['draft', 'notSent', 'done'],
  // The strategy withdraws a draft that waits for another order to end.
  ['draft', 'canceled', 'done'],
  ['sent', 'acked', 'working'],
  ['sent', 'placed', 'working'],
  ['sent', 'refused', 'done'],
  ['sent', 'notSent', 'done'],
  ['sent', 'outcomeUnknown', 'unknown'],
  ['sent', 'cancelWanted', 'sent'],
  ['unknown', 'acked', 'working'],
  ['unknown', 'placed', 'working'],
  ['unknown', 'refused', 'done'],
  ['unknown', 'noEffect', 'done'],
  ['unknown', 'outcomeUnknown', 'unknown'],
  ['unknown', 'cancelWanted', 'unknown'],
  ['working', 'seenLive', 'working'],
  ['working', 'outcomeUnknown', 'unknown'],
  ['working', 'cancelWanted', 'cancelSent'],
  ['working', 'cancelPending', 'cancelSent'],
  ['working', 'filled', 'done'],
  ['working', 'canceled', 'done'],
  ['working', 'rejected', 'done'],
  ['working', 'expired', 'done'],
  ['cancelSent', 'seenLive', 'cancelSent'],
  ['cancelSent', 'outcomeUnknown', 'unknown'],
  ['cancelSent', 'cancelWanted', 'cancelSent'],
  ['cancelSent', 'cancelPending', 'cancelSent'],
  ['cancelSent', 'refused', 'cancelSent'],
  ['cancelSent', 'filled', 'done'],
  ['cancelSent', 'canceled', 'done'],
  ['cancelSent', 'rejected', 'done'],
  ['cancelSent', 'expired', 'done'],
  ['done', 'seenLive', 'working'],
  ['done', 'lateArrival', 'cancelSent'],
];

describe('nextLifecycle', () => {
  it.each(LIFECYCLES.flatMap((from) => ORDER_EVENTS.map((event) => [from, event] as const)))(
    'an order in state %s that gets the event %s has the next state of the table',
    (from, event) => {
      const expectedState = POSSIBLE.find(([lifecycle, kind]) => lifecycle === from && kind === event)?.[2] ?? null;
      expect(nextLifecycle(from, event)).toBe(expectedState);
      const packed = NEXT_STATE[(STATE[from] << EVENT_BITS) | EVENT[event]]!;
      expect(packed < 0 ? null : LIFECYCLES[packed]).toBe(expectedState);
    },
  );

  it('an order leaves done only if the venue proves to have it', () => {
    expect(ORDER_EVENTS.filter((event) => nextLifecycle('done', event) !== null)).toEqual(['seenLive', 'lateArrival']);
  });

  it('an order never returns to draft', () => {
    for (const from of LIFECYCLES) for (const event of ORDER_EVENTS) expect(nextLifecycle(from, event)).not.toBe('draft');
  });
});
