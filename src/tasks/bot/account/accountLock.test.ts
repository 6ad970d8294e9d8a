// Tests the lock of an account: only one bot holds it, and the locks of killed bots are removed.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { thisProcess } from '../../../adapters/disk/processes.ts';
import { lockAccount } from './accountLock.ts';

let accounts: string;
beforeEach(() => (accounts = mkdtempSync(join(tmpdir(), 'isobar-accounts-'))));
afterEach(() => rmSync(accounts, { recursive: true, force: true }));

const lock = (address: string) =>
  lockAccount({
    accounts,
    access: { baseUrls: { spot: `http://${address}`, futures: null } } as Parameters<typeof lockAccount>[0]['access'],
    markets: ['spot'],
    fingerprint: 'f00d',
  });
/** A process id beyond the highest one of Linux, so that no running process has it. */
const ENDED_PID = 4_194_304;

/** Writes the lock of a process that has ended on this computer, or of a process on another `host`. */
function writeStaleLock(folder: string, host = thisProcess().host): void {
  const { namespace, boot } = thisProcess();
  mkdirSync(join(accounts, folder), { mode: 0o700 });
  writeFileSync(join(accounts, folder, `lock-${ENDED_PID}-1-${namespace}-${boot}-${encodeURIComponent(host)}`), '', { mode: 0o600 });
}

it('localhost and the loopback addresses lock the same account', () => {
  const firstLock = lock('localhost:1001');
  for (const name of ['localhost', '127.0.0.1', '[::1]'])
    expect(() => lock(`${name}:1001`)).toThrow('this process has the journal already');
  lock('localhost:1002').release();
  lock('localhost.example.com:1001').release();
  firstLock.release();
});

it('only locks of killed bots are removed', () => {
  writeStaleLock('127.0.0.1_1001-f00d');
  writeStaleLock('elsewhere-f00d', 'another-computer');
  mkdirSync(join(accounts, '127.0.0.1_1002-f00d'), { mode: 0o700 });
  mkdirSync(join(accounts, 'of-somebody'), { mode: 0o700 });
  writeFileSync(join(accounts, 'of-somebody', 'notes'), '');
  writeFileSync(join(accounts, 'a-file'), '');
  const firstLock = lock('127.0.0.1:1001');
  expect(readdirSync(accounts).toSorted()).toEqual(['127.0.0.1_1001-f00d', 'a-file', 'elsewhere-f00d', 'of-somebody']);
  const secondLock = lock('127.0.0.1:1003');
  expect(() => lock('127.0.0.1:1001')).toThrow('this process has the journal already');
  secondLock.release();
  firstLock.release();
  expect(readdirSync(accounts).toSorted()).toEqual(['a-file', 'elsewhere-f00d', 'of-somebody']);
});
