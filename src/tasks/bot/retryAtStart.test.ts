// Tests the retries of a starting bot: for ten seconds of this computer if the exchange's clock is faster, otherwise once.

import { expect, it } from 'vitest';
import { DueQueue } from '../../ports/dueQueue.ts';
import { NoAnswer } from '../download/marketService.ts';
import { retryAtStart } from './retryAtStart.ts';

/** Turns of the event loop after which a retry that does not end fails the test. */
const MAX_TURNS = 5000;
/** Local time that passes in each turn, ms. */
const TURN_MS = 50;

/** Returns the number of tries and how they ended, for a call that fails `failures` times. */
async function triesOf(timeScale: number, failures: number, error: Error): Promise<readonly [tries: number, end: unknown]> {
  const queue = new DueQueue();
  queue.runDue(0);
  const progress: { tries: number; end: unknown; hasEnded: boolean } = { tries: 0, end: null, hasEnded: false };
  const act = (): Promise<string> => (++progress.tries > failures ? Promise.resolve('there') : Promise.reject(error));
  void retryAtStart(queue, timeScale, act)
    .then(
      (value) => (progress.end = value),
      (reason: unknown) => (progress.end = reason),
    )
    .finally(() => (progress.hasEnded = true));
  for (let turnIndex = 0; turnIndex < MAX_TURNS && !progress.hasEnded; turnIndex++) {
    await Promise.resolve();
    queue.runDue(queue.nowMs + TURN_MS * timeScale);
  }
  return [progress.tries, progress.end];
}

it('a starting bot retries for ten seconds of this computer while a faster exchange gives no reply', async () => {
  const silent = new NoAnswer('spot.account: no answer', 'look');
  expect(await triesOf(60, 30, silent)).toEqual([31, 'there']);
  const [tries, end] = await triesOf(60, Infinity, silent);
  expect(end).toBe(silent);
  // A try every 100 ms for 10 s makes about 100.
  expect(tries).toBeGreaterThan(50);
  expect(tries).toBeLessThanOrEqual(102);
});

it('a starting bot asks once at a time scale of 1, and once after any error other than a missing reply', async () => {
  const silent = new NoAnswer('spot.account: no answer', 'look');
  expect(await triesOf(1, 1, silent)).toEqual([1, silent]);
  const otherError = new Error('another fault');
  expect(await triesOf(60, 1, otherError)).toEqual([1, otherError]);
});
