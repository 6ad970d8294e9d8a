// Tests what a start does with bars of an outage, with changed code, and with the state that strategies keep.

import { expect, test } from 'vitest';
import type { OpenedBot } from '../../src/tasks/bot/openLiveBot.ts';
import { levelOf } from '../../src/orders/stops/brackets.ts';
import { Strategy } from '../../src/index.ts';
import { driveLifetime, type LifetimeResult, seqOfInstant } from '../fixtures/killedLifetime.ts';
import { Everything, Store, Timers, Unrepeatable } from '../fixtures/statefulStrategies.ts';

/** Returns the number of journal records of a kind. */
const countOfKind = ({ records }: LifetimeResult, kind: string): number => records.filter(({ k }) => k === kind).length;

test('after an outage, missed bars trigger no decision, and timers catch up by their option (all, once or skip)', async () => {
  const unkilled = await driveLifetime({ strategies: [Timers], bars: 10 });
  const killed = await driveLifetime({ strategies: [Timers], bars: 10, kills: [seqOfInstant(unkilled, 5)], downMinutes: 175 });
  const missedInstants = killed.records.filter((record) => record.k === 'INSTANT' && !record.decided && record.bars.length > 0).slice(1);
  expect(missedInstants.flatMap((record) => (record.k === 'INSTANT' ? record.bars : []))).toHaveLength(3);
  const { reported } = killed.instances[0] as Timers;
  // The bar of the kill and the two after it have no decision; their timers fell due three times.
  expect(reported.filter((text) => text.startsWith('bar'))).toHaveLength(7);
  const firstAll = reported.indexOf('all 4');
  const aroundOutage = reported.slice(firstAll, firstAll + 8);
  expect(aroundOutage.filter((text) => text === 'all 4')).toHaveLength(4);
  expect(reported.filter((text) => text === 'once 4')).toHaveLength(2);
  expect(reported.filter((text) => text === 'skip 4')).toHaveLength(1);
}, 600_000);

test('a strategy that does not repeat its decisions can start only with acceptChanges', async () => {
  const options = { strategies: [Unrepeatable], bars: 6 };
  const unkilled = await driveLifetime(options);
  const killSeq = seqOfInstant(unkilled, 4);
  Unrepeatable.calls = 3;
  await expect(driveLifetime({ ...options, kills: [killSeq] })).rejects.toThrow(
    /the strategy does not repeat the decisions in its journal: 3 of \d+ past decisions would be made differently, the first at .*: recorded order 'n \d+' .*; now order/,
  );
  const accepted = await driveLifetime({ ...options, kills: [killSeq], acceptChanges: true });
  expect(accepted.starts).toBe(2);
  expect(accepted.placed).toHaveLength(6);
}, 600_000);

/** Changed code of the same strategy: it buys once more. */
class BuysOnceMore extends Everything {
  override onBar() {
    super.onBar();
    if (this.count === 2) this.buy({ base: '0.5' }, { tag: 'more' });
  }
}

test('changed code can start only with acceptChanges, and its orders that were never sent are denied', async () => {
  const options = { strategies: [Everything], bars: 8, next: [BuysOnceMore] };
  const unkilled = await driveLifetime(options);
  const killSeq = seqOfInstant(unkilled, 5);
  await expect(driveLifetime({ ...options, kills: [killSeq] })).rejects.toThrow(
    /the code of Test has changed: [1-9]\d* of \d+ past decisions would be made differently, the first at .*recorded nothing; now order 'more'/,
  );
  const accepted = await driveLifetime({ ...options, kills: [killSeq], acceptChanges: true });
  expect((accepted.instances[0] as BuysOnceMore).changes.filter((text) => text.includes('CHANGED'))).toHaveLength(1);
  expect(accepted.placed.some((order) => / 500 0 /.test(order))).toBe(false);
}, 600_000);

test('a start begins at the newest kept state if every strategy keeps its state', async () => {
  const options = { strategies: [Store], bars: 12 };
  const unkilled = await driveLifetime(options);
  expect(countOfKind(unkilled, 'KEPT')).toBeGreaterThan(5);
  for (const instantIndex of [4, 7, 10]) {
    const killed = await driveLifetime({ ...options, kills: [seqOfInstant(unkilled, instantIndex)] });
    const store = killed.instances[0] as Store;
    const reference = unkilled.instances[0] as Store;
    expect(store.state).toEqual(reference.state);
    expect(killed.placed).toEqual(unkilled.placed);
    expect(killed.balances).toEqual(unkilled.balances);
    // A field that is not kept has the value of the constructor.
    expect(store.started).toBe(0);
    expect(reference.started).toBe(1);
    expect(killed.lines.join('')).toContain('strategies begin with their kept state');
  }
}, 600_000);

/** Keeps state, and decides by a counter that a restart does not repeat. */
class KeepsUnrepeatable extends Strategy {
  static calls = 0;
  state = this.keep({ count: 0 });
  override onBar() {
    KeepsUnrepeatable.calls++;
    this.buy({ base: String(0.01 + (KeepsUnrepeatable.calls % 7) / 100) }, { tag: `n ${KeepsUnrepeatable.calls}` });
  }
}
/** Decides by a field that it does not keep. */
class KeepsTooLittle extends Strategy {
  state = this.keep({ rounds: 0 });
  count = 0;
  override onBar() {
    this.count++;
    if (this.count % 4 === 0) this.state.rounds++;
    this.buy({ base: String(0.01 + this.count / 100) }, { tag: `n ${this.count}` });
  }
}

test('a start from kept state compares later decisions with the journal, and replays all of it if the state was incomplete', async () => {
  const options = { strategies: [KeepsUnrepeatable], bars: 6 };
  KeepsUnrepeatable.calls = 0;
  const unkilled = await driveLifetime(options);
  const killSeq = seqOfInstant(unkilled, 5);
  await expect(driveLifetime({ ...options, kills: [killSeq] })).rejects.toThrow(/does not repeat the decisions in its journal: [1-9]/);
  // The kept state was not enough, so the start replays the whole journal.
  const forgetfulOptions = { strategies: [KeepsTooLittle], bars: 8 };
  const reference = await driveLifetime(forgetfulOptions);
  const killed = await driveLifetime({ ...forgetfulOptions, kills: [killSeq + 20] });
  expect(killed.starts).toBe(2);
  expect(killed.placed).toEqual(reference.placed);
  expect((killed.instances[0] as KeepsTooLittle).count).toBe(8);
}, 600_000);

/** Keeps a value that a record cannot hold. */
class KeepsMap extends Strategy {
  state = this.keep({ list: [] as unknown[] });
  count = 0;
  override onBar() {
    if (++this.count === 3) this.state.list.push(new Map());
    this.buy({ base: '0.01' }, { tag: `map ${this.count}` });
  }
}
/** Keeps the number of its orders. */
class KeepsCount extends Strategy {
  state = this.keep({ count: 0 });
  override onBar() {
    this.buy({ base: '0.02' }, { tag: `bystander ${++this.state.count}` });
  }
}

test('a strategy that keeps a value that cannot be stored is stopped alone, and stays stopped over a restart', async () => {
  const options = { strategies: [KeepsMap, KeepsCount], bars: 7 };
  const unkilled = await driveLifetime(options);
  const stopLines = ({ lines }: LifetimeResult): readonly string[] => lines.filter((line) => line.includes('stopped: '));
  expect(stopLines(unkilled)).toHaveLength(1);
  expect(stopLines(unkilled)[0]).toContain('keep.list[0]: expected numbers, text, flags, lists or plain objects, got Map');
  const counts = ({ instances }: LifetimeResult): readonly number[] => [
    (instances[0] as KeepsMap).count,
    (instances[1] as KeepsCount).state.count,
  ];
  expect(counts(unkilled)).toEqual([3, 7]);
  const killed = await driveLifetime({ ...options, kills: [seqOfInstant(unkilled, 6)] });
  expect(killed.starts).toBe(2);
  expect(counts(killed)).toEqual([3, 7]);
  expect(killed.placed).toEqual(unkilled.placed);
}, 600_000);

/** Enters once, with a stop and a target that no bar reaches. */
class BracketedEntry extends Strategy {
  reported: string[] = [];
  override onStart() {
    const price = this.bars.close.value;
    this.buy({ base: '0.3' }, { stopLoss: price / 2, takeProfit: price * 2 });
  }
  override onFill({ side, qty }: { side: string; qty: unknown }) {
    this.reported.push(`${side} ${String(qty)}`);
  }
}

test('a stop that triggered between two bars triggers again in the replay of a start', async () => {
  /** Returns a callback that triggers the stop once this number of bars has settled. */
  const triggerStopAfter = (bars: number): ((opened: OpenedBot) => void) => {
    let barsLeft = bars;
    return ({ bot: { driver, deps } }) => {
      const { brackets, bracketManager } = deps.engine;
      const bracket = brackets.list(0)[0];
      if (--barsLeft === 0 && bracket !== undefined) driver.step(() => bracketManager.hit(bracket, levelOf(bracket)));
    };
  };
  const options = { strategies: [BracketedEntry], bars: 6 };
  const unkilled = await driveLifetime({ ...options, settled: triggerStopAfter(3) });
  const reported = ({ instances }: LifetimeResult): readonly string[] => (instances[0] as BracketedEntry).reported;
  expect(reported(unkilled)).toHaveLength(2);
  const legIntent = unkilled.records.find((record) => record.k === 'INTENT' && record.role === 'stopLoss')!;
  for (const killSeq of [legIntent.seq + 1, seqOfInstant(unkilled, 5)]) {
    const killed = await driveLifetime({ ...options, settled: triggerStopAfter(3), kills: [killSeq] });
    expect(killed.starts).toBe(2);
    expect(reported(killed)).toEqual(reported(unkilled));
    expect(killed.balances).toEqual(unkilled.balances);
  }
}, 600_000);

/** Enters once, with a stop and three targets that no bar reaches. */
class ThreeTargets extends Strategy {
  override onStart() {
    const price = this.bars.close.value;
    const targets = [{ at: price * 2, share: 0.5 }, { at: price * 3, share: 0.3 }, { at: price * 4 }]; // prettier-ignore
    this.buy({ base: '0.3' }, { stopLoss: price / 2, targets });
  }
}

/** Returns size and price of the targets that the exchange has acknowledged or that are proven absent. The bot sends none of them again. */
const targetsOf = ({ records }: LifetimeResult): readonly string[] => {
  const settledCids = new Set(records.flatMap((record) => (record.k === 'ACK' || record.k === 'TOMB' ? [record.cid] : [])));
  return records
    .flatMap((record) =>
      record.k === 'INTENT' && record.role === 'takeProfit' && settledCids.has(record.cid) ? [`${record.qty} ${record.price}`] : [],
    )
    .toSorted();
};

test('a bot that is killed between two targets of an entry sends the missing ones after its restart', async () => {
  const options = { strategies: [ThreeTargets], bars: 5 };
  const unkilled = await driveLifetime(options);
  expect(targetsOf(unkilled)).toEqual(['0.059 472.6', '0.09 354.46', '0.15 236.3']);
  // Kill the bot after the fill of the entry, and after each order of a target.
  for (const { k, seq } of unkilled.records.filter((record) => record.k === 'FILL' || (record.k === 'INTENT' && record.parent > 0))) {
    const killed = await driveLifetime({ ...options, kills: [seq] });
    expect([killed.starts, targetsOf(killed)], `killed after ${k} ${seq}`).toEqual([2, targetsOf(unkilled)]);
  }
}, 600_000);

/** Throws when it is notified of its third fill. */
class ThrowsInOnFill extends Strategy {
  fills = 0;
  count = 0;
  override onBar() {
    this.buy({ base: '0.02' }, { tag: `thrower ${++this.count}` });
  }
  override onFill() {
    if (++this.fills === 3) throw new Error('a fault of its own');
  }
}
/** Records its callbacks. */
class CallbackRecorder extends Strategy {
  reported: string[] = [];
  count = 0;
  override onBar() {
    this.buy({ base: '0.02' }, { tag: `recorder ${++this.count}` });
  }
  override onFill({ orderId }: { orderId: unknown }) {
    this.reported.push(`fill of ${String(orderId)}`);
  }
  override onOrder({ id, lifecycle }: { id: unknown; lifecycle: string }) {
    if (lifecycle === 'done') this.reported.push(`end of ${String(id)}`);
  }
}

test('a strategy that throws in its callback does not affect the callbacks of others', async () => {
  const options = { strategies: [ThrowsInOnFill, CallbackRecorder], bars: 6 };
  const reported = ({ instances }: LifetimeResult): readonly string[] => (instances[1] as CallbackRecorder).reported;
  const unkilled = await driveLifetime(options);
  expect((unkilled.instances[0] as ThrowsInOnFill).count).toBe(3);
  expect(reported(unkilled)).toHaveLength(10);
  // The third fill of the first strategy happens while the bot is down.
  const killSeq = unkilled.records.filter(({ k }) => k === 'FILL')[4]!.seq;
  const killed = await driveLifetime({ ...options, kills: [killSeq] });
  expect(killed.starts).toBe(2);
  expect(reported(killed)).toEqual(reported(unkilled));
  expect(killed.placed).toEqual(unkilled.placed);
}, 600_000);

/** Buys at each bar. */
class Buyer extends Strategy {
  count = 0;
  override onBar() {
    this.buy({ base: '0.02' }, { tag: `buyer ${++this.count}` });
  }
}

test('after a torn record the decision is repeated, and only an order that may have been sent has an unknown outcome', async () => {
  const options = { strategies: [Buyer], bars: 6 };
  const unkilled = await driveLifetime(options);
  expect(unkilled.placed).toHaveLength(6);
  const seqOfThird = (kind: string): number => unkilled.records.filter((record) => record.k === kind)[2]!.seq;
  for (const kind of ['INSTANT', 'VERDICT', 'INTENT']) {
    const killed = await driveLifetime({ ...options, kills: [seqOfThird(kind)], isTorn: true });
    expect(killed.starts, kind).toBe(2);
    expect(killed.placed, kind).toEqual(unkilled.placed);
    expect(killed.balances, kind).toEqual(unkilled.balances);
  }
  const killed = await driveLifetime({ ...options, kills: [seqOfThird('SEND')], isTorn: true });
  expect(killed.starts).toBe(2);
  expect(countOfKind(killed, 'TOMB')).toBe(1);
  expect(killed.placed).toHaveLength(5);
}, 600_000);
