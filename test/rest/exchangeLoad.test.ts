// Tests a bot that trades all the time: its audits stay complete, and it finds a withdrawal within seconds.

import { afterEach, expect, it } from 'vitest';
import { Auditor } from '../../src/tasks/bot/account/auditor.ts';
import type { AuditResult } from '../../src/adapters/exchange/calls/types.ts';
import { ORDER_SETTINGS } from '../../src/adapters/exchange/calls/settings.ts';
import { RestWorld } from '../fixtures/restFixture.ts';
import { bob } from '../fixtures/restOthers.ts';

const ORDERS = 165;
const SPAN_MS = 90_000;
const ends: (() => void)[] = [];
afterEach(() => ends.splice(0).forEach((end) => end()));

interface AuditReport {
  readonly atMs: number;
  readonly result: AuditResult;
}

/** Trades at that pace, with the audits of a live bot; `atHalf` runs in the middle. */
async function busy(
  atHalf: (world: RestWorld) => void,
  switches = {},
): Promise<{ readonly reports: readonly AuditReport[]; readonly halfMs: number; readonly world: RestWorld }> {
  const world = await RestWorld.open({ switches });
  for (let index = 0; index < 50; index++) {
    bob(world).limit('bob', 'SELL', '0.2', '100.10');
    bob(world).limit('bob', 'BUY', '0.2', '99.90');
  }
  const reports: AuditReport[] = [];
  const auditor = new Auditor({
    scheduler: world.queue,
    audit: (kind, done) => world.exchange.audit(kind, done),
    fastMs: ORDER_SETTINGS.fastMs,
    fullMs: 300_000,
    startGapMs: 10_000,
    onResult: (_, result) => reports.push({ atMs: world.nowMs, result }),
  });
  let isTrading = false;
  auditor.start(() => (isTrading = true));
  ends.push(() => auditor.stop());
  world.until(() => isTrading, 60_000);
  reports.length = 0;
  reports.push({ atMs: world.nowMs, result: { kind: 'ok', differences: [], isComplete: true, venueMs: world.nowMs } });
  const beganMs = world.nowMs;
  let halfMs = 0;
  for (let index = 0; index < ORDERS; index++) {
    if (halfMs === 0 && world.nowMs - beganMs >= SPAN_MS / 2) {
      halfMs = world.nowMs;
      atHalf(world);
    }
    const isBuy = index % 2 === 0;
    world.order({ side: isBuy ? 'buy' : 'sell', lots: 100 + (index % 7), limit: isBuy ? 10_010 : 9990 });
    world.pass(Math.floor(SPAN_MS / ORDERS), 15);
  }
  return { reports, halfMs, world };
}

const maxMs = (reports: readonly AuditReport[]): number => {
  const complete = reports.filter(({ result }) => result.isComplete);
  return Math.max(...complete.slice(1).map(({ atMs }, index) => atMs - complete[index]!.atMs));
};

it('165 orders in 90 s: no audit is missed for half of the stale-account limit, and none is wrong', async () => {
  const { reports, world } = await busy(() => {});
  expect(world.fillCount).toBeGreaterThan(150);
  expect(reports.filter(({ result }) => result.kind === 'mismatch')).toEqual([]);
  expect(maxMs(reports)).toBeLessThan(15_000);
});

it('165 orders in 90 s: a withdrawal of 99000 is found within 20 s', async () => {
  const { reports, halfMs, world } = await busy(({ service }) => {
    const { accounts } = service.spot.venue;
    accounts.of(0, accounts.asset('USDT')).free -= 99_000 * 1e8;
  });
  const mismatch = reports.find(({ result }) => result.kind === 'mismatch');
  expect(mismatch?.result.differences[0]).toMatchObject({ code: 'MISMATCH', what: expect.stringMatching(/^USDT: the account holds/) });
  expect(mismatch!.atMs - halfMs).toBeLessThan(20_000);
  expect(maxMs(reports)).toBeLessThan(15_000);
  expect(world.engine.risk.halts.causes().map(({ code }) => code)).toContain('MISMATCH');
});
