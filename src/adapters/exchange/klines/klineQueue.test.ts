// The queue of kline calls: in the order of need, first calls before repeated ones, no more at once than a window admits.

import { expect, it } from 'vitest';
import { DueQueue } from '../../../ports/dueQueue.ts';
import type { AskKlines } from './barPoller.ts';
import { KlineQueue } from './klineQueue.ts';

type Done = Parameters<AskKlines>[1];
const NO_ANSWER = { kind: 'notSent', cause: 'a test' } as const;

function fixture(feeds: number, maxCalls: number) {
  const scheduler = new DueQueue();
  scheduler.runDue(0);
  const queue = new KlineQueue(scheduler, { maxCalls });
  const began: number[] = [];
  const open: { readonly place: number; readonly done: Done }[] = [];
  const cancelled: number[] = [];
  const asks = Array.from({ length: feeds }, (_, place) =>
    queue.queued(place, (_rows, done) => {
      began.push(place);
      open.push({ place, done });
      return () => cancelled.push(place);
    }),
  );
  return { scheduler, asks, began, open, cancelled, answer: () => open.shift()!.done(NO_ANSWER) };
}

it('calls of one close begin in the order of need, whatever the order of the requests', () => {
  const { scheduler, asks, began } = fixture(5, 10);
  for (const at of [4, 2, 0, 3, 1]) asks[at]!(2, () => {}, false);
  expect(began).toEqual([]);
  scheduler.runDue(10);
  expect(began).toEqual([0, 1, 2, 3, 4]);
});

it('a repeated call waits for all first ones', () => {
  const { scheduler, asks, began } = fixture(4, 10);
  asks[0]!(2, () => {}, true);
  asks[3]!(2, () => {}, false);
  asks[1]!(2, () => {}, true);
  asks[2]!(2, () => {}, false);
  scheduler.runDue(10);
  expect(began).toEqual([2, 3, 0, 1]);
});

it('at most as many calls run as a window admits, and the next one starts with a reply', () => {
  const { scheduler, asks, began, answer } = fixture(5, 2);
  asks.forEach((ask) => ask(2, () => {}, false));
  scheduler.runDue(10);
  expect(began).toEqual([0, 1]);
  answer();
  expect(began).toEqual([0, 1, 2]);
});

it('a cancelled call gives its place to the next one, once', () => {
  const { scheduler, asks, began, cancelled, open } = fixture(4, 1);
  const cancels = asks.map((ask) => ask(2, () => {}, false));
  scheduler.runDue(10);
  cancels[1]!();
  expect([began, cancelled]).toEqual([[0], []]);
  cancels[0]!();
  expect([began, cancelled]).toEqual([[0, 2], [0]]);
  open[0]!.done(NO_ANSWER);
  expect(began).toEqual([0, 2]);
});

it('a single feed does not wait for others', () => {
  const { asks, began } = fixture(1, 20);
  asks[0]!(2, () => {}, false);
  expect(began).toEqual([0]);
});
