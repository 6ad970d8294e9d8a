// Tests the compaction of the paper exchange's store: over several processes that end by a crash no reported change is lost.

import { describe, expect, it } from 'vitest';
import { seededRng } from '../../src/base/number/rng.ts';
import { ConfigError } from '../../src/base/errors.ts';
import { endpointOf, OPS } from '../../src/protocol/endpoints/endpoints.ts';
import { act, FOLDER, KeptFixture } from '../fixtures/keptFixture.ts';
import { SimulatedDisk } from '../fixtures/simulatedDisk.ts';

const ignore = (): void => {};
/** The tests read too much after each call for the usual rate limits. */
const UNLIMITED = { limits: Object.fromEntries(OPS.map((op) => [endpointOf(op).limit.rateClass, null])) };
/** Number of calls of each process. */
const CALLS = 40;
/** Number of processes that crash one after the other. */
const RUNS = 5;

/** What one process did: the state as text at the start and after each call, and the number of the last answered call. */
interface CallLog {
  readonly states: readonly string[];
  readonly answeredCall: number;
}

/** Runs a process of up to CALLS calls that crashes at the given operation of the disk. */
function runProcess(disk: SimulatedDisk, seed: number, firstCall: number, crashAt: number): CallLog {
  const states: string[] = [];
  let answeredCall = 0;
  disk.crashAt = crashAt;
  disk.soon(() => {
    const fixture = new KeptFixture(disk, disk.soon, UNLIMITED);
    states.push(fixture.text);
    const next = (): void => {
      const call = states.length;
      if (call > CALLS) return;
      act(fixture, seed, firstCall + call);
      states.push(fixture.text);
      fixture.journal.whenLasting((lasts) => lasts && (answeredCall = call));
      disk.soon(next);
    };
    next();
  });
  disk.run();
  return { states, answeredCall };
}

/** Returns the names of the files that end like this. */
const namesOf = (disk: SimulatedDisk, end: string): readonly string[] => disk.list(FOLDER).filter((name) => name.endsWith(end));

/** Returns a disk with an exchange whose first files have been compacted. */
function compactedDisk(): SimulatedDisk {
  const disk = new SimulatedDisk();
  runProcess(disk, 1, 0, Infinity);
  expect(namesOf(disk, '.past').length).toBeGreaterThan(0);
  return disk.afterKill('', 0);
}

describe('compacted files', () => {
  it.each([1, 2])(`compacted files are removed over ${RUNS} crashed processes, and no reported change is lost (seed %i)`, (seed) => {
    const rng = seededRng(seed);
    let disk = new SimulatedDisk();
    let firstOrderId: string | null = null;
    for (let processIndex = 0; processIndex < RUNS; processIndex++) {
      const { states, answeredCall } = runProcess(disk, seed, processIndex * CALLS, Math.floor(rng.next() * 500));
      disk = rng.next() < 0.5 ? disk.afterPowerLoss(rng) : disk.afterKill('', 0);
      const fixture = new KeptFixture(disk.afterKill('', 0), ignore, UNLIMITED);
      if (states.length === 0) continue;
      const storedCall = states.lastIndexOf(fixture.text);
      expect(storedCall, `process ${processIndex}: ${answeredCall} calls were answered`).toBeGreaterThanOrEqual(answeredCall);
      firstOrderId ??= /1322\d{15}/.exec(states[answeredCall]!)?.[0] ?? null;
    }
    runProcess(disk, seed, RUNS * CALLS, Infinity);
    disk = disk.afterKill('', 0);
    expect(namesOf(disk, '.past').length).toBeGreaterThan(1);
    // No compacted file is left.
    const newestArchived = Math.max(...namesOf(disk, '.past').map((name) => Number(name.slice(-11, -5))));
    expect(namesOf(disk, '.rows').every((name) => Number(name.slice(9, 15)) > newestArchived)).toBe(true);
    const restarted = new KeptFixture(disk, ignore, UNLIMITED);
    const owner = ['alice', 'bob'].find((as) => restarted.query(firstOrderId!, as)['orderId'] !== undefined);
    expect(owner, `order ${firstOrderId} is found by one of them`).toBeDefined();
  });

  it('files stay when their archive file cannot be written, and the next start removes that archive file', () => {
    const disk = new SimulatedDisk();
    const fixture = new KeptFixture(disk, disk.soon, UNLIMITED);
    for (let call = 0; call < CALLS && namesOf(disk, '.past').length === 0; call++) {
      act(fixture, 1, call);
      fixture.journal.whenLasting(ignore);
      const create = disk.create.bind(disk);
      disk.create = (path) => {
        create(path);
        if (path.endsWith('.past')) disk.syncFailures.push('EIO');
      };
      disk.run();
      disk.create = create;
    }
    expect(namesOf(disk, '.past')).toHaveLength(1);
    expect(namesOf(disk, '.rows')[0]).toBe('exchange-000001.rows');
    fixture.limit('alice', 'BUY', '0.1', '1000');
    fixture.journal.whenLasting((lasts) => expect(lasts).toBe(true));
    disk.run();
    expect(fixture.failure).toBeNull();
    const restartedDisk = disk.afterKill('', 0);
    expect(new KeptFixture(restartedDisk, ignore, UNLIMITED).text).toBe(fixture.text);
    expect(namesOf(restartedDisk, '.past')).toEqual([]);
  });

  it('compacted files are not needed, but an archive file that is missing, cut or changed is rejected', () => {
    const disk = compactedDisk();
    const [name] = namesOf(disk, '.past');
    const path = `${FOLDER}/${name}`;
    const bytes = Buffer.from(disk.read(path));
    expect(() => new KeptFixture(disk.afterKill('', 0), ignore, UNLIMITED)).not.toThrow();
    for (const cut of [1, 100, bytes.length])
      expect(() => new KeptFixture(disk.afterKill(path, cut), ignore, UNLIMITED)).toThrow(ConfigError);
    const rng = seededRng(7);
    for (let flip = 0; flip < 200; flip++) {
      const damagedDisk = disk.afterKill('', 0);
      const copy = Uint8Array.from(bytes);
      copy[Math.floor(rng.next() * copy.length)]! ^= 1 << Math.floor(rng.next() * 8);
      damagedDisk.overwrite(path, copy);
      expect(() => new KeptFixture(damagedDisk, ignore, UNLIMITED)).toThrow(ConfigError);
    }
    const withoutArchive = disk.afterKill('', 0);
    withoutArchive.remove(path);
    expect(() => new KeptFixture(withoutArchive, ignore, UNLIMITED)).toThrow(/expected exchange-000001\.rows before it, got none/);
    const withoutRows = disk.afterKill('', 0);
    for (const rowFile of namesOf(withoutRows, '.rows')) withoutRows.remove(`${FOLDER}/${rowFile}`);
    expect(() => new KeptFixture(withoutRows, ignore, UNLIMITED)).toThrow(/expected this file after the archive, got none/);
  });

  it('compacted files that reappear after a power loss are removed again', () => {
    const disk = compactedDisk();
    const textBefore = new KeptFixture(disk.afterKill('', 0), ignore, UNLIMITED).text;
    disk.overwrite(`${FOLDER}/exchange-000002.rows`, Buffer.from('anything'));
    expect(new KeptFixture(disk, ignore, UNLIMITED).text).toBe(textBefore);
    expect(namesOf(disk, '.rows')).not.toContain('exchange-000002.rows');
  });
});
