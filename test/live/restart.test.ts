// What a start does with the time in which the bot was down, with code that has changed, and with what strategies keep.

import { expect, test } from 'vitest';
import { lived, type LifeResult } from '../fixtures/killedLife.ts';
import { Everything, Keeper, Timers, Unrepeatable } from '../fixtures/statefulStrategies.ts';

const kinds = ({ records }: LifeResult, k: string): number => records.filter((record) => record.k === k).length;
const instantAt = ({ records }: LifeResult, nth: number): number => records.filter(({ k }) => k === 'INSTANT')[nth]!.seq;

test('bars that went by while the bot was down reach the indicators and are not decided on; timers make up for them as they were asked to', async () => {
  const whole = await lived({ strategies: [Timers], bars: 10 });
  const at = instantAt(whole, 5);
  const killed = await lived({ strategies: [Timers], bars: 10, kills: [at], downMinutes: 175 });
  const missed = killed.records.filter((record) => record.k === 'INSTANT' && !record.decided && record.bars.length > 0).slice(1);
  expect(missed.flatMap((record) => (record.k === 'INSTANT' ? record.bars : []))).toHaveLength(3);
  const { told } = killed.instances[0] as Timers;
  // The bar of the kill and the two after it have no decision; their timers fell due three times.
  expect(told.filter((text) => text.startsWith('bar'))).toHaveLength(7);
  expect(told.slice(told.indexOf('all 4'), told.indexOf('all 4') + 8).filter((text) => text === 'all 4')).toHaveLength(4);
  expect(told.filter((text) => text === 'once 4')).toHaveLength(2);
  expect(told.filter((text) => text === 'skip 4')).toHaveLength(1);
}, 600_000);

test('a strategy that decides otherwise each time is refused with its first difference, and goes on with the flag', async () => {
  const options = { strategies: [Unrepeatable], bars: 6 };
  const whole = await lived(options);
  const at = instantAt(whole, 4);
  Unrepeatable.calls = 3;
  await expect(lived({ ...options, kills: [at] })).rejects.toThrow(
    /the strategy does not decide again what its journal says: 3 of \d+ past decisions would be made differently, the first at .*: recorded order 'n \d+' .*; now order/,
  );
  const accepted = await lived({ ...options, kills: [at], acceptChanges: true });
  expect(accepted.starts).toBe(2);
  expect(accepted.placed).toHaveLength(6);
}, 600_000);

/** The same strategy, which buys more. */
class More extends Everything {
  override onBar() {
    super.onBar();
    if (this.count === 2) this.buy({ base: '0.5' }, { tag: 'more' });
  }
}

test('changed code: the start counts what it would have decided otherwise, and asks; accepted, what was never sent is denied', async () => {
  const options = { strategies: [Everything], bars: 8, next: [More] };
  const whole = await lived(options);
  const at = instantAt(whole, 5);
  await expect(lived({ ...options, kills: [at] })).rejects.toThrow(
    /the code of Test has changed: [1-9]\d* of \d+ past decisions would be made differently, the first at .*recorded nothing; now order 'more'/,
  );
  const accepted = await lived({ ...options, kills: [at], acceptChanges: true });
  expect((accepted.instances[0] as More).changes.filter((text) => text.includes('CHANGED'))).toHaveLength(1);
  expect(accepted.placed.some((order) => / 500 0 /.test(order))).toBe(false);
}, 600_000);

test('where every strategy keeps, a start begins at the newest point that was kept', async () => {
  const options = { strategies: [Keeper], bars: 12 };
  const whole = await lived(options);
  expect(kinds(whole, 'KEPT')).toBeGreaterThan(5);
  for (const nth of [4, 7, 10]) {
    const killed = await lived({ ...options, kills: [instantAt(whole, nth)] });
    const [keeper, reference] = [killed.instances[0] as Keeper, whole.instances[0] as Keeper];
    expect(keeper.state).toEqual(reference.state);
    expect(killed.placed).toEqual(whole.placed);
    expect(killed.balances).toEqual(whole.balances);
    // A field that is not kept has the value of the constructor.
    expect([keeper.started, reference.started]).toEqual([0, 1]);
    expect(killed.lines.join('')).toContain('strategies begin with what they have kept');
  }
}, 600_000);
