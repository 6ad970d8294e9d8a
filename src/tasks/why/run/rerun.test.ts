// Tests the explanations of one bar: conditions, fields and reads equal those that the same strategy computes by itself.

import { describe, expect, test } from 'vitest';
import { above, and, below, crossedUp, not, or, sma, Strategy } from '../../../index.ts';
import { feed, minutes, planOf } from '../../../../test/simulation/plans.ts';
import { runBacktest } from '../../backtest/run/runBacktest.ts';
import { repeatBar } from './repeatBar.ts';

const BARS = minutes('AAAUSDT', 400, 5);

/** States of the operands at one bar, as the strategy itself computes them. */
interface OperandStates {
  readonly openMs: number;
  readonly fast: boolean;
  readonly low: boolean;
  readonly steep: boolean;
  readonly calm: boolean;
}
const statesByBar: OperandStates[] = [];

/** Enters and leaves by conditions of several operands, and notes their states at each bar. */
class Gated extends Strategy {
  short = this.use(sma(this.bars.close, 3));
  long = this.use(sma(this.bars.close, 9));
  fast = this.use(above(this.short, this.long));
  low = this.use(below(this.bars.close, this.long));
  steep = this.use(crossedUp(this.short, this.long));
  calm = this.use(above(this.bars.volume, 1e9));
  enter = this.when(and(this.fast, or(this.low, this.steep), not(this.calm)), () => {
    if (this.position().isFlat) this.buy({ quote: '1000' });
    else this.count.again++;
  });
  leave = this.when(and(not(this.fast), this.low), () => {
    this.exit();
  });
  count = this.keep({ bars: 0, again: 0 });
  override onBar() {
    this.count.bars++;
    const { openMs } = this.bars.bar;
    statesByBar.push({ openMs, fast: this.fast.value, low: this.low.value, steep: this.steep.value, calm: this.calm.value });
  }
}

/** Short blocks, so that counts span many of them. */
const plan = { ...planOf(Gated, [feed('bars', BARS)]), blockRows: 16 };
const explainRow = (row: number) => repeatBar(plan, { kind: 'bar', atMs: BARS.openMs[row]!, symbol: null });

describe('a condition of several operands', () => {
  test('a condition names its first operand that is not true, in the order of and()', async () => {
    for (let row = 20; row < 400; row += 7) {
      statesByBar.length = 0;
      const { strategies } = await explainRow(row);
      const states = statesByBar.find(({ openMs }) => openMs === BARS.openMs[row])!;
      const [enter, leave] = strategies[0]!.when;
      const orText = 'or(below(close, sma(close, 9)), crossedUp(sma(close, 3), sma(close, 9)))';
      const firstFalseAfterFast = states.low || states.steep ? null : orText;
      const expectedFirstFalse = states.fast ? firstFalseAfterFast : 'above(sma(close, 3), sma(close, 9))';
      expect(enter!.firstFalse, `row ${row}`).toBe(expectedFirstFalse);
      expect(enter!.fired, `row ${row}`).toBe(expectedFirstFalse === null);
      const leaveFirstFalseAfterFast = states.low ? null : 'below(close, sma(close, 9))';
      const expectedLeave = states.fast ? 'not(above(sma(close, 3), sma(close, 9)))' : leaveFirstFalseAfterFast;
      expect(leave!.firstFalse, `row ${row}`).toBe(expectedLeave);
      expect(enter!.operands.map(({ depth }) => depth)).toEqual([0, 1, 1, 2, 2, 1, 2]);
      expect(enter!.operands.map(({ state }) => state === 'true')).toEqual([
        expectedFirstFalse === null, states.fast, states.low || states.steep, states.low, states.steep, !states.calm, states.calm,
      ]); // prettier-ignore
    }
  });

  test('a condition counts the bars since the last trade at which each operand was the first that was not true', async () => {
    for (const row of [60, 150, 333, 399]) {
      statesByBar.length = 0;
      const { strategies } = await explainRow(row);
      const { when: whens, lastTradeMs } = strategies[0]!;
      const [enter] = whens;
      const statesSinceTrade = statesByBar.filter(
        ({ openMs }) => openMs + 60_000 > (lastTradeMs ?? -Infinity) && openMs <= BARS.openMs[row]!,
      );
      const falseOperands = statesSinceTrade
        .filter((states) => !states.fast || !(states.low || states.steep))
        .map((states) => (states.fast ? 'or' : 'above'));
      if (enter!.firstFalse === null) {
        expect(enter!.sinceTrade).toBeNull();
        continue;
      }
      const counted = Object.fromEntries(
        enter!.sinceTrade!.bars.map(({ operand, bars }) => [operand.slice(0, operand.indexOf('(')), bars]),
      );
      const expectedCounts: Record<string, number> = {};
      for (const operand of falseOperands) expectedCounts[operand] = (expectedCounts[operand] ?? 0) + 1;
      expect(counted, `row ${row}`).toEqual(expectedCounts);
      expect(enter!.sinceTrade!.first.startsWith(`${falseOperands[0]}(`)).toBe(true);
    }
  });
});

test('an explanation shows kept state before and after the bar, and the reads of the strategy', async () => {
  const { strategies } = await explainRow(200);
  const [strategy] = strategies;
  const bars = strategy!.fields.find(({ name }) => name === 'count.bars')!;
  expect([Number(bars.after) - Number(bars.before), bars.isKept]).toEqual([1, true]);
  expect(strategy!.fields.filter(({ isView }) => !isView).map(({ name }) => name)).toEqual(['params', 'count.bars', 'count.again']);
  expect(strategy!.calls.filter(({ during }) => during === 'onBar').map(({ text }) => text)).toContain('openMs of the bar');
  expect(strategy!.values.find(({ name }) => name === 'sma(close, 3)')).toMatchObject({ fields: ['short'] });
});

test('a time after the end of the run is rejected, and the remedy names the last bar', async () => {
  const afterTheEnd = repeatBar(plan, { kind: 'bar', atMs: BARS.closeMs[399]!, symbol: null });
  await expect(afterTheEnd).rejects.toThrow('the bars of spot:');
  await expect(afterTheEnd).rejects.toMatchObject({ remedy: expect.stringMatching(/^the last bar opens at /) as string });
});

/** Cancels its limit order at each fifth bar and places the next one with its tag, which waits as a draft meanwhile. */
class Replacing extends Strategy {
  bar = 0;
  override onBar() {
    if (this.bar++ % 5 > 0) return;
    for (const { id } of this.openOrders()) this.cancel(id);
    this.buy({ quote: '100' }, { limit: this.bars.close.value * 0.5, tag: 'rung' });
  }
}

test('an order that waited as a draft is explained at the bar where it waited and at the bar where it was sent', async () => {
  const basePlan = planOf(Replacing, [feed('bars', BARS)]);
  const replacing = { ...basePlan, fills: { ...basePlan.fills, latencyMs: 100 } };
  const { orders } = await runBacktest(replacing);
  const createdMs = orders.createdMs[1]!;
  const atOrder = await repeatBar(replacing, { kind: 'order', order: 2, createdMs, symbol: 'AAAUSDT' });
  const explained = atOrder.orders.find(({ order }) => order === 2)!;
  expect([atOrder.bar.closeMs, explained.createdMs, explained.verdict]).toEqual([createdMs, createdMs, 'approved']);
  expect(explained.rules.map(({ verdict }) => verdict)).toContain('passed');
  const waiting = await repeatBar(replacing, { kind: 'bar', atMs: BARS.openMs[5]!, symbol: null });
  expect(waiting.orders.find(({ order }) => order === 2)!.events[0]!.text).toBe('waits for the end of order 1');
});
