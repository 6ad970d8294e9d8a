// Tests the exit code of `isobar live` for a bot that a signal has ended.

import { expect, test } from 'vitest';
import { reportedExitCode } from '../../tasks/bot/exitReport.ts';
import { exitCodeAfter } from './startAction.ts';

test('a forwarded signal that ends a bot past its end leaves the exit code that the bot has reported', () => {
  expect([exitCodeAfter('SIGTERM', 0), exitCodeAfter('SIGINT', 4)]).toEqual([0, 4]);
});

test('a bot that a signal ends before its end, or that is killed by another signal, has the exit code of the signal', () => {
  expect([exitCodeAfter('SIGTERM', null), exitCodeAfter('SIGKILL', 0), exitCodeAfter('SIGSEGV', 0)]).toEqual([143, 137, 139]);
});

test('a message without a number as exit code reports nothing', () => {
  expect([{ exitCode: 4 }, { exitCode: '4' }, { code: 4 }, 4, null].map(reportedExitCode)).toEqual([4, null, null, null, null]);
});
