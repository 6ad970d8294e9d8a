// What is due runs before the bar that is delivered later, and steps have whole times: a replay has the journal's times alone.

import { expect, it } from 'vitest';
import { InvariantError } from '../../../base/errors.ts';
import { DueQueue } from '../../../ports/dueQueue.ts';
import { Driver, type DriverDeps } from './driver.ts';

const CLOSE_MS = 60_000;

/** A driver whose bar ends the test: what runs up to it is listed. */
function driven(): { readonly driver: Driver; readonly queue: DueQueue; readonly happened: string[]; nowMs: number } {
  const queue = new DueQueue();
  const happened: string[] = [];
  const engine = {
    queue,
    instant: { set: (timeMs: number) => void happened.push(`time ${timeMs}`) },
    callbacks: { isEmpty: true },
    haltActions: null,
    attributeError: (error: Error) => error,
  };
  const nothing = (): void => {};
  const state = { queue, happened, nowMs: CLOSE_MS - 10_000 };
  const deps = {
    engine,
    scheduler: { nowMs: 0, at: () => 1, cancel: nothing },
    venueMs: () => state.nowMs,
    onStrategyFailure: nothing,
    onJournalFailure: nothing,
    onFill: nothing,
    funding: nothing,
  };
  return Object.assign(state, { driver: new Driver(deps as unknown as DriverDeps) });
}

it('what is due between the close of a bar and its delivery runs before the bar, at the whole ms of the delivery', () => {
  const world = driven();
  const { queue, happened, driver } = world;
  queue.runDue(CLOSE_MS - 10_000);
  queue.at(CLOSE_MS + 2000, () => void happened.push('due'));
  queue.at(CLOSE_MS + 9000, () => void happened.push('not due yet'));
  world.nowMs = CLOSE_MS + 4000.75;
  driver.instant(CLOSE_MS, () => {
    happened.push('bar');
    throw new InvariantError('the bar is all that this test needs');
  });
  expect(happened).toEqual([`time ${CLOSE_MS + 4000}`, 'due', 'bar']);
});
