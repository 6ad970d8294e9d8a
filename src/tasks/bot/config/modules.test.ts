// Which parts of a bot a module may rebind, by mode.

import { expect, test } from 'vitest';
import { composeModule } from '../../../app/composeModule.ts';
import { PARTS } from '../../../app/parts.ts';
import { ConfigError } from '../../../base/errors.ts';
import { checkLiveModules } from './modules.ts';
import type { Mode } from './mode.ts';

type Name = keyof typeof PARTS;
const NAMES = Object.keys(PARTS) as Name[];

/** Returns the error of a bot in `mode` for a module that rebinds a part; null if it accepts the module. */
function refusal(part: Name, how: 'to' | 'wrap', mode: Mode): ConfigError | null {
  const module = composeModule('own', ({ rebind }) => rebind<unknown>(PARTS[part])[how](() => null));
  try {
    checkLiveModules([{ module, place: 'bot.yaml:9 modules.0' }], mode);
    return null;
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

const taken = (how: 'to' | 'wrap', mode: Mode) => NAMES.filter((part) => refusal(part, how, mode) === null).toSorted();

test('with mode: live a module may rebind only rules and notifier', () => {
  expect(taken('to', 'live')).toEqual(['notifier', 'rules']);
  expect(taken('wrap', 'live')).toEqual(['notifier', 'rules']);
});

test('with mode: paper a module may also rebind the clock, and wrap exchange and journal', () => {
  expect(taken('to', 'paper')).toEqual(['clock', 'notifier', 'rules']);
  expect(taken('wrap', 'paper')).toEqual(['clock', 'exchange', 'journal', 'notifier', 'rules']);
});

test.each(['risk', 'orders', 'fees', 'slippage', 'strategies', 'scheduler', 'engine', 'latency'] as const)(
  'a refusal of %s names place, module and remedy',
  (part) => {
    for (const mode of ['paper', 'live'] as const) {
      const error = refusal(part, 'wrap', mode);
      expect(error?.message).toBe(
        `bot.yaml:9 modules.0: the module own: expected ${part} as the bot has it, got a module that rebinds ${part}`,
      );
      expect(error?.remedy).toContain('leave the module out');
      expect(error?.remedy).toContain('backtests');
    }
  },
);

test('the remedy says which parts may be rebound with mode: paper, or wrapped', () => {
  expect(refusal('journal', 'wrap', 'live')?.remedy).toContain('journal may be rebound with mode: paper');
  expect(refusal('exchange', 'to', 'paper')?.remedy).toContain('rebind(PARTS.exchange).wrap(');
});
