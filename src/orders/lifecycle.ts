// The lifecycle of an order as one pure table: (lifecycle, event) to the next lifecycle, or null if the pair is impossible.

import type { Lifecycle } from '../model/order.ts';

/** The lifecycles by their number in `STATE`. */
export const LIFECYCLES = ['draft', 'sent', 'unknown', 'working', 'cancelSent', 'done'] as const satisfies readonly Lifecycle[];
/** The events by their number in `EVENT`. */
export const ORDER_EVENTS = [
  'sent', 'denied', 'acked', 'refused', 'notSent', 'outcomeUnknown', 'placed', 'noEffect',
  'cancelWanted', 'cancelPending', 'filled', 'canceled', 'rejected', 'expired', 'seenLive', 'lateArrival',
] as const; // prettier-ignore
/** An input of the lifecycle table. */
export type OrderEvent = (typeof ORDER_EVENTS)[number];

/**
 * The events that are possible in each lifecycle (order-safety, section 6). The filled quantity is separate from the lifecycle, so a
 * partial fill is not an event here; `filled` means that nothing remains. An order leaves `done` only by proof that the venue still has it.
 */
const TRANSITIONS: Readonly<Record<Lifecycle, Readonly<Partial<Record<OrderEvent, Lifecycle>>>>> = {
  draft: { denied: 'done', sent: 'sent', notSent: 'done', canceled: 'done' },
  sent: { acked: 'working', placed: 'working', refused: 'done', notSent: 'done', outcomeUnknown: 'unknown', cancelWanted: 'sent' },
  unknown: { acked: 'working', placed: 'working', refused: 'done', noEffect: 'done', outcomeUnknown: 'unknown', cancelWanted: 'unknown' },
  // `outcomeUnknown`: the exchange has given the id of the order to another one too, so the id proves nothing any more.
  working: {
    seenLive: 'working', outcomeUnknown: 'unknown', cancelWanted: 'cancelSent', cancelPending: 'cancelSent',
    filled: 'done', canceled: 'done', rejected: 'done', expired: 'done',
  }, // prettier-ignore
  cancelSent: {
    seenLive: 'cancelSent', outcomeUnknown: 'unknown', cancelWanted: 'cancelSent', cancelPending: 'cancelSent', refused: 'cancelSent',
    filled: 'done', canceled: 'done', rejected: 'done', expired: 'done',
  }, // prettier-ignore
  done: { seenLive: 'working', lateArrival: 'cancelSent' },
};

/** Returns the lifecycle after `event`, or null for an impossible pair, which is journalled and re-read but never acted on. Pure. */
export function nextLifecycle(lifecycle: Lifecycle, event: OrderEvent): Lifecycle | null {
  return TRANSITIONS[lifecycle][event] ?? null;
}

/** Number of bits of a position in ORDER_EVENTS. */
export const EVENT_BITS = 4;
/**
 * The same table by numbers: the next state is at `(state << EVENT_BITS) | event`; -1 for an impossible pair. Hot:
 * docs/performance.md#number-codes.
 */
export const NEXT_STATE = Int8Array.from(LIFECYCLES.flatMap(nextStatesFrom));

/** Returns the row of one lifecycle in NEXT_STATE. Numbers to which no event belongs are impossible too. */
function nextStatesFrom(lifecycle: Lifecycle): number[] {
  return Array.from({ length: 2 ** EVENT_BITS }, (_, eventNumber) => {
    const event = ORDER_EVENTS[eventNumber];
    const nextName = event === undefined ? undefined : TRANSITIONS[lifecycle][event];
    return nextName === undefined ? -1 : LIFECYCLES.indexOf(nextName);
  });
}
/** The number of each lifecycle: its position in `LIFECYCLES`. */
export const STATE = { draft: 0, sent: 1, unknown: 2, working: 3, cancelSent: 4, done: 5 } as const satisfies Record<Lifecycle, number>;
/** Positions in ORDER_EVENTS. Hot: docs/performance.md#number-codes. */
export const EVENT = {
  sent: 0, denied: 1, acked: 2, refused: 3, notSent: 4, outcomeUnknown: 5, placed: 6, noEffect: 7,
  cancelWanted: 8, cancelPending: 9, filled: 10, canceled: 11, rejected: 12, expired: 13, seenLive: 14, lateArrival: 15,
} as const satisfies Record<OrderEvent, number>; // prettier-ignore
