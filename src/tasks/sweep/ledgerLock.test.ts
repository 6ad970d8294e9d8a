// Tests the lock of a sweep: one process holds it, and the lock of a dead process is taken over.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { thisProcess } from '../../adapters/disk/processes.ts';
import { lockLedger } from './ledgerLock.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'isobar-sweep-lock-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const SWEEP = { name: 'sma', id: 'ab'.repeat(32) };
const LOCKS = 'sma-abababababab.lock';
const writeLock = (pid: number, started: string, host = thisProcess().host): void => {
  const { namespace, boot } = thisProcess();
  mkdirSync(join(folder, LOCKS), { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, LOCKS, `lock-${pid}-${started}-${namespace}-${boot}-${encodeURIComponent(host)}`), '', { mode: 0o600 });
};

it('the lock of a sweep is held once, and its release leaves no file', () => {
  const unlock = lockLedger(folder, SWEEP);
  expect(() => lockLedger(folder, SWEEP)).toThrow(/this process has this sweep already/);
  lockLedger(folder, { ...SWEEP, id: 'cd'.repeat(32) })();
  unlock();
  expect(readdirSync(folder)).toEqual([]);
});

it('the lock of a sweep is respected while its holder may run, and taken over if the holder is dead', () => {
  // No process has this number: it is above the largest that Linux assigns.
  writeLock(4_194_304, '1');
  lockLedger(folder, SWEEP)();
  // The number of a running process, reused since the lock was taken.
  writeLock(process.ppid, '1');
  lockLedger(folder, SWEEP)();
  writeLock(1, '1', 'elsewhere');
  expect(() => lockLedger(folder, SWEEP)).toThrow(/process 1 on elsewhere may work on this sweep, and cannot be seen from here/);
});
