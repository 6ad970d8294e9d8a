// Tests the kill switch on disk: it survives restarts, counts even if damaged, and only a reason re-arms it.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { thisProcess } from '../../../adapters/disk/processes.ts';
import { readBotFile } from '../../control/folder/botFile.ts';
import { readWhole } from '../separate/standaloneKill.ts';
import { isKilling, markKilling } from './killMark.ts';
import { rearm, forgetRearm, KillSwitch, readKillFile, readKillSwitch, readRearm, engageKillSwitch } from './killSwitch.ts';
import { killSwitchWire } from './killSwitchWire.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'isobar-killSwitch-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const KILL_SWITCH = { sinceMs: 5, who: 'ann', why: 'a drill', flatten: true };

it('the kill switch stays set until a person gives a reason, which the next start reads', async () => {
  await engageKillSwitch(folder, KILL_SWITCH);
  expect(statSync(join(folder, 'KILLED')).mode & 0o777).toBe(0o600);
  expect(readKillSwitch(folder)).toEqual(KILL_SWITCH);
  expect(() => rearm(folder, 'bob', ' x ')).toThrow('expected a reason');
  writeFileSync(join(folder, 'KILL'), 'flatten\n');
  rearm(folder, 'bob', 'the drill is over');
  expect([readKillSwitch(folder), readKillFile(folder), new KillSwitch(folder).isEngaged]).toEqual([null, null, false]);
  expect(readRearm(folder)).toEqual({ who: 'bob', why: 'the drill is over', latch: KILL_SWITCH });
  forgetRearm(folder);
  expect(readRearm(folder)).toBeNull();
  expect(() => rearm(folder, 'bob', 'once more')).toThrow('expected a bot that was killed');
});

it('the kill switch counts as set if its file cannot be read', () => {
  writeFileSync(join(folder, 'KILLED'), '{"sinceMs":');
  expect(readKillSwitch(folder)).toMatchObject({ who: 'unknown' });
  expect(new KillSwitch(folder).isEngaged).toBe(true);
});

it('a process that polls never reads an incomplete kill switch, and the first of two stays', async () => {
  const poll = { isDone: false };
  const read: unknown[] = [];
  const polling = (async () => {
    while (!poll.isDone) {
      const found = readKillSwitch(folder);
      if (found !== null) read.push(found);
      await new Promise((resolve) => void setImmediate(resolve));
    }
  })();
  await Promise.all([engageKillSwitch(folder, KILL_SWITCH), engageKillSwitch(folder, { ...KILL_SWITCH, who: 'bob' })]);
  poll.isDone = true;
  await polling;
  const kept = readKillSwitch(folder);
  expect(['ann', 'bob']).toContain(kept?.who);
  expect(read.filter((found) => JSON.stringify(found) !== JSON.stringify(kept))).toEqual([]);
  expect(readdirSync(folder)).toEqual(['KILLED']);
});

it('files that an earlier process has left do not keep the kill switch from being set', async () => {
  for (let count = 0; count < 100; count++) writeFileSync(join(folder, `KILLED.${process.pid}-${count}`), '');
  await engageKillSwitch(folder, KILL_SWITCH);
  expect(readKillSwitch(folder)).toEqual(KILL_SWITCH);
});

it('the kill switch does not write through a link', async () => {
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'KILLED'));
  await engageKillSwitch(folder, KILL_SWITCH);
  expect(existsSync(join(folder, 'elsewhere'))).toBe(false);
});

it('a file named KILL from any program requests a kill', () => {
  expect(readKillFile(folder)).toBeNull();
  writeFileSync(join(folder, 'KILL'), '');
  expect(readKillFile(folder)).toEqual({ flatten: false });
  writeFileSync(join(folder, 'KILL'), ' FLATTEN\n');
  expect(readKillFile(folder)).toEqual({ flatten: true });
});

it('the kill switch stops exactly the requests that create orders, with any prefix of their path', async () => {
  const sent: string[] = [];
  const wire = killSwitchWire(
    ({ url, method }, done) => {
      sent.push(`${method} ${url}`);
      queueMicrotask(() => done({ kind: 'failed', cause: 'a test', bytesWritten: null }));
      return () => {};
    },
    { isEngaged: true },
  );
  const causeOf = (method: 'GET' | 'POST', path: string): Promise<string> =>
    new Promise((resolve) =>
      wire({ method, url: `https://api.example.com${path}`, headers: {}, body: new Uint8Array() }, (outcome) =>
        resolve(outcome.kind === 'failed' ? outcome.cause : ''),
      ),
    );
  for (const path of [
    '/sapi/v1/order',
    '/sapi/v1/batchOrders',
    '/fapi/v1/order',
    '/fapi/v1/conditionOrder/',
    '/fapi/v1/conditionOrder',
    '/x/spot/sapi/v1/order',
  ]) {
    expect(await causeOf('POST', path), path).toContain('KILLED');
  }
  for (const [method, path] of [
    ['GET', '/sapi/v1/order?symbol=A'],
    ['POST', '/sapi/v1/cancel'],
    ['POST', '/sapi/v1/batchCancel'],
    ['POST', '/fapi/v1/cancel'],
    ['POST', '/sapi/v1/order/test'],
  ] as const) {
    expect(await causeOf(method, path), path).toBe('a test');
  }
  expect(sent).toHaveLength(5);
});

it.each(['fifo', 'directory', 'symlink', 'link to nowhere'])('a KILL that is a %s requests a kill without flattening', (fileType) => {
  const path = join(folder, 'KILL');
  if (fileType === 'fifo') execFileSync('mkfifo', [path]);
  else if (fileType === 'directory') mkdirSync(path);
  else {
    if (fileType === 'symlink') writeFileSync(join(folder, 'elsewhere'), 'flatten');
    symlinkSync(join(folder, 'elsewhere'), path);
  }
  expect(readKillFile(folder)).toEqual({ flatten: false });
});

it('a kill switch whose file is a FIFO counts as set', () => {
  execFileSync('mkfifo', [join(folder, 'KILLED')]);
  expect(readKillSwitch(folder)).toMatchObject({ who: 'unknown' });
  expect(new KillSwitch(folder).isEngaged).toBe(true);
});

it('re-arming removes a KILL that is an empty directory, and fails if the directory is not empty', async () => {
  await engageKillSwitch(folder, KILL_SWITCH);
  mkdirSync(join(folder, 'KILL'));
  writeFileSync(join(folder, 'KILL', 'kept'), '');
  expect(() => rearm(folder, 'ann', 'looked at it')).toThrow(/KILL: cannot be removed/);
  expect(readKillSwitch(folder)).toEqual(KILL_SWITCH);
  rmSync(join(folder, 'KILL', 'kept'));
  rearm(folder, 'ann', 'looked at it');
  expect([readKillSwitch(folder), readKillFile(folder)]).toEqual([null, null]);
});

it('the KILLING file of two simultaneous kills belongs to the later one until its end', () => {
  const path = join(folder, 'KILLING');
  const endFirst = markKilling(folder);
  expect(isKilling(folder)).toBe(true);
  const laterProcess = { ...thisProcess(), pid: process.ppid };
  writeFileSync(path, JSON.stringify(laterProcess));
  endFirst();
  expect(existsSync(path)).toBe(true);
  const endSecond = markKilling(folder);
  endSecond();
  expect([existsSync(path), isKilling(folder)]).toEqual([false, false]);
});

it('a FIFO in place of KILLING, bot.json or the journal is not waited for', () => {
  for (const name of ['KILLING', 'bot.json', 'journal-000001.jsonl']) execFileSync('mkfifo', [join(folder, name)]);
  expect(isKilling(folder)).toBe(false);
  expect(() => readBotFile(folder)).toThrow('bot.json: cannot be read (ENOFILE)');
  expect(() => readWhole(folder, () => {})).toThrow('the journal cannot be read (ENOFILE)');
});
