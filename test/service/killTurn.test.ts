// Tests two kills of one bot at once: only one has the turn to close positions. Tests also orders that were journalled after a kill began.

import type { ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { KILL_TURN_NAME } from '../../src/tasks/control/folder/dataFolder.ts';
import { runKill } from '../../src/tasks/kill/kill.ts';
import { killerOf, takeKillTurn } from '../../src/tasks/kill/separate/killTurn.ts';
import { KillFixture } from '../fixtures/killFixture.ts';
import { lockByOtherProcess } from '../fixtures/lockedFolder.ts';

/** What is closed after the test, the last one first. */
const cleanups: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of cleanups.splice(0).toReversed()) await close();
});

/** Starts a process that has the turn to close positions, as another kill would, until it ends. */
function startOtherKill(journal: string): ChildProcess {
  const child = lockByOtherProcess(join(journal, '..', KILL_TURN_NAME));
  cleanups.push(() => void child.kill('SIGKILL'));
  return child;
}

/** Returns a new empty journal folder. */
function emptyJournal(): string {
  const folder = mkdtempSync(join(tmpdir(), 'isobar-turn-'));
  cleanups.push(() => rmSync(folder, { recursive: true }));
  const journal = join(folder, 'journal');
  mkdirSync(journal, { mode: 0o700 });
  return journal;
}

it('a kill waits while another kill closes the positions, and begins once that process has ended, even by kill -9', async () => {
  const journal = emptyJournal();
  const otherProcess = startOtherKill(journal);
  expect(killerOf(journal)?.pid).toBe(otherProcess.pid);
  const waitedForPids: number[] = [];
  let hasTurn = false;
  const turn = takeKillTurn(journal, { maxMs: 60_000, onWait: (pid) => waitedForPids.push(pid) });
  void turn.then(() => (hasTurn = true));
  await expect.poll(() => waitedForPids).toEqual([otherProcess.pid]);
  expect(hasTurn).toBe(false);
  expect(otherProcess.exitCode).toBeNull();
  expect(otherProcess.signalCode).toBeNull();
  otherProcess.kill('SIGKILL');
  const releaseTurn = await turn;
  releaseTurn();
  expect(killerOf(journal)).toBeNull();
});

it('a kill that has waited for its limit ends with an error that names the process of the other kill', async () => {
  const journal = emptyJournal();
  const otherProcess = startOtherKill(journal);
  const text = `process ${otherProcess.pid} closes the positions of this bot`;
  await expect(takeKillTurn(journal, { maxMs: 0, onWait: () => {} })).rejects.toThrow(text);
});

it('a kill waits for an order of unknown outcome that was journalled after its start before it closes positions', async () => {
  const fixture = await KillFixture.open();
  cleanups.push(() => fixture.close());
  const instrument = fixture.instrument('BTCUSDT');
  const settings = { ...fixture.deps().settings, visibilityDelayMs: 100, recvWindowMs: 100 };
  const signMs = (await fixture.call('spot.serverTime', {})).serverTimeMs;
  const cid = fixture.nextClientOrderId();
  const buyOrder = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', volume: '0.01', price: '70000', newClientOrderId: cid } as const;
  const { orderId } = await fixture.call('spot.newOrder', buyOrder);
  const bookedBuy = { instrument, cid, side: 'buy', qty: '0.01', price: '70000', orderId, signMs } as const;
  const ordersBefore = fixture.books([bookedBuy]).books.orders;
  // A sale of another kill, whose request never left.
  const slice = {
    instrument,
    cid: fixture.nextClientOrderId(),
    side: 'sell',
    qty: '0.00999',
    price: '60000',
    orderId: null,
    signMs,
  } as const;
  const books = fixture.books([bookedBuy, slice]);
  const report = await runKill(fixture.deps(settings, [instrument]), ordersBefore, {
    includesForeign: false,
    books: () => Promise.resolve(books),
  });
  expect(report.residuals).toEqual([]);
  expect(report.slices.map(({ filled }) => filled)).not.toEqual([]);
});
