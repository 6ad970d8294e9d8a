// Tests the driver of a live bot: due work runs before a bar that is delivered late, and the time of a step is whole milliseconds.

import { expect, it } from 'vitest';
import { InvariantError } from '../../../base/errors.ts';
import { DueQueue } from '../../../ports/dueQueue.ts';
import { Driver, type DriverDeps } from './driver.ts';

const CLOSE_MS = 60_000;

/** Returns a driver, and a list of the events that it has run. */
function createDriver(): { readonly driver: Driver; readonly queue: DueQueue; readonly events: string[]; nowMs: number } {
  const queue = new DueQueue();
  const events: string[] = [];
  const engine = {
    queue,
    instant: { set: (timeMs: number) => void events.push(`time ${timeMs}`) },
    callbacks: { isEmpty: true },
    haltActions: null,
    attributeError: (error: Error) => error,
  };
  const doNothing = (): void => {};
  const fixture = { queue, events, nowMs: CLOSE_MS - 10_000 };
  const deps = {
    engine,
    scheduler: { nowMs: 0, at: () => 1, cancel: doNothing },
    venueMs: () => fixture.nowMs,
    onStrategyFailure: doNothing,
    onInconsistency: doNothing,
    onFill: doNothing,
    onFunding: doNothing,
  };
  return Object.assign(fixture, { driver: new Driver(deps as unknown as DriverDeps) });
}

it('work that is due between the close of a bar and its delivery runs before the bar, at the whole ms of the delivery', () => {
  const fixture = createDriver();
  const { queue, events, driver } = fixture;
  queue.runDue(CLOSE_MS - 10_000);
  queue.at(CLOSE_MS + 2000, () => void events.push('due'));
  queue.at(CLOSE_MS + 9000, () => void events.push('not due yet'));
  fixture.nowMs = CLOSE_MS + 4000.75;
  driver.instant(CLOSE_MS, () => {
    events.push('bar');
    throw new InvariantError('the bar is all that this test needs');
  });
  expect(events).toEqual([`time ${CLOSE_MS + 4000}`, 'due', 'bar']);
});
