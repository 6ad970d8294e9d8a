// Tests a bot that ends between the decision on an order and its request, and is started again with code that decides otherwise.

import { expect, test } from 'vitest';
import { Strategy, type OrderInfo } from '../../src/index.ts';
import { driveLifetime } from '../fixtures/killedLifetime.ts';

/** Buys once, at the third bar. */
class Buyer extends Strategy {
  row = 0;
  override onBar() {
    this.row++;
    if (this.row === 3) this.buy({ base: 2 }, { tag: 'once' });
  }
}
/** The same bot, with code that does not place the order. */
class Quiet extends Strategy {
  ended: string[] = [];
  row = 0;
  override onBar() {
    this.row++;
    if (this.row === 6) this.buy({ base: 1 }, { tag: 'later' });
  }
  override onOrder({ tag, lifecycle, code }: OrderInfo) {
    if (lifecycle === 'done') this.ended.push(`${tag} ${code}`);
  }
}

test('an order that was decided on and never sent ends without effect when changed code is accepted', async () => {
  const unkilled = await driveLifetime({ strategies: [Buyer], bars: 8 });
  const { seq } = unkilled.records.find(({ k }) => k === 'SEND')!;
  const killed = await driveLifetime({ strategies: [Buyer], bars: 8, kills: [seq], next: [Quiet], acceptChanges: true });
  const intent = killed.records.find((record) => record.k === 'INTENT' && record.order === 1);
  const cid = intent?.k === 'INTENT' ? intent.cid : null;
  const ends = killed.records.filter((record) => 'cid' in record && record.cid === cid && (record.k === 'REFUSED' || record.k === 'STATE'));
  expect(ends).toMatchObject([{ k: 'REFUSED', code: 'no request of it can have left' }]);
  expect(killed.lines.filter((line) => line.includes('never sent from here'))).toEqual([]);
  expect(killed.placed).toHaveLength(1);
  expect((killed.instances[0] as Quiet).ended).toEqual(['once NOT_SENT', 'later null']);
  // The next start reads the same books.
  const again = killed.records.filter(({ k }) => k === 'INSTANT').at(-1)!.seq;
  const twice = await driveLifetime({ strategies: [Buyer], bars: 8, kills: [seq, again], next: [Quiet], acceptChanges: true });
  expect([twice.placed, twice.balances]).toEqual([killed.placed, killed.balances]);
});
