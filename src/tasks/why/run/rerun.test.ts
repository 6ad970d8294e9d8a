// Explanations of one bar: conditions, fields and reads equal what the same strategy computes by itself.

import { describe, expect, test } from 'vitest';
import { above, and, below, crossedUp, not, or, sma, Strategy } from '../../../index.ts';
import { feed, minutes, planOf } from '../../../../test/simulation/plans.ts';
import { rerun } from './rerun.ts';

const BARS = minutes('AAAUSDT', 400, 5);

/** What the strategy itself saw at each bar: the states of its operands, and its trades. */
interface Seen {
  readonly openMs: number;
  readonly fast: boolean;
  readonly low: boolean;
  readonly steep: boolean;
  readonly calm: boolean;
}
const seen: Seen[] = [];

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
    seen.push({ openMs, fast: this.fast.value, low: this.low.value, steep: this.steep.value, calm: this.calm.value });
  }
}

/** Short blocks, so that counts span many of them. */
const plan = { ...planOf(Gated, [feed('bars', BARS)]), blockRows: 16 };
const at = (row: number) => rerun(plan, { kind: 'bar', atMs: BARS.openMs[row]!, symbol: null });

describe('a condition of several operands', () => {
  test('a condition of several operands names the first that is not true, in the order in which and() names them', async () => {
    for (let row = 20; row < 400; row += 7) {
      seen.length = 0;
      const { strategies } = await at(row);
      const own = seen.find(({ openMs }) => openMs === BARS.openMs[row])!;
      const [enter, leave] = strategies[0]!.when;
      const orText = 'or(below(close, sma(close, 9)), crossedUp(sma(close, 3), sma(close, 9)))';
      const wanted = !own.fast ? 'above(sma(close, 3), sma(close, 9))' : !(own.low || own.steep) ? orText : null;
      expect(enter!.firstFalse, `row ${row}`).toBe(wanted);
      expect(enter!.fired, `row ${row}`).toBe(wanted === null);
      expect(leave!.firstFalse, `row ${row}`).toBe(
        own.fast ? 'not(above(sma(close, 3), sma(close, 9)))' : own.low ? null : 'below(close, sma(close, 9))',
      );
      expect(enter!.operands.map(({ depth }) => depth)).toEqual([0, 1, 1, 2, 2, 1, 2]);
      expect(enter!.operands.map(({ state }) => state === 'true')).toEqual([
        wanted === null, own.fast, own.low || own.steep, own.low, own.steep, !own.calm, own.calm,
      ]); // prettier-ignore
    }
  });

  test('the operands that kept a condition from firing since the last trade are counted bar by bar', async () => {
    for (const row of [60, 150, 333, 399]) {
      seen.length = 0;
      const { strategies } = await at(row);
      const { when: whens, lastTradeMs } = strategies[0]!;
      const [enter] = whens;
      const since = seen.filter(({ openMs }) => openMs + 60_000 > (lastTradeMs ?? -Infinity) && openMs <= BARS.openMs[row]!);
      const firsts = since.map((own) => (!own.fast ? 'above' : !(own.low || own.steep) ? 'or' : null)).filter((first) => first !== null);
      if (enter!.firstFalse === null) {
        expect(enter!.sinceTrade).toBeNull();
        continue;
      }
      const counted = Object.fromEntries(
        enter!.sinceTrade!.bars.map(({ operand, bars }) => [operand.slice(0, operand.indexOf('(')), bars]),
      );
      const naive: Record<string, number> = {};
      for (const first of firsts) naive[first] = (naive[first] ?? 0) + 1;
      expect(counted, `row ${row}`).toEqual(naive);
      expect(enter!.sinceTrade!.first.startsWith(`${firsts[0]}(`)).toBe(true);
    }
  });
});

test('kept state before and after the bar and all reads are shown, and watching does not change the run', async () => {
  const { strategies } = await at(200);
  const [strategy] = strategies;
  const bars = strategy!.fields.find(({ name }) => name === 'count.bars')!;
  expect([Number(bars.after) - Number(bars.before), bars.isKept]).toEqual([1, true]);
  expect(strategy!.fields.filter(({ isView }) => !isView).map(({ name }) => name)).toEqual(['params', 'count.bars', 'count.again']);
  expect(strategy!.calls.filter(({ during }) => during === 'onBar').map(({ text }) => text)).toContain('openMs of the bar');
  expect(strategy!.values.find(({ name }) => name === 'sma(close, 3)')).toMatchObject({ fields: ['short'] });
});

test('a time outside of the run and one in a gap are named', async () => {
  const late = rerun(plan, { kind: 'bar', atMs: BARS.closeMs[399]!, symbol: null });
  await expect(late).rejects.toThrow('the bars of spot:');
  await expect(late).rejects.toMatchObject({ remedy: expect.stringMatching(/^the last bar opens at /) as string });
});
