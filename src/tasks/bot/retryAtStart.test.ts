// Retries at a start: for ten seconds of this computer if the exchange's clock is faster, otherwise once.

import { expect, it } from 'vitest';
import { DueQueue } from '../../ports/dueQueue.ts';
import { NoAnswer } from '../download/service.ts';
import { retryAtStart } from './retryAtStart.ts';

async function tried(timeScale: number, failures: number, error: Error): Promise<readonly [tries: number, end: unknown]> {
  const queue = new DueQueue();
  queue.runDue(0);
  const is: { tries: number; end: unknown; over: boolean } = { tries: 0, end: null, over: false };
  const act = (): Promise<string> => (++is.tries > failures ? Promise.resolve('there') : Promise.reject(error));
  void retryAtStart(queue, timeScale, act)
    .then(
      (value) => (is.end = value),
      (reason: unknown) => (is.end = reason),
    )
    .finally(() => (is.over = true));
  for (let turn = 0; turn < 5000 && !is.over; turn++) {
    await Promise.resolve();
    queue.runDue(queue.nowMs + 50 * timeScale);
  }
  return [is.tries, is.end];
}

it('a start retries for ten seconds of this computer while a faster exchange gives no reply', async () => {
  const silent = new NoAnswer('spot.account: no answer', 'look');
  expect(await tried(60, 30, silent)).toEqual([31, 'there']);
  const [tries, end] = await tried(60, Infinity, silent);
  expect(end).toBe(silent);
  expect(tries).toBeGreaterThan(50);
  expect(tries).toBeLessThanOrEqual(102);
});

it('a start asks once at a time scale of 1, and once if the reply is a refusal', async () => {
  const silent = new NoAnswer('spot.account: no answer', 'look');
  expect(await tried(1, 1, silent)).toEqual([1, silent]);
  const wrong = new Error('another fault');
  expect(await tried(60, 1, wrong)).toEqual([1, wrong]);
});
