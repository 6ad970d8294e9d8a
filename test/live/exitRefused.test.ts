// Tests a live bot whose exits the exchange refuses, with and without a kill in between: the position has its stop, and closeAt repeats.

import { expect, test } from 'vitest';
import type { Op } from '../../src/protocol/endpoints/endpoints.ts';
import { Strategy } from '../../src/index.ts';
import { linearContract } from '../fixtures/futuresVenue.ts';
import { atEveryCall } from '../fixtures/plantedFaults.ts';
import { driveLifetime, type KilledLifetime, type LifetimeOptions, type LifetimeResult } from '../fixtures/killedLifetime.ts';

const HOUR_MS = 3_600_000;

/** Buys with a stop far below, and asks to be closed out at the third bar. */
class ClosesAtATime extends Strategy {
  barCount = 0;
  override onBar() {
    this.barCount++;
    if (this.barCount === 1) this.buy({ base: '0.3' }, { stopLoss: this.bars.close.value * 0.5 });
    if (this.barCount === 2) this.closeAt(this.nowMs + HOUR_MS);
  }
}
/** Buys with a stop just below, and exits once. */
class ExitsOnce extends Strategy {
  barCount = 0;
  override onBar() {
    this.barCount++;
    if (this.barCount === 1) this.buy({ base: '0.3' }, { stopLoss: this.bars.close.value * 0.95 });
    if (this.barCount === 2) this.exit();
  }
}
/** Holds a contract with a stop at the exchange, and exits once. */
class ExitsContract extends Strategy {
  barCount = 0;
  override onBar() {
    this.barCount++;
    if (this.barCount === 1) this.buy({ base: 10 }, { tag: 'entry' });
    if (this.barCount === 2) this.sell({ base: 10 }, { trigger: this.bars.close.value * 0.5, tag: 'stop' });
    if (this.barCount === 4) this.exit();
  }
}

/**
 * Returns an observer that makes the exchange refuse every call of the operations (-1021) from the close of `fromBar` to that of `toBar`. Bars count
 * from the first decision.
 */
function refuseBetween(ops: readonly Op[], fromBar: number, toBar: number): (lifetime: KilledLifetime) => void {
  let isRefusing = false;
  return ({ world, plan }) => {
    const bar = (world.time.nowMs - plan.fromMs) / HOUR_MS;
    // Half an hour before a close the orders of the bar before have been answered.
    const shouldRefuse = bar >= fromBar - 0.5 && bar < toBar - 0.5;
    if (shouldRefuse === isRefusing) return;
    isRefusing = shouldRefuse;
    const faults = ops.map((op) => atEveryCall('GW.code', op, { code: -1021 }));
    world.exchange.faulty.faults.setSchedule({ seed: 1, schedule: isRefusing ? faults : [] });
  };
}

/** Returns side, price and volume of each order, without its number. */
const ordersOf = ({ placed }: LifetimeResult): readonly string[] => placed.map((text) => text.slice(text.indexOf(' ') + 1).trim());
/** Returns the number of journal records of a kind. */
const countOf = ({ records }: LifetimeResult, recordKind: string): number => records.filter(({ k }) => k === recordKind).length;

/** Runs a lifetime without a kill, and one with a kill after each of its first two refusals. All must end alike. Returns the first. */
async function expectEqualWithKills(options: () => LifetimeOptions): Promise<LifetimeResult> {
  const unkilled = await driveLifetime(options());
  const refusals = unkilled.records.filter(({ k }) => k === 'REFUSED').slice(0, 2);
  expect(refusals.length).toBeGreaterThan(0);
  for (const { seq } of refusals) {
    const killed = await driveLifetime({ ...options(), kills: [seq + 1] });
    const description = `killed after record ${seq}`;
    expect(killed.starts, description).toBe(2);
    expect(killed.balances, description).toEqual(unkilled.balances);
    expect(ordersOf(killed), description).toEqual(ordersOf(unkilled));
    expect(killed.lines.filter((line) => line.includes('differ')), description).toEqual([]); // prettier-ignore
  }
  return unkilled;
}

test('closeAt repeats an exit that the exchange refuses, at each bar until it is accepted', { timeout: 600_000 }, async () => {
  const unkilled = await expectEqualWithKills(() => ({
    strategies: [ClosesAtATime],
    bars: 8,
    watch: refuseBetween(['spot.newOrder'], 3, 5),
  }));
  expect(ordersOf(unkilled).map((order) => order.split(' ')[0])).toEqual(['buy', 'sell']);
  expect(countOf(unkilled, 'REFUSED')).toBe(2);
  expect(unkilled.balances[1]).toBe('BTC 400 0');
});

test('the stop of a position whose exit was refused closes it', { timeout: 600_000 }, async () => {
  const unkilled = await expectEqualWithKills(() => ({
    strategies: [ExitsOnce],
    bars: 30,
    watch: refuseBetween(['spot.newOrder'], 2, 3),
  }));
  expect(ordersOf(unkilled).map((order) => order.split(' ')[0])).toEqual(['buy', 'sell']);
  const roles = unkilled.records.flatMap((record) => (record.k === 'INTENT' ? [record.role] : []));
  expect(roles).toEqual(['market', 'market', 'stopLoss']);
  expect(unkilled.balances[1]).toBe('BTC 400 0');
});

test.each<[string, readonly Op[]]>([
  ['', ['futures.createOrder']],
  [', also if it is refused itself at first', ['futures.createOrder', 'futures.createConditionOrder']],
])('a stop at the exchange that made way for a refused exit is placed again%s', { timeout: 600_000 }, async (_, ops) => {
  let pending: readonly string[] = [];
  const options = (): LifetimeOptions => {
    const refuse = refuseBetween(ops, 4, 4.6);
    return {
      strategies: [ExitsContract],
      bars: 8,
      contract: linearContract(),
      watch: (lifetime) => {
        refuse(lifetime);
        const { triggers } = lifetime.world.exchange.service.sides.futures!;
        pending = triggers.pending().map(({ trigger: { child } }) => `${child.side} ${child.lots}`);
      },
    };
  };
  const unkilled = await expectEqualWithKills(options);
  expect(unkilled.balances[1]).toBe('long 10');
  expect(pending).toEqual(['sell 10']);
});
