// Tests the compaction of the paper exchange's store: over several processes that end by a crash no reported change is lost.

import { describe, expect, it } from 'vitest';
import { seededRng } from '../../src/base/number/rng.ts';
import { ConfigError } from '../../src/base/errors.ts';
import { endpointOf, OPS } from '../../src/protocol/endpoints/endpoints.ts';
import { sendRandomCall, FOLDER, KeptFixture } from '../fixtures/keptFixture.ts';
import { SimulatedDisk } from '../fixtures/simulatedDisk.ts';

/** For callbacks that must not run or whose call does not matter. */
const ignore = (): void => {};
/** The tests read too much after each call for the usual rate limits. */
const UNLIMITED = { limits: Object.fromEntries(OPS.map((op) => [endpointOf(op).limit.rateClass, null])) };
/** An id of a spot order. */
const ORDER_ID = /1322\d{15}/;
/** Number of calls of each process. */
const CALLS = 40;
/** Number of processes that crash one after the other. */
const RUN_COUNT = 5;
/** A crash is due at one of the first operations of the disk. A process of 40 calls needs more than this many. */
const MAX_CRASH_OPERATION = 500;

/** Returns what is on the disk after the process was killed: all that it has written, also without a sync. */
const afterKill = (disk: SimulatedDisk): SimulatedDisk => disk.afterKill('', 0);
/** Starts an exchange on a disk on which no write ever completes, so that it only reads its store. */
const startExchange = (disk: SimulatedDisk): KeptFixture => new KeptFixture(disk, ignore, UNLIMITED);
/** Returns the number in the name of an archive file, such as `exchange-000003.past`. */
const numberOfArchive = (name: string): number => Number(name.slice(-11, -5));
/** Returns the number in the name of a file of rows, such as `exchange-000004.rows`. */
const numberOfRowFile = (name: string): number => Number(name.slice(9, 15));

/** What one process did. */
interface CallLog {
  /** The state of the exchange as text: at the start, and after each call. Empty if the process crashed at its start. */
  readonly states: readonly string[];
  /** Number of the last call whose answer was durable, from 1; 0: none. */
  readonly answeredCall: number;
}

/** Runs a process of at most CALLS calls. It crashes at operation `crashAt` of the disk. */
function runProcess(disk: SimulatedDisk, seed: number, firstCall: number, crashAt: number): CallLog {
  const states: string[] = [];
  let answeredCall = 0;
  disk.crashAt = crashAt;
  disk.soon(() => {
    const fixture = new KeptFixture(disk, disk.soon, UNLIMITED);
    states.push(fixture.allReplies);
    const callAndContinue = (): void => {
      const call = states.length;
      if (call > CALLS) return;
      sendRandomCall(fixture, seed, firstCall + call);
      states.push(fixture.allReplies);
      fixture.storeWriter.whenDurable((isDurable) => {
        if (isDurable) answeredCall = call;
      });
      disk.soon(callAndContinue);
    };
    callAndContinue();
  });
  disk.run();
  return { states, answeredCall };
}

/** Returns the names of the files of the store with this ending, in ascending order. */
const namesOf = (disk: SimulatedDisk, ending: string): readonly string[] => disk.list(FOLDER).filter((name) => name.endsWith(ending));

/** Returns a disk with an exchange whose first files have been compacted. */
function compactedDisk(): SimulatedDisk {
  const disk = new SimulatedDisk();
  runProcess(disk, 1, 0, Infinity);
  expect(namesOf(disk, '.past').length).toBeGreaterThan(0);
  return afterKill(disk);
}

describe('compacted files', () => {
  it.each([1, 2])(`compacted files are removed over ${RUN_COUNT} crashed processes, and no reported change is lost (seed %i)`, (seed) => {
    const rng = seededRng(seed);
    let disk = new SimulatedDisk();
    let firstOrderId: string | null = null;
    for (let processIndex = 0; processIndex < RUN_COUNT; processIndex++) {
      const { states, answeredCall } = runProcess(disk, seed, processIndex * CALLS, Math.floor(rng.next() * MAX_CRASH_OPERATION));
      disk = rng.next() < 0.5 ? disk.afterPowerLoss(rng) : afterKill(disk);
      const restarted = startExchange(afterKill(disk));
      if (states.length === 0) continue;
      const storedCall = states.lastIndexOf(restarted.allReplies);
      expect(storedCall, `process ${processIndex}: ${answeredCall} calls were answered`).toBeGreaterThanOrEqual(answeredCall);
      firstOrderId ??= ORDER_ID.exec(states[answeredCall]!)?.[0] ?? null;
    }
    runProcess(disk, seed, RUN_COUNT * CALLS, Infinity);
    disk = afterKill(disk);
    expect(namesOf(disk, '.past').length).toBeGreaterThan(1);
    // No compacted file is left: each remaining one is newer than all of the archive.
    const newestArchived = Math.max(...namesOf(disk, '.past').map(numberOfArchive));
    expect(namesOf(disk, '.rows').every((name) => numberOfRowFile(name) > newestArchived)).toBe(true);
    const restarted = startExchange(disk);
    const owner = ['alice', 'bob'].find((as) => restarted.queryOrder(firstOrderId!, as)['orderId'] !== undefined);
    expect(owner, `order ${firstOrderId} of the first process is found by its account`).toBeDefined();
  });

  it('files stay when their archive file cannot be written, and the next start removes that archive file', () => {
    const disk = new SimulatedDisk();
    const fixture = new KeptFixture(disk, disk.soon, UNLIMITED);
    const create = disk.create.bind(disk);
    // The sync of each archive file fails.
    disk.create = (path) => {
      create(path);
      if (path.endsWith('.past')) disk.syncFailures.push('EIO');
    };
    for (let call = 0; call < CALLS && namesOf(disk, '.past').length === 0; call++) {
      sendRandomCall(fixture, 1, call);
      fixture.storeWriter.whenDurable(ignore);
      disk.run();
    }
    disk.create = create;
    expect(namesOf(disk, '.past')).toHaveLength(1);
    expect(namesOf(disk, '.rows')[0]).toBe('exchange-000001.rows');
    fixture.placeLimit('alice', 'BUY', '0.1', '1000');
    fixture.storeWriter.whenDurable((isDurable) => expect(isDurable).toBe(true));
    disk.run();
    expect(fixture.failure).toBeNull();
    const restartedDisk = afterKill(disk);
    expect(startExchange(restartedDisk).allReplies).toBe(fixture.allReplies);
    expect(namesOf(restartedDisk, '.past')).toEqual([]);
  });

  it('compacted files are not needed, but an archive file that is missing, cut or changed is rejected', () => {
    const disk = compactedDisk();
    const [name] = namesOf(disk, '.past');
    const path = `${FOLDER}/${name}`;
    const bytes = Buffer.from(disk.read(path));
    expect(() => startExchange(afterKill(disk))).not.toThrow();
    for (const cutBytes of [1, 100, bytes.length]) expect(() => startExchange(disk.afterKill(path, cutBytes))).toThrow(ConfigError);
    const rng = seededRng(7);
    for (let flip = 0; flip < 200; flip++) {
      const damagedDisk = afterKill(disk);
      const damagedBytes = Uint8Array.from(bytes);
      const byteIndex = Math.floor(rng.next() * damagedBytes.length);
      const bitMask = 1 << Math.floor(rng.next() * 8);
      damagedBytes[byteIndex]! ^= bitMask;
      damagedDisk.overwrite(path, damagedBytes);
      expect(() => startExchange(damagedDisk)).toThrow(ConfigError);
    }
    const withoutArchive = afterKill(disk);
    withoutArchive.remove(path);
    expect(() => startExchange(withoutArchive)).toThrow(/expected exchange-000001\.rows before it, got none/);
    const withoutRows = afterKill(disk);
    for (const rowFile of namesOf(withoutRows, '.rows')) withoutRows.remove(`${FOLDER}/${rowFile}`);
    expect(() => startExchange(withoutRows)).toThrow(/expected this file after the archive, got none/);
  });

  it('compacted files that reappear after a power loss are removed again', () => {
    const disk = compactedDisk();
    const textBefore = startExchange(afterKill(disk)).allReplies;
    disk.overwrite(`${FOLDER}/exchange-000002.rows`, Buffer.from('anything'));
    expect(startExchange(disk).allReplies).toBe(textBefore);
    expect(namesOf(disk, '.rows')).not.toContain('exchange-000002.rows');
  });
});
