// Tests how long an exit at a time is repeated: until the position that it was for is flat, has turned round, or was opened again.

import { expect, it } from 'vitest';
import { TimedExits } from './timedExits.ts';

const MINUTE_MS = 60_000;
const feed = { instrumentIndex: 0, bars: { interval: '1m' } } as never;

/** Returns the exits of a strategy whose position the test writes into `held`: when each side was opened, undefined if it is not held. */
function fixture() {
  let timer: { readonly ms: number; readonly run: () => void } | null = null;
  const held: { long?: number | undefined; short?: number | undefined } = { long: 1 };
  const host = {
    nowMs: 10 * MINUTE_MS,
    ledger: {
      closable: (_strategy: number, _index: number, isBuy: boolean) => ((isBuy ? held.short : held.long) === undefined ? 0 : 5),
      openedMs: (_strategy: number, _index: number, isLong?: boolean) => (isLong === true ? held.long : held.short) ?? NaN,
    },
    timers: {
      once: (_strategy: number, _key: number, ms: number | null, run: () => void) => (timer = ms === null ? null : { ms, run }),
    },
  };
  const calls = { exits: 0, isUnderWay: false };
  const own = { index: 0, name: 'test', exit: () => calls.exits++, isUnderWay: () => calls.isUnderWay };
  const exits = new TimedExits(host as never, own);
  /** Runs the timer that waits, at its time. */
  const runTimer = (): void => {
    const due = timer!;
    timer = null;
    host.nowMs = due.ms;
    due.run();
  };
  return { exits, host, held, calls, runTimer, nextMs: () => timer?.ms ?? null };
}

it('an exit that does not close is repeated at each close of its feed, and ends with the position', () => {
  const { exits, held, calls, runTimer, nextMs } = fixture();
  exits.at(feed, 10 * MINUTE_MS + 30_000);
  expect([calls.exits, nextMs()]).toEqual([0, 10 * MINUTE_MS + 30_000]);
  runTimer();
  expect([calls.exits, nextMs()]).toEqual([1, 11 * MINUTE_MS]);
  runTimer();
  expect([calls.exits, nextMs()]).toEqual([2, 12 * MINUTE_MS]);
  held.long = undefined;
  runTimer();
  expect([calls.exits, nextMs()]).toEqual([2, null]);
});

it('an exit under way is waited for, not repeated', () => {
  const { exits, calls, runTimer, nextMs } = fixture();
  exits.at(feed, 0);
  calls.isUnderWay = true;
  runTimer();
  expect([calls.exits, nextMs()]).toEqual([1, 12 * MINUTE_MS]);
});

it.each<[string, { readonly long?: number; readonly short?: number }]>([
  ['turned round', { short: 7 }],
  ['was closed and opened again', { long: 7 }],
  ['got another side', { long: 1, short: 7 }],
])('an exit is not repeated once the position has %s', (_, now) => {
  const { exits, held, calls, runTimer, nextMs } = fixture();
  exits.at(feed, 0);
  Object.assign(held, { long: undefined, short: undefined }, now);
  runTimer();
  expect([calls.exits, nextMs()]).toEqual([1, null]);
});

it('without a position an exit at a time is called once', () => {
  const { exits, held, calls, nextMs } = fixture();
  held.long = undefined;
  exits.at(feed, 0);
  expect([calls.exits, nextMs()]).toEqual([1, null]);
});

it('a time that is not finite is refused', () => {
  expect(() => fixture().exits.at(feed, NaN)).toThrow('closeAt(NaN)');
});
