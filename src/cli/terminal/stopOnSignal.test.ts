// Tests that each signal that ends a command stops it cleanly, with the exit code that shells expect.

import { expect, it, vi } from 'vitest';
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

it('a second SIGHUP does nothing, and a SIGINT after it exits', () => {
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never);
  const stop = stopOnSignal();
  try {
    process.emit('SIGHUP');
    process.emit('SIGHUP');
    expect(exit).not.toHaveBeenCalled();
    process.emit('SIGINT');
    expect(exit.mock.calls).toEqual([[130]]);
    expect(stop.code()).toBe(129);
  } finally {
    stop.release();
    exit.mockRestore();
  }
});
