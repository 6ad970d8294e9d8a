// A bot that moves its stop at the exchange bar by bar dies at records of its journal: a position that had a stop has one at every moment,
// no second one is left, and it decides as the bot that never died.

import { expect, test } from 'vitest';
import { atr, Strategy } from '../../src/index.ts';
import { linearContract } from '../fixtures/futuresVenue.ts';
import { lived, type KilledLifetime, type LifetimeResult } from '../fixtures/killedLifetime.ts';

/** All records: ISOBAR_CASES=all. Otherwise every record of some moves of the stop. */
const ALL = process.env['ISOBAR_CASES'] === 'all';
const MOVES = Number(process.env['ISOBAR_KILLS'] ?? 1);

class Trailing extends Strategy {
  range = this.use(atr(this.bars, 3));
  row = 0;
  override onBar() {
    const close = this.bars.close.value;
    const { isFlat, isLong, qty } = this.position();
    const away = this.range.value * 4;
    const [stop] = this.openOrders().filter(({ tag }) => tag === 'stop');
    this.row++;
    if (isFlat) {
      if (this.row % 2 === 0) this.buy({ base: 10 }, { tag: 'entry' });
      else this.sell({ base: 10 }, { tag: 'entry' });
    } else if (stop === undefined) {
      const guard = { trigger: isLong ? close - away : close + away, tag: 'stop' };
      if (isLong) this.sell({ base: qty }, guard);
      else this.buy({ base: qty.abs() }, guard);
    } else stop.amend({ stop: isLong ? close - away : close + away });
  }
}

/** What an observer of the exchange saw, at every step of time. */
class Watch {
  readonly broken: string[] = [];
  maxStops = 0;
  private looks = 0;
  #had = false;

  /** Looks after each step of time, and after each trigger order that comes or goes. */
  readonly look = (lifetime: KilledLifetime): void => {
    const { triggers } = lifetime.world.exchange.service.sides.futures!;
    if (this.looks++ === 0) {
      const [place, finish] = [triggers.place.bind(triggers), triggers.finishCancel.bind(triggers)];
      const seen = <T>(value: T): T => {
        this.#see(lifetime);
        return value;
      };
      Object.assign(triggers, {
        place: (...args: Parameters<typeof place>) => seen(place(...args)),
        finishCancel: (...args: Parameters<typeof finish>) => seen(finish(...args)),
      });
    }
    this.#see(lifetime);
  };
  #see({ world: { exchange } }: KilledLifetime): void {
    const { venue, triggers } = exchange.service.sides.futures!;
    const [position] = venue.wallets.openPositions(0);
    const stops = triggers.pending();
    this.maxStops = Math.max(this.maxStops, stops.length);
    if (position === undefined) return void (this.#had = false);
    const guards = stops.filter(
      ({ trigger: { child } }) => child.side === (position.isLong ? 'sell' : 'buy') && child.lots >= position.lots,
    );
    if (position.lots > 10) this.broken.push(`${position.lots} are held`);
    if (guards.length > 0) this.#had = true;
    else if (this.#had) this.broken.push(`a position of ${position.lots} has lost its stop`);
  }
}

async function watched(kills: readonly number[], isTorn = false): Promise<{ ended: LifetimeResult; watch: Watch }> {
  const watch = new Watch();
  const ended = await lived({
    strategies: [Trailing],
    bars: ALL ? 14 : 8,
    seed: 5,
    contract: linearContract(),
    kills,
    isTorn,
    watch: watch.look,
  });
  return { ended, watch };
}

/** Sequence numbers of the records from the decision to move a stop until the old one has ended. */
function movesOf({ records }: LifetimeResult): readonly (readonly number[])[] {
  return records.flatMap((record, at) => {
    if (record.k !== 'INTENT' || record.amends === undefined) return [];
    const old = records.find((other) => other.k === 'INTENT' && other.order === record.amends);
    const end = records.findIndex((other, later) => later > at && other.k === 'STATE' && other.lifecycle === 'done' && old?.k === 'INTENT' && other.cid === old.cid); // prettier-ignore
    return end < 0 ? [] : [records.slice(at - 1, end + 2).map(({ seq }) => seq)];
  });
}

const termsOf = ({ placed }: LifetimeResult): readonly string[] => placed.map((order) => order.slice(order.indexOf(' '))).toSorted();

test('a bot that dies at any record of a move of its stop', { timeout: 3_000_000 }, async () => {
  const whole = await watched([]);
  expect(whole.watch.broken).toEqual([]);
  const moves = movesOf(whole.ended);
  expect(moves.length).toBeGreaterThan(2);
  expect(whole.watch.maxStops).toBe(2);
  const points = ALL ? whole.ended.records.slice(1).map(({ seq }) => seq) : moves.slice(1, 1 + MOVES).flat();
  let lost = 0;
  for (const at of points)
    for (const isTorn of ALL ? [false, true] : [at % 2 === 0]) {
      const { k } = whole.ended.records.find(({ seq }) => seq === at)!;
      const { ended, watch } = await watched([at], isTorn);
      const what = `killed at record ${at} ${k}${isTorn ? ', torn' : ''}`;
      expect(ended.starts, what).toBe(2);
      expect(watch.broken, what).toEqual([]);
      expect(ended.open, what).toHaveLength(whole.ended.open.length);
      expect(watch.maxStops, what).toBeLessThanOrEqual(2);
      // A request that was lost with the process is not repeated: the next bar moves the stop.
      if (ended.records.some((record) => record.k === 'TOMB' || (record.k === 'VERDICT' && record.code === 'MISSED'))) lost++;
      else expect([termsOf(ended), ended.balances], what).toEqual([termsOf(whole.ended), whole.ended.balances]);
    }
  console.log(`${points.length} kills, ${lost} requests lost`);
});
