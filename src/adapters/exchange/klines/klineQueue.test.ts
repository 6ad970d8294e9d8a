// Tests the queue of kline calls: calls begin in the order of need, and at most as many run as a window admits.

import { expect, it } from 'vitest';
import { DueQueue } from '../../../ports/dueQueue.ts';
import type { AskKlines } from './barPoller.ts';
import { KlineQueue } from './klineQueue.ts';

type DoneCallback = Parameters<AskKlines>[1];
const NO_ANSWER = { kind: 'notSent', cause: 'a test' } as const;

/** Number of klines that a call requests. It has no effect on the order of calls. */
const ROWS = 2;
const callFirst = (requestCall: AskKlines) => requestCall(ROWS, () => {}, false);
/** Requests klines that an earlier reply lacked. */
const callAgain = (requestCall: AskKlines) => requestCall(ROWS, () => {}, true);

/** Returns a queue of calls, and the order in which they began. */
function fixture(feedCount: number, maxCalls: number) {
  const scheduler = new DueQueue();
  scheduler.runDue(0);
  const queue = new KlineQueue(scheduler, { maxCalls });
  const startedPlaces: number[] = [];
  const openCalls: { readonly place: number; readonly done: DoneCallback }[] = [];
  const cancelled: number[] = [];
  const requestCalls = Array.from({ length: feedCount }, (_, place) =>
    queue.askInOrder(place, (_rows, callback) => {
      startedPlaces.push(place);
      openCalls.push({ place, done: callback });
      return () => cancelled.push(place);
    }),
  );
  return {
    scheduler,
    requestCalls,
    startedPlaces,
    openCalls,
    cancelled,
    answerOldest: () => openCalls.shift()!.done(NO_ANSWER),
  };
}

it('kline calls of one close begin in the order of need, for any order of the requests', () => {
  const { scheduler, requestCalls, startedPlaces } = fixture(5, 10);
  for (const place of [4, 2, 0, 3, 1]) callFirst(requestCalls[place]!);
  expect(startedPlaces).toEqual([]);
  scheduler.runDue(10);
  expect(startedPlaces).toEqual([0, 1, 2, 3, 4]);
});

it('a repeated kline call waits for all first calls', () => {
  const { scheduler, requestCalls, startedPlaces } = fixture(4, 10);
  callAgain(requestCalls[0]!);
  callFirst(requestCalls[3]!);
  callAgain(requestCalls[1]!);
  callFirst(requestCalls[2]!);
  scheduler.runDue(10);
  expect(startedPlaces).toEqual([2, 3, 0, 1]);
});

it('at most as many kline calls run as a window admits, and the next one starts with a reply', () => {
  const { scheduler, requestCalls, startedPlaces, answerOldest } = fixture(5, 2);
  requestCalls.forEach(callFirst);
  scheduler.runDue(10);
  expect(startedPlaces).toEqual([0, 1]);
  answerOldest();
  expect(startedPlaces).toEqual([0, 1, 2]);
});

it('a cancelled kline call gives its place to exactly one other', () => {
  const { scheduler, requestCalls, startedPlaces, cancelled, openCalls } = fixture(4, 1);
  const cancels = requestCalls.map(callFirst);
  scheduler.runDue(10);
  cancels[1]!();
  expect([startedPlaces, cancelled]).toEqual([[0], []]);
  cancels[0]!();
  expect([startedPlaces, cancelled]).toEqual([[0, 2], [0]]);
  openCalls[0]!.done(NO_ANSWER);
  expect(startedPlaces).toEqual([0, 2]);
});

it('a kline call of a single feed starts at once', () => {
  const { requestCalls, startedPlaces } = fixture(1, 20);
  callFirst(requestCalls[0]!);
  expect(startedPlaces).toEqual([0]);
});
