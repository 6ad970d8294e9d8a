// Tests two kills of one bot at once, and a kill that finds orders of unknown outcome which were journalled after it began.

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

const closing: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** Starts a process that has the turn until it ends. */
function otherKill(journal: string): ChildProcess {
  const child = lockByOtherProcess(join(journal, '..', KILL_TURN_NAME));
  closing.push(() => void child.kill('SIGKILL'));
  return child;
}

function emptyJournal(): string {
  const folder = mkdtempSync(join(tmpdir(), 'isobar-turn-'));
  closing.push(() => rmSync(folder, { recursive: true }));
  const journal = join(folder, 'journal');
  mkdirSync(journal, { mode: 0o700 });
  return journal;
}

it('a kill waits for another one that closes the positions, and begins when that has ended, also by kill -9', async () => {
  const journal = emptyJournal();
  const other = otherKill(journal);
  expect(killerOf(journal)?.pid).toBe(other.pid);
  const waited: number[] = [];
  let hasTurn = false;
  const turn = takeKillTurn(journal, { maxMs: 60_000, onWait: (pid) => waited.push(pid) });
  void turn.then(() => (hasTurn = true));
  await expect.poll(() => waited).toEqual([other.pid]);
  expect([hasTurn, other.exitCode, other.signalCode]).toEqual([false, null, null]);
  other.kill('SIGKILL');
  (await turn)();
  expect(killerOf(journal)).toBeNull();
});

it('a kill that waits longer than its limit for another one is refused with the process of that one', async () => {
  const journal = emptyJournal();
  const other = otherKill(journal);
  const text = `process ${other.pid} closes the positions of this bot`;
  await expect(takeKillTurn(journal, { maxMs: 0, onWait: () => {} })).rejects.toThrow(text);
});

it('an order of unknown outcome that was journalled after a kill began is waited for, before positions are closed', async () => {
  const fixture = await KillFixture.open();
  closing.push(() => fixture.close());
  const instrument = fixture.instrument('BTCUSDT');
  const settings = { ...fixture.parts().settings, visibilityDelayMs: 100, recvWindowMs: 100 };
  const signMs = (await fixture.call('spot.serverTime', {})).serverTimeMs;
  const cid = fixture.nextCid();
  const entry = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', volume: '0.01', price: '70000', newClientOrderId: cid } as const;
  const { orderId } = await fixture.call('spot.newOrder', entry);
  const bought = { instrument, cid, side: 'buy', qty: '0.01', price: '70000', orderId, signMs } as const;
  const before = fixture.books([bought]).books.orders;
  // A slice of another kill, which never left.
  const slice = { instrument, cid: fixture.nextCid(), side: 'sell', qty: '0.00999', price: '60000', orderId: null, signMs } as const;
  const books = fixture.books([bought, slice]);
  const report = await runKill(fixture.parts(settings, [instrument]), before, { all: false, books: () => Promise.resolve(books) });
  expect(report.residuals).toEqual([]);
  expect(report.slices.map(({ filled }) => filled)).not.toEqual([]);
});
