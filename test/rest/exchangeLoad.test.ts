// Tests a bot that trades all the time: its audits stay complete, and it finds a withdrawal within seconds.

import { afterEach, expect, it } from 'vitest';
import { Auditor } from '../../src/tasks/bot/account/auditor.ts';
import type { AuditResult } from '../../src/adapters/exchange/calls/types.ts';
import { ORDER_SETTINGS } from '../../src/adapters/exchange/calls/orderSettings.ts';
import { RestWorld } from '../fixtures/restFixture.ts';
import { spotTrader } from '../fixtures/restOthers.ts';

/** The bot sends this many orders within SPAN_MS. */
const ORDER_COUNT = 165;
const SPAN_MS = 90_000;
/** Half of the age at which the bot halts because its account was not audited. */
const MAX_GAP_MS = 15_000;
const stopAuditors: (() => void)[] = [];
afterEach(() => stopAuditors.splice(0).forEach((stop) => stop()));

/** The result of an audit, and when it was reported. */
interface AuditReport {
  readonly atMs: number;
  readonly result: AuditResult;
}

/** Sends ORDER_COUNT orders within SPAN_MS while an auditor with the settings of a live bot runs. `atMidpoint` is called once, after half of the time. */
async function tradeUnderAudit(
  atMidpoint: (world: RestWorld) => void,
): Promise<{ readonly reports: readonly AuditReport[]; readonly midpointMs: number; readonly world: RestWorld }> {
  const world = await RestWorld.open();
  // Enough liquidity on both sides for all orders.
  for (let quote = 0; quote < 50; quote++) {
    spotTrader(world).placeLimit('bob', 'SELL', '0.2', '100.10');
    spotTrader(world).placeLimit('bob', 'BUY', '0.2', '99.90');
  }
  const reports: AuditReport[] = [];
  const auditor = new Auditor({
    scheduler: world.queue,
    audit: (kind, done) => world.exchange.audit(kind, done),
    fastMs: ORDER_SETTINGS.fastMs,
    fullMs: 300_000,
    startGapMs: 10_000,
    onResult: (_kind, result) => reports.push({ atMs: world.nowMs, result }),
  });
  let isTrading = false;
  auditor.start(() => (isTrading = true));
  stopAuditors.push(() => auditor.stop());
  world.passUntil(() => isTrading, 60_000);
  // The audits before the start of trading do not count. The start itself is the first known time.
  reports.length = 0;
  reports.push({ atMs: world.nowMs, result: { kind: 'ok', differences: [], isComplete: true, venueMs: world.nowMs } });
  const startMs = world.nowMs;
  let midpointMs = 0;
  for (let index = 0; index < ORDER_COUNT; index++) {
    if (midpointMs === 0 && world.nowMs - startMs >= SPAN_MS / 2) {
      midpointMs = world.nowMs;
      atMidpoint(world);
    }
    const isBuy = index % 2 === 0;
    // Different sizes, so that the bot need not change them to distinguish the orders.
    world.placeOrder({ side: isBuy ? 'buy' : 'sell', lots: 100 + (index % 7), limit: isBuy ? 10_010 : 9990 });
    world.passTime(Math.floor(SPAN_MS / ORDER_COUNT), 15);
  }
  return { reports, midpointMs, world };
}

/** The longest time between two complete audits. */
const maxGapMs = (reports: readonly AuditReport[]): number => {
  const timesMs = reports.filter(({ result }) => result.isComplete).map(({ atMs }) => atMs);
  const gapsMs = timesMs.slice(1).map((atMs, index) => atMs - timesMs[index]!);
  return Math.max(...gapsMs);
};

it('with 165 orders in 90 s, no gap between audits reaches half of the stale-account limit, and no audit finds a mismatch', async () => {
  const { reports, world } = await tradeUnderAudit(() => {});
  expect(world.fillCount).toBeGreaterThan(150);
  expect(reports.filter(({ result }) => result.kind === 'mismatch')).toEqual([]);
  expect(maxGapMs(reports)).toBeLessThan(MAX_GAP_MS);
});

it('with 165 orders in 90 s, a withdrawal of 99000 USDT is found within 20 s', async () => {
  const { reports, midpointMs, world } = await tradeUnderAudit(({ service }) => {
    const { accounts } = service.spot.venue;
    const unitsPerUsdt = 1e8;
    accounts.of(0, accounts.asset('USDT')).free -= 99_000 * unitsPerUsdt;
  });
  const mismatch = reports.find(({ result }) => result.kind === 'mismatch');
  expect(mismatch?.result.differences[0]).toMatchObject({ code: 'MISMATCH', what: expect.stringMatching(/^USDT: the account holds/) });
  expect(mismatch!.atMs - midpointMs).toBeLessThan(20_000);
  expect(maxGapMs(reports)).toBeLessThan(MAX_GAP_MS);
  expect(world.haltCodes).toContain('MISMATCH');
});
