// Tests that each signal that ends a command stops it cleanly, with the exit code that shells expect.

import { expect, it } from 'vitest';
import { stopOnSignal } from './stopOnSignal.ts';

it.each([
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s stops with exit code %i', (name, code) => {
  const listeners = process.listenerCount(name);
  const stop = stopOnSignal();
  try {
    process.emit(name);
    expect([stop.signal.aborted, stop.code()]).toEqual([true, code]);
  } finally {
    stop.release();
  }
  expect(process.listenerCount(name)).toBe(listeners);
});
