// Tests a bot that ends between the decision on an order and its request, and is started again with code that decides otherwise.

import { expect, test } from 'vitest';
import type { JournalRecord } from '../../src/adapters/journal/records/records.ts';
import { Strategy, type OrderInfo } from '../../src/index.ts';
import { driveLifetime, type LifetimeOptions } from '../fixtures/killedLifetime.ts';

/** Buys once, at the third bar. */
class Buyer extends Strategy {
  barCount = 0;
  override onBar() {
    this.barCount++;
    if (this.barCount === 3) this.buy({ base: 2 }, { tag: 'once' });
  }
}
/** The changed code of the same bot: it does not place that order, and places another one later. */
class ChangedBuyer extends Strategy {
  /** Tag and code of each ended order. */
  endedOrders: string[] = [];
  barCount = 0;
  override onBar() {
    this.barCount++;
    if (this.barCount === 6) this.buy({ base: 1 }, { tag: 'later' });
  }
  override onOrder({ tag, lifecycle, code }: OrderInfo) {
    if (lifecycle === 'done') this.endedOrders.push(`${tag} ${code}`);
  }
}

test('an order that was decided on and never sent ends without effect when changed code is accepted', async () => {
  const unkilled = await driveLifetime({ strategies: [Buyer], bars: 8 });
  const { seq: sendSeq } = unkilled.records.find(({ k }) => k === 'SEND')!;
  const killed = await driveLifetime({ strategies: [Buyer], bars: 8, kills: [sendSeq], next: [ChangedBuyer], acceptChanges: true });
  const intent = killed.records.find((record) => record.k === 'INTENT' && record.order === 1);
  const cid = intent?.k === 'INTENT' ? intent.cid : null;
  const recordsOfOrder = killed.records.filter((record) => 'cid' in record && record.cid === cid);
  const ends = recordsOfOrder.filter(({ k }) => k === 'REFUSED' || k === 'STATE');
  expect(ends).toMatchObject([{ k: 'REFUSED', code: 'no request of it can have left' }]);
  expect(killed.lines.filter((line) => line.includes('never sent from here'))).toEqual([]);
  expect(killed.placed).toHaveLength(1);
  expect((killed.instances[0] as ChangedBuyer).endedOrders).toEqual(['once NOT_SENT', 'later null']);
  // The next start reads the same books.
  const secondKillSeq = killed.records.filter(({ k }) => k === 'INSTANT').at(-1)!.seq;
  const kills = [sendSeq, secondKillSeq];
  const killedTwice = await driveLifetime({ strategies: [Buyer], bars: 8, kills, next: [ChangedBuyer], acceptChanges: true });
  expect([killedTwice.placed, killedTwice.balances]).toEqual([killed.placed, killed.balances]);
});

/** Buys nothing. The changed code buys at the fourth bar, before the other strategy of the bot decides. */
class Idle extends Strategy {
  codes: string[] = [];
  override onBar() {}
  override onOrder({ tag, lifecycle, code }: OrderInfo) {
    if (lifecycle === 'done') this.codes.push(`${tag} ${code}`);
  }
}
class BuysFirst extends Idle {
  barCount = 0;
  override onBar() {
    this.barCount++;
    if (this.barCount === 4) this.buy({ base: '0.2' }, { tag: 'first' });
  }
}
/** Places an order far from the market at each bar. */
class Rests extends Strategy {
  barCount = 0;
  override onBar() {
    this.buy({ base: '0.1' }, { tag: `rest ${++this.barCount}`, limit: this.bars.close.value / 2 });
  }
}

test('an order of the newest instant is not sent again when the accepted code places another one before it', async () => {
  const options = { strategies: [Idle, Rests], bars: 6 };
  const unkilled = await driveLifetime(options);
  const ackSeqs = unkilled.records.filter(({ k }) => k === 'ACK').map(({ seq }) => seq);
  for (const killSeq of [ackSeqs[3]!, ackSeqs[3]! + 1]) {
    const killed = await driveLifetime({ ...options, kills: [killSeq], next: [BuysFirst, Rests], acceptChanges: true });
    expect(killed.starts).toBe(2);
    // The denied order has used up a number, which comes first in each line.
    const termsOf = (placed: readonly string[]): readonly string[] => placed.map((line) => line.replace(/^\S+ /, ''));
    expect(termsOf(killed.placed)).toEqual(termsOf(unkilled.placed));
    expect((killed.instances[0] as BuysFirst).codes).toEqual(['first CHANGED']);
  }
});

/** Keeps a stop entry far above the market. */
class Waits extends Strategy {
  barCount = 0;
  endedOrders: string[] = [];
  override onBar() {
    this.barCount++;
    if (this.barCount === 2) this.buy({ base: '0.3' }, { tag: 'breakout', stopEntry: this.bars.close.value * 3 });
    if (this.barCount === 4) this.buy({ base: '0.2' }, { tag: 'real', limit: this.bars.close.value / 2 });
  }
  override onOrder({ tag, lifecycle, code }: OrderInfo) {
    if (lifecycle === 'done') this.endedOrders.push(`${tag} ${code}`);
  }
}
/** The changed code: it has another stop entry, before the order of the old code. */
class WaitsElsewhere extends Waits {
  override onBar() {
    this.barCount++;
    if (this.barCount === 3) this.buy({ base: '0.4' }, { tag: 'new', stopEntry: this.bars.close.value * 3 });
    if (this.barCount === 4) this.buy({ base: '0.2' }, { tag: 'real', limit: this.bars.close.value / 2 });
  }
}

test('accepted code neither sends a stop entry that the journal does not contain, nor keeps one that it no longer places', async () => {
  const unkilled = await driveLifetime({ strategies: [Waits], bars: 10 });
  const instants = unkilled.records.filter(({ k }) => k === 'INSTANT');
  const options = { strategies: [Waits], bars: 10, next: [WaitsElsewhere], acceptChanges: true };
  const killed = await driveLifetime({ ...options, kills: [instants.at(-4)!.seq] });
  expect(killed.placed).toEqual(unkilled.placed);
  expect((killed.instances[0] as WaitsElsewhere).endedOrders).toEqual(['new CHANGED', 'breakout null']);
  const draft = killed.records.find((record) => record.k === 'DRAFT')!;
  const ends = killed.records.filter((record) => record.k === 'STATE' && draft.k === 'DRAFT' && record.cid === draft.cid);
  expect(ends).toMatchObject([{ lifecycle: 'done', reason: 'canceled' }]);
  // A second restart with the changed code gives the same.
  const kills = [instants.at(-4)!.seq, killed.records.filter(({ k }) => k === 'INSTANT').at(-2)!.seq];
  const killedTwice = await driveLifetime({ ...options, kills });
  expect([killedTwice.starts, killedTwice.placed]).toEqual([3, unkilled.placed]);
  expect((killedTwice.instances[0] as WaitsElsewhere).endedOrders).toEqual(['new CHANGED', 'breakout null']);
});

/** The changed code with one more stop entry, which it places after it was accepted. */
class WaitsAgain extends WaitsElsewhere {
  override onBar() {
    super.onBar();
    if (this.barCount === 8) this.buy({ base: '0.5' }, { tag: 'later', stopEntry: this.bars.close.value * 3 });
  }
}

test('a start with accepted code keeps a stop entry that this code has placed since', async () => {
  const options = { strategies: [Waits], bars: 10, next: [WaitsAgain], acceptChanges: true };
  const instantsOf = (records: readonly JournalRecord[]): readonly JournalRecord[] => records.filter(({ k }) => k === 'INSTANT');
  const unkilled = await driveLifetime({ strategies: [Waits], bars: 10 });
  const firstKillSeq = instantsOf(unkilled.records).at(-4)!.seq;
  const killed = await driveLifetime({ ...options, kills: [firstKillSeq] });
  const killedTwice = await driveLifetime({ ...options, kills: [firstKillSeq, instantsOf(killed.records).at(-1)!.seq] });
  const drafts = killedTwice.records.filter((record) => record.k === 'DRAFT');
  expect(drafts.map(({ slot }) => slot)).toEqual(['breakout', 'later']);
  const endedCids = new Set(
    killedTwice.records.flatMap((record) => (record.k === 'STATE' && record.lifecycle === 'done' ? [record.cid] : [])),
  );
  expect(drafts.map(({ cid }) => endedCids.has(cid))).toEqual([true, false]);
  expect((killedTwice.instances[0] as WaitsAgain).endedOrders).toEqual(['new CHANGED', 'breakout null']);
});

/** Places two orders at the last bar. */
class Counts extends Strategy {
  barCount = 0;
  override onBar() {
    this.barCount++;
    if (this.barCount !== 6) return;
    for (const tag of ['a', 'b']) this.buy({ base: '0.1' }, { tag, limit: this.bars.close.value / 2 });
  }
}

test('a limit that counts orders also counts those that the accepted code does not place', async () => {
  const counts: number[] = [];
  const options: LifetimeOptions = {
    strategies: [Counts],
    bars: 6,
    more: { risk: { maxAuditAgeMs: 1_000_000, maxOrdersPerFill: 10 } },
    settled: ({ bot }) => {
      const { risk, nowMs } = bot.deps.engine;
      counts.push(risk['state'].sent.lastHour(0, nowMs).sent);
    },
  };
  const { records } = await driveLifetime(options);
  const lastAckSeq = records.findLast(({ k }) => k === 'ACK')!.seq;
  await driveLifetime({ ...options, kills: [lastAckSeq], next: [Idle], acceptChanges: true });
  expect([counts[5], counts.at(-1)]).toEqual([2, 2]);
});
