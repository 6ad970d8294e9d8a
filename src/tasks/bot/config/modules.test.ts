// Tests which parts of a bot a module may rebind in each mode.

import { expect, test } from 'vitest';
import { composeModule } from '../../../app/composeModule.ts';
import { PARTS } from '../../../app/parts.ts';
import { ConfigError } from '../../../base/errors.ts';
import { checkLiveModules } from './modules.ts';
import type { Mode } from './mode.ts';

type PartName = keyof typeof PARTS;
const PART_NAMES = Object.keys(PARTS) as PartName[];

/** Returns the error of a bot in `mode` for a module that rebinds a part; null if it accepts the module. */
function errorOf(part: PartName, how: 'to' | 'wrap', mode: Mode): ConfigError | null {
  const module = composeModule('own', ({ rebind }) => rebind<unknown>(PARTS[part])[how](() => null));
  try {
    checkLiveModules([{ module, place: 'bot.yaml:9 modules.0' }], mode);
    return null;
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

const acceptedParts = (how: 'to' | 'wrap', mode: Mode) => PART_NAMES.filter((part) => errorOf(part, how, mode) === null).toSorted();

test('with mode: live a module may rebind only rules and notifier', () => {
  expect(acceptedParts('to', 'live')).toEqual(['notifier', 'rules']);
  expect(acceptedParts('wrap', 'live')).toEqual(['notifier', 'rules']);
});

test('with mode: paper a module may also rebind the clock, and wrap exchange and journal', () => {
  expect(acceptedParts('to', 'paper')).toEqual(['clock', 'notifier', 'rules']);
  expect(acceptedParts('wrap', 'paper')).toEqual(['clock', 'exchange', 'journal', 'notifier', 'rules']);
});

test.each(['risk', 'orders', 'fees', 'slippage', 'strategies', 'scheduler', 'engine', 'latency'] as const)(
  'the error for a module that rebinds %s names place, module and remedy',
  (part) => {
    for (const mode of ['paper', 'live'] as const) {
      const error = errorOf(part, 'wrap', mode);
      expect(error?.message).toBe(
        `bot.yaml:9 modules.0: the module own: expected ${part} as the bot has it, got a module that rebinds ${part}`,
      );
      expect(error?.remedy).toContain('leave the module out');
      expect(error?.remedy).toContain('backtests');
    }
  },
);

test('the remedy says which parts may be rebound with mode: paper, or wrapped', () => {
  expect(errorOf('journal', 'wrap', 'live')?.remedy).toContain('journal may be rebound with mode: paper');
  expect(errorOf('exchange', 'to', 'paper')?.remedy).toContain('rebind(PARTS.exchange).wrap(');
});
