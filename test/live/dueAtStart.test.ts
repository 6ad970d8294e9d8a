// Tests actions that came due while a bot was down: the start does not take their orders for orders of the last process.

import { expect, test } from 'vitest';
import type { RestExchange } from '../../src/adapters/exchange/restExchange.ts';
import type { JournalRecord } from '../../src/adapters/journal/records/records.ts';
import { Strategy } from '../../src/index.ts';
import { MarketRouter } from '../../src/tasks/bot/account/marketRouter.ts';
import { restoreServices } from '../../src/tasks/bot/run/restoreServices.ts';
import { driveLifetime, type LifetimeResult } from '../fixtures/killedLifetime.ts';

/** Exits as soon as its sale is proven absent. The sale stays reserved for half an hour, and the exit waits for that. */
class ExitsAfterAbsence extends Strategy {
  barCount = 0;
  override onBar() {
    this.barCount++;
    if (this.barCount === 1) this.buy({ base: '0.3' });
    if (this.barCount === 3) this.sell({ base: '0.299' }, { limit: this.bars.close.value * 2, tag: 'lost' });
  }
  override onOrder({ tag, lifecycle }: { tag: string | null; lifecycle: string }) {
    if (tag === 'lost' && lifecycle === 'done') this.exit();
  }
}
/** The number of the exit among the orders of the strategy. */
const EXIT_ORDER = 3;

test('an exit that came due while the bot was down is sent by its start, and its outcome is known', async () => {
  const seqOf = ({ records }: LifetimeResult, kind: string, nth: number): number => records.filter(({ k }) => k === kind)[nth]!.seq;
  const options = { strategies: [ExitsAfterAbsence], bars: 6, isTorn: true };
  // The process ends as it sends the sale, and again between the proof that it is absent and the end of its reservation.
  const sendSeq = seqOf(await driveLifetime(options), 'SEND', 1);
  const absenceSeq = seqOf(await driveLifetime({ ...options, kills: [sendSeq] }), 'TOMB', 0);
  let impossibleEvents = 0;
  const { starts, records, balances } = await driveLifetime({
    ...options,
    kills: [sendSeq, absenceSeq + 3],
    downMinutes: 45,
    watch: ({ bot }) => (impossibleEvents = Math.max(impossibleEvents, bot?.bot.deps.engine.orders.impossibleEvents ?? 0)),
  });
  expect(starts).toBe(3);
  expect(impossibleEvents).toBe(0);
  const exit = records.find((record) => record.k === 'INTENT' && record.order === EXIT_ORDER);
  const { cid } = exit as JournalRecord & { cid: string };
  const recordsOfExit = records.filter((record) => 'cid' in record && record.cid === cid).map(({ k }) => k);
  expect(recordsOfExit).toEqual(['VERDICT', 'INTENT', 'SEND', 'ACK', 'FILL']);
  // 0.3 BTC bought at a fee of 0.0006 BTC, 0.299 BTC sold, in units of 0.000001 BTC.
  expect(balances[1]).toBe('BTC 400 0');
}, 600_000);

test('the services of all markets are restored before any of them is connected', () => {
  const calls: string[] = [];
  const services = new MarketRouter();
  for (const market of ['futures', 'spot'] as const) {
    const service = { restore: () => calls.push(`${market} restored`), connect: () => calls.push(`${market} connected`) };
    services.addService(market, service as unknown as RestExchange);
  }
  const state = { firstMs: 1, symbols: [], unattributedFills: [], endedIds: [], cursors: new Map(), unnoted: new Map(), decisions: [] };
  const bot = { driver: {}, deps: { engine: { instruments: [], risk: { halts: { causes: () => [] } } } } };
  restoreServices(bot as never, services, [], { state, trades: [], clientOrderIdOf: () => '' } as never);
  expect(calls).toEqual(['futures restored', 'spot restored', 'futures connected', 'spot connected']);
});
