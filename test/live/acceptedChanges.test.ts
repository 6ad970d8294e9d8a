// Tests a bot that ends between the decision on an order and its request, and is started again with code that decides otherwise.

import { expect, test } from 'vitest';
import { Strategy, type OrderInfo } from '../../src/index.ts';
import { driveLifetime } from '../fixtures/killedLifetime.ts';

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
