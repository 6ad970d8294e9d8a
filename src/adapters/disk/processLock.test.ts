// Tests the process lock: in any order in which processes start, check and die, at most one holds it.

import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { SimulatedDisk } from '../../../test/fixtures/simulatedDisk.ts';
import { FileSystemDisk } from './fileSystemDisk.ts';
import { lockFolder, lockHolder, processesHere, takeLock, type LockHolder, type Processes } from './processLock.ts';

const FOLDER = 'journal';

/** Returns the identity of a process. */
const holder = (pid: number, changes: Partial<LockHolder> = {}): LockHolder => ({
  pid,
  started: String(pid * 7),
  namespace: '4026531836',
  boot: '5f0c2a',
  host: 'trader-1.example',
  ...changes,
});

/** Returns the view of process `pid`. The processes in `dead` are gone; all others are in the state `other`. */
const processes = (pid: number, dead: readonly number[] = [], other: 'running' | 'unknown' = 'running'): Processes => ({
  self: holder(pid),
  findProcess: ({ pid: otherPid }) => (dead.includes(otherPid) ? 'gone' : other),
});

describe('takeLock', () => {
  it('takeLock fails for a second process, names the first, and leaves the lock file unchanged', () => {
    const disk = new SimulatedDisk();
    const release = takeLock(disk, FOLDER, processes(1));
    expect(() => takeLock(disk, FOLDER, processes(2))).toThrow(/process 1 trades on this account/);
    expect(() => takeLock(disk, FOLDER, processes(1))).toThrow(/this process has the journal already/);
    expect(disk.list(FOLDER)).toHaveLength(1);
    release();
    takeLock(disk, FOLDER, processes(2))();
    expect(disk.list(FOLDER)).toEqual([]);
  });

  it('takeLock replaces the locks of dead processes, and removes their files', () => {
    const disk = new SimulatedDisk();
    for (const pid of [1, 2]) disk.create(`${FOLDER}/lock-${pid}-1-1-a-h`);
    disk.create(`${FOLDER}/journal-000001.jsonl`);
    takeLock(disk, FOLDER, processes(3, [1, 2]));
    expect(disk.list(FOLDER)).toEqual(['journal-000001.jsonl', 'lock-3-21-4026531836-5f0c2a-trader-1.example']);
    expect(lockHolder(disk, FOLDER, processes(4))).toEqual(holder(3));
    expect(lockHolder(disk, FOLDER, processes(4, [3]))).toBeNull();
  });

  it('takeLock fails if the state of the holder is unknown', () => {
    const disk = new SimulatedDisk();
    takeLock(disk, FOLDER, { self: holder(1, { host: 'other/../host ü' }), findProcess: () => 'gone' });
    expect(disk.list(FOLDER)).toHaveLength(1);
    expect(() => takeLock(disk, FOLDER, processes(2, [], 'unknown'))).toThrow(/process 1 on other\/\.\.\/host ü may trade on this account/);
  });

  it('takeLock treats a lock file whose host name is not text as one of another computer', () => {
    const disk = new SimulatedDisk();
    disk.create(`${FOLDER}/lock-1-1-1-a-%zz`);
    const { self } = processes(2);
    const findProcess = ({ host }: LockHolder) => (host === self.host ? 'gone' : 'unknown');
    expect(() => takeLock(disk, FOLDER, { self, findProcess })).toThrow(/process 1 on %zz may trade on this account/);
  });

  it('takeLock returns a release that succeeds after another process has removed the file', () => {
    const disk = new SimulatedDisk();
    const release = takeLock(disk, FOLDER, processes(1));
    for (const name of disk.list(FOLDER)) disk.remove(`${FOLDER}/${name}`);
    release();
    takeLock(disk, FOLDER, processes(2))();
  });

  it('takeLock has at most one holder in every interleaving of three starters, even if one of them dies', () => {
    let runsWithOwner = 0;
    const order = fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 4, maxLength: 24 });
    fc.assert(
      fc.property(order, fc.option(fc.integer({ min: 0, max: 2 })), (turnOrder, mortal) => {
        const disk = new SimulatedDisk();
        disk.create(`${FOLDER}/lock-99-1-1-a-h`);
        const dead = [99];
        const starters = [0, 1, 2].map((pid) => starter(disk, pid, dead));
        for (const starterIndex of turnOrder) {
          if (starterIndex === mortal && starters[starterIndex]!.stepCount() >= 2) dead.push(starterIndex);
          else if (!dead.includes(starterIndex)) starters[starterIndex]!.takeStep();
        }
        const ownerCount = starters.filter(({ hasLock }, pid) => hasLock() && !dead.includes(pid)).length;
        expect(ownerCount).toBeLessThanOrEqual(1);
        runsWithOwner += ownerCount;
      }),
      { seed: 5, numRuns: 3000 },
    );
    // Some runs must have an owner: without one the test would pass for a lock that nobody can take.
    expect(runsWithOwner).toBeGreaterThan(300);
  });
});

/**
 * Runs takeLock of process `pid` with one step for each call of `takeStep`. takeLock cannot pause, so each call starts it again, repeats
 * the results of the earlier steps, and stops it after one new step.
 */
function starter(disk: SimulatedDisk, pid: number, dead: readonly number[]) {
  const results: (() => unknown)[] = [];
  let outcome: 'starting' | 'has' | 'refused' = 'starting';
  const takeStep = (): void => {
    if (outcome !== 'starting') return;
    let stepIndex = 0;
    const knownSteps = results.length;
    const step = <T>(act: () => T): T => {
      if (stepIndex > knownSteps) throw new OutOfTurn('later');
      if (stepIndex === knownSteps) results.push(outcomeOf(act));
      return results[stepIndex++]!() as T;
    };
    const steppedDisk = {
      list: (folder: string) => step(() => disk.list(folder)),
      create: (path: string) => step(() => disk.create(path)),
      remove: (path: string) => step(() => disk.remove(path)),
    };
    const findProcess: Processes['findProcess'] = ({ pid: otherPid }) => step(() => (dead.includes(otherPid) ? 'gone' : 'running'));
    try {
      takeLock(steppedDisk, FOLDER, { self: holder(pid), findProcess });
      outcome = 'has';
    } catch (error) {
      if (!(error instanceof OutOfTurn)) outcome = 'refused';
    }
  };
  return { takeStep, hasLock: () => outcome === 'has', stepCount: () => results.length };
}

class OutOfTurn extends Error {}

/** Runs `act` once. Returns a function that returns its result, or throws its error, each time. */
function outcomeOf<T>(act: () => T): () => T {
  try {
    const value = act();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

const MODULE = new URL('../../../dist/adapters/disk/processLock.js', import.meta.url).href;
const DISK = new URL('../../../dist/adapters/disk/fileSystemDisk.js', import.meta.url).href;

/** Runs `code` in `count` processes. Returns the output of each. */
function processesOf(count: number, code: string): Promise<readonly string[]> {
  const head = `const lock = await import(${JSON.stringify(MODULE)}), { FileSystemDisk } = await import(${JSON.stringify(DISK)}); const fs = await import('node:fs');`;
  const runProcess = (): Promise<string> =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', `${head}\n${code}`], { stdio: ['ignore', 'pipe', 'inherit'] });
      let text = '';
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      child.once('close', () => resolve(text.trim()));
    });
  return Promise.all(Array.from({ length: count }, runProcess));
}

describe('real processes that contend', () => {
  const folders: string[] = [];
  const scratch = (): string => {
    const newFolder = mkdtempSync(join(tmpdir(), 'isobar-contend-'));
    folders.push(newFolder);
    return newFolder;
  };
  afterEach(() => folders.splice(0).forEach((scratchFolder) => rmSync(scratchFolder, { recursive: true, force: true })));
  const LOCK_TEXTS = `{ has: 'it', does: 'has it', may: 'may have it', own: 'one', second: 'two' }`;

  it('real processes that contend for the lock wait for each other, and no count is lost', async () => {
    const folder = scratch();
    writeFileSync(join(folder, 'count'), '0');
    // Each process reads, waits and writes. Two processes at once would lose a count.
    const code = `const [lockIn, count] = ${JSON.stringify([join(folder, 'x.lock'), join(folder, 'count')])};
for (let at = 0; at < 25; at++) lock.whileProcessLocked(lockIn, ${LOCK_TEXTS}, () => {
  const before = Number(fs.readFileSync(count, 'utf8'));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, at % 3);
  fs.writeFileSync(count, String(before + 1));
});
console.log('done');`;
    expect(await processesOf(6, code)).toEqual(Array.from({ length: 6 }, () => 'done'));
    expect(readFileSync(join(folder, 'count'), 'utf8')).toBe('150');
    expect(readdirSync(folder)).toEqual(['count']);
  });

  it('processes that do not wait for the lock hold it one at a time, also if the holder is killed', async () => {
    const folder = scratch();
    // The holder creates a file that must not exist yet. A third of the holders die while they hold the lock.
    const code = `const [lockIn, mark] = ${JSON.stringify([join(folder, 'x.lock'), join(folder, 'mark')])};
let had = 0;
for (let at = 0; at < 300; at++) {
  let release;
  try { release = lock.lockFolder(new FileSystemDisk(), lockIn, lock.processesHere(), ${LOCK_TEXTS}); } catch { continue; }
  try { fs.writeFileSync(mark, String(process.pid), { flag: 'wx' }); } catch { console.log('TWO'); process.exit(1); }
  had++;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
  fs.rmSync(mark);
  if (at > 200 && process.pid % 3 === 0) process.kill(process.pid, 'SIGKILL');
  release();
}
console.log(had > 0 ? 'had it' : 'never');`;
    const reported = await processesOf(6, code);
    expect(reported).not.toContain('TWO');
    expect(reported).toContain('had it');
    lockFolder(new FileSystemDisk(), join(folder, 'x.lock'), processesHere())();
    expect(readdirSync(folder)).toEqual([]);
  });
});
