// Tests that loss rules measure from the same equity in a bot that never stopped and in one that was restarted.

import { expect, test } from 'vitest';
import { Strategy } from '../../src/index.ts';
import { comparePlanted, ROWS, type PlantedDifference } from './planted.ts';

/** Trades often, with stops that trigger at any row, also at the one that closes at 00:00. */
class FrequentTrader extends Strategy {
  barCount = 0;
  override onBar() {
    this.barCount++;
    const drawn = this.random();
    const close = this.bars.close.value;
    if (drawn < 0.3)
      this.buy({ base: String(1 + Math.floor(drawn * 10)) }, { tag: `m${this.barCount}`, stopLoss: close * 0.98, trailing: 2 });
    else if (drawn < 0.5) this.buy({ quote: '100' }, { tag: 'rest', limit: close * 0.995 });
    else if (drawn < 0.6) this.exit();
    else if (drawn < 0.7) for (const { id } of this.openOrders()) this.cancel(id);
  }
}

/** The rows before which a bot restarts, and those before which the operator resumes its drawdown halt. */
interface Acts {
  readonly restarts: readonly number[];
  readonly resumes: readonly number[];
}

/** Runs the bot. Returns its report, and before each row what its loss rules measure from and which causes halt it. */
async function runWith(risk: Readonly<Record<string, string>>, { restarts, resumes }: Acts) {
  const statesByRow: unknown[] = [];
  const act =
    (row: number): NonNullable<PlantedDifference['actsByRow']>[number] =>
    async ({ opened: { bot }, restart }) => {
      const { engine } = bot.deps;
      const codes = engine.risk.halts.causes().map(({ code }) => code);
      statesByRow.push([row, Object.fromEntries(engine.risk.snapshot()), codes]);
      if (resumes.includes(row))
        bot.driver.step(() => void engine.risk.resume({ kind: 'account' }, 'DRAWDOWN', 'the operator', engine.nowMs));
      if (restarts.includes(row)) await restart(0);
    };
  const actsByRow = Object.fromEntries(Array.from({ length: ROWS }, (_, row) => [row, act(row)]));
  const report = await comparePlanted({ strategy: FrequentTrader, definition: { risk }, actsByRow });
  return { report, statesByRow };
}

test('a daily loss is measured from the same equity after restarts, and the bot equals its backtest', { timeout: 240_000 }, async () => {
  const risk = { maxDailyLoss: '0.002' };
  const unstopped = await runWith(risk, { restarts: [], resumes: [] });
  const restarted = await runWith(risk, { restarts: [9, 21, 22], resumes: [] });
  expect(restarted.statesByRow).toEqual(unstopped.statesByRow);
  for (const { report } of [unstopped, restarted]) expect(report).toMatchObject({ equal: true, bridge: [], residual: '0' });
});

test('a drawdown that the operator has resumed is measured from the same peak after restarts', { timeout: 240_000 }, async () => {
  const risk = { maxDrawdown: '0.001' };
  const resumes = [18, 24];
  const unstopped = await runWith(risk, { restarts: [], resumes });
  const restarted = await runWith(risk, { restarts: [12, 18, 19, 25], resumes });
  expect(unstopped.statesByRow).toContainEqual([18, expect.anything(), ['DRAWDOWN']]);
  expect(unstopped.statesByRow).toContainEqual([19, expect.anything(), []]);
  expect(restarted.statesByRow).toEqual(unstopped.statesByRow);
});
