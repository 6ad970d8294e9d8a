// Tests that the last line of a bot states whether its journal is written.

import { expect, it } from 'vitest';
import { ScriptedBot } from '../../../../test/fixtures/scriptedBot.ts';
import { exitSummary } from './exitSummary.ts';

it('the last line of a bot states whether the journal is written', () => {
  const bot = new ScriptedBot();
  expect(exitSummary(bot.view())).toMatch(/the journal is written$/);
  bot.board.raise({ kind: 'account' }, 'CANCEL_ONLY', 'JOURNAL', 'ENOSPC', bot.timeMs);
  expect(exitSummary(bot.view())).toMatch(/the journal could not be written$/);
});
