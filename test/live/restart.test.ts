// What a start does with the time in which the bot was down, with code that has changed, and with what strategies keep.

import { expect, test } from 'vitest';
import type { OpenedBot } from '../../src/tasks/bot/openLiveBot.ts';
import { levelOf } from '../../src/orders/stops/brackets.ts';
import { Strategy } from '../../src/index.ts';
import { lived, type LifetimeResult } from '../fixtures/killedLifetime.ts';
import { Everything, Store, Timers, Unrepeatable } from '../fixtures/statefulStrategies.ts';

const kinds = ({ records }: LifetimeResult, k: string): number => records.filter((record) => record.k === k).length;
const instantAt = ({ records }: LifetimeResult, nth: number): number => records.filter(({ k }) => k === 'INSTANT')[nth]!.seq;

test('bars that went by while the bot was down reach the indicators and are not decided on; timers make up for them as they were asked to', async () => {
  const whole = await lived({ strategies: [Timers], bars: 10 });
  const at = instantAt(whole, 5);
  const killed = await lived({ strategies: [Timers], bars: 10, kills: [at], downMinutes: 175 });
  const missed = killed.records.filter((record) => record.k === 'INSTANT' && !record.decided && record.bars.length > 0).slice(1);
  expect(missed.flatMap((record) => (record.k === 'INSTANT' ? record.bars : []))).toHaveLength(3);
  const { reported } = killed.instances[0] as Timers;
  // The bar of the kill and the two after it have no decision; their timers fell due three times.
  expect(reported.filter((text) => text.startsWith('bar'))).toHaveLength(7);
  expect(reported.slice(reported.indexOf('all 4'), reported.indexOf('all 4') + 8).filter((text) => text === 'all 4')).toHaveLength(4);
  expect(reported.filter((text) => text === 'once 4')).toHaveLength(2);
  expect(reported.filter((text) => text === 'skip 4')).toHaveLength(1);
}, 600_000);

test('a strategy that decides otherwise each time is refused with its first difference, and continues with the flag', async () => {
  const options = { strategies: [Unrepeatable], bars: 6 };
  const whole = await lived(options);
  const at = instantAt(whole, 4);
  Unrepeatable.calls = 3;
  await expect(lived({ ...options, kills: [at] })).rejects.toThrow(
    /the strategy does not repeat the decisions in its journal: 3 of \d+ past decisions would be made differently, the first at .*: recorded order 'n \d+' .*; now order/,
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
  const options = { strategies: [Store], bars: 12 };
  const whole = await lived(options);
  expect(kinds(whole, 'KEPT')).toBeGreaterThan(5);
  for (const nth of [4, 7, 10]) {
    const killed = await lived({ ...options, kills: [instantAt(whole, nth)] });
    const [store, reference] = [killed.instances[0] as Store, whole.instances[0] as Store];
    expect(store.state).toEqual(reference.state);
    expect(killed.placed).toEqual(whole.placed);
    expect(killed.balances).toEqual(whole.balances);
    // A field that is not kept has the value of the constructor.
    expect([store.started, reference.started]).toEqual([0, 1]);
    expect(killed.lines.join('')).toContain('strategies begin with their kept state');
  }
}, 600_000);

/** Keeps state, and decides by something that cannot be repeated. */
class Unsteady extends Strategy {
  static calls = 0;
  state = this.keep({ n: 0 });
  override onBar() {
    Unsteady.calls++;
    this.buy({ base: String(0.01 + (Unsteady.calls % 7) / 100) }, { tag: `n ${Unsteady.calls}` });
  }
}
/** Decides by a field that it does not keep. */
class Forgetful extends Strategy {
  state = this.keep({ rounds: 0 });
  count = 0;
  override onBar() {
    this.count++;
    if (this.count % 4 === 0) this.state.rounds++;
    this.buy({ base: String(0.01 + this.count / 100) }, { tag: `n ${this.count}` });
  }
}

test('decisions since the newest kept point are compared with the journal', async () => {
  const options = { strategies: [Unsteady], bars: 6 };
  Unsteady.calls = 0;
  const whole = await lived(options);
  const at = instantAt(whole, 5);
  await expect(lived({ ...options, kills: [at] })).rejects.toThrow(/does not repeat the decisions in its journal: [1-9]/);
  // What is kept was not enough: the whole journal is.
  const forgetting = { strategies: [Forgetful], bars: 8 };
  const [reference, killed] = [await lived(forgetting), await lived({ ...forgetting, kills: [at + 20] })];
  expect(killed.starts).toBe(2);
  expect(killed.placed).toEqual(reference.placed);
  expect((killed.instances[0] as Forgetful).count).toBe(8);
}, 600_000);

class KeepsMap extends Strategy {
  state = this.keep({ list: [] as unknown[] });
  count = 0;
  override onBar() {
    if (++this.count === 3) this.state.list.push(new Map());
    this.buy({ base: '0.01' }, { tag: `map ${this.count}` });
  }
}
class Bystander extends Strategy {
  state = this.keep({ count: 0 });
  override onBar() {
    this.buy({ base: '0.02' }, { tag: `bystander ${++this.state.count}` });
  }
}

test('a strategy that keeps what cannot be kept is stopped alone, and stays so over a restart', async () => {
  const options = { strategies: [KeepsMap, Bystander], bars: 7 };
  const whole = await lived(options);
  const stops = ({ lines }: LifetimeResult): readonly string[] => lines.filter((line) => line.includes('stopped: '));
  expect(stops(whole)).toHaveLength(1);
  expect(stops(whole)[0]).toContain('keep.list[0]: expected numbers, text, flags, lists or plain objects, got Map');
  const counts = ({ instances }: LifetimeResult): readonly number[] => [
    (instances[0] as KeepsMap).count,
    (instances[1] as Bystander).state.count,
  ];
  expect(counts(whole)).toEqual([3, 7]);
  const killed = await lived({ ...options, kills: [instantAt(whole, 6)] });
  expect([killed.starts, counts(killed), killed.placed]).toEqual([2, [3, 7], whole.placed]);
}, 600_000);

/** One entry with a stop and a target that no bar reaches. */
class Guarded extends Strategy {
  reported: string[] = [];
  override onStart() {
    const price = this.bars.close.value;
    this.buy({ base: '0.3' }, { stopLoss: price / 2, takeProfit: price * 2 });
  }
  override onFill({ side, qty }: { side: string; qty: unknown }) {
    this.reported.push(`${side} ${String(qty)}`);
  }
}

test('a stop that triggered between two bars triggers again at a start', async () => {
  const setOff = (bars: number): ((opened: OpenedBot) => void) => {
    let left = bars;
    return ({ bot: { driver, deps: parts } }) => {
      const { brackets, bracketManager } = parts.engine;
      const bracket = brackets.list(0)[0];
      if (--left === 0 && bracket !== undefined) driver.step(() => bracketManager.hit(bracket, levelOf(bracket)));
    };
  };
  const options = { strategies: [Guarded], bars: 6 };
  const whole = await lived({ ...options, settled: setOff(3) });
  const reported = ({ instances }: LifetimeResult): readonly string[] => (instances[0] as Guarded).reported;
  expect(reported(whole)).toHaveLength(2);
  const leg = whole.records.find((record) => record.k === 'INTENT' && record.role === 'stopLoss')!;
  for (const at of [leg.seq + 1, instantAt(whole, 5)]) {
    const killed = await lived({ ...options, settled: setOff(3), kills: [at] });
    expect([killed.starts, reported(killed), killed.balances]).toEqual([2, reported(whole), whole.balances]);
  }
}, 600_000);

/** One entry with a stop and three targets that no bar reaches. */
class Laddered extends Strategy {
  override onStart() {
    const price = this.bars.close.value;
    const targets = [{ at: price * 2, share: 0.5 }, { at: price * 3, share: 0.3 }, { at: price * 4 }]; // prettier-ignore
    this.buy({ base: '0.3' }, { stopLoss: price / 2, targets });
  }
}

/**
 * Size and price of the targets that the exchange has acknowledged, or that were lost as they were sent; the bot does not send those again.
 */
const targetsOf = ({ records }: LifetimeResult): readonly string[] => {
  const ended = new Set(records.flatMap((record) => (record.k === 'ACK' || record.k === 'TOMB' ? [record.cid] : [])));
  return records
    .flatMap((record) =>
      record.k === 'INTENT' && record.role === 'takeProfit' && ended.has(record.cid) ? [`${record.qty} ${record.price}`] : [],
    )
    .toSorted();
};

test('a bot that is killed between two targets of an entry sends the others when it is back', async () => {
  const options = { strategies: [Laddered], bars: 5 };
  const whole = await lived(options);
  expect(targetsOf(whole)).toEqual(['0.059 472.6', '0.09 354.46', '0.15 236.3']);
  // After the fill of the entry, and then after each of the orders of its targets.
  for (const { k, seq } of whole.records.filter((record) => record.k === 'FILL' || (record.k === 'INTENT' && record.parent > 0))) {
    const killed = await lived({ ...options, kills: [seq] });
    expect([killed.starts, targetsOf(killed)], `killed after ${k} ${seq}`).toEqual([2, targetsOf(whole)]);
  }
}, 600_000);

/** Throws when it is notified of its third fill. */
class Thrower extends Strategy {
  fills = 0;
  count = 0;
  override onBar() {
    this.buy({ base: '0.02' }, { tag: `thrower ${++this.count}` });
  }
  override onFill() {
    if (++this.fills === 3) throw new Error('a fault of its own');
  }
}
class Teller extends Strategy {
  reported: string[] = [];
  count = 0;
  override onBar() {
    this.buy({ base: '0.02' }, { tag: `teller ${++this.count}` });
  }
  override onFill({ orderId }: { orderId: unknown }) {
    this.reported.push(`fill of ${String(orderId)}`);
  }
  override onOrder({ id, lifecycle }: { id: unknown; lifecycle: string }) {
    if (lifecycle === 'done') this.reported.push(`end of ${String(id)}`);
  }
}

test('a strategy that throws in its callback does not affect the callbacks of others', async () => {
  const options = { strategies: [Thrower, Teller], bars: 6 };
  const reported = ({ instances }: LifetimeResult): readonly string[] => (instances[1] as Teller).reported;
  const whole = await lived(options);
  expect((whole.instances[0] as Thrower).count).toBe(3);
  expect(reported(whole)).toHaveLength(10);
  // Its third fill comes about while the bot is down.
  const at = whole.records.filter(({ k }) => k === 'FILL')[4]!.seq;
  const killed = await lived({ ...options, kills: [at] });
  expect([killed.starts, reported(killed), killed.placed]).toEqual([2, reported(whole), whole.placed]);
}, 600_000);

class Buyer extends Strategy {
  count = 0;
  override onBar() {
    this.buy({ base: '0.02' }, { tag: `buyer ${++this.count}` });
  }
}

test('a process that ends in the middle of a record decides again, and only an order that may have left is of unknown outcome', async () => {
  const options = { strategies: [Buyer], bars: 6 };
  const whole = await lived(options);
  expect(whole.placed).toHaveLength(6);
  const third = (k: string): number => whole.records.filter((record) => record.k === k)[2]!.seq;
  for (const k of ['INSTANT', 'VERDICT', 'INTENT']) {
    const killed = await lived({ ...options, kills: [third(k)], isTorn: true });
    expect([k, killed.starts, killed.placed, killed.balances]).toEqual([k, 2, whole.placed, whole.balances]);
  }
  const killed = await lived({ ...options, kills: [third('SEND')], isTorn: true });
  expect([killed.starts, kinds(killed, 'TOMB'), killed.placed.length]).toEqual([2, 1, 5]);
}, 600_000);
