// Tests the paper exchange on a failing disk. Whatever the disk does, every answered call is stored completely.

import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/base/errors.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import { sendRandomCall, FOLDER, KeptFixture, runScript, POOR, WILD } from '../fixtures/keptFixture.ts';
import { SimulatedDisk } from '../fixtures/simulatedDisk.ts';

const SEED = 20_260_105;
const CALLS = 28;
const ignore = (): void => {};

const completeDisk = new SimulatedDisk();
const stateAfterCall: string[] = [];
const reportedOfComplete: number[] = [];
runScript(completeDisk, SEED, CALLS, reportedOfComplete, stateAfterCall);
const filesOf = (disk: SimulatedDisk): readonly string[] => disk.list(FOLDER).map((name) => `${FOLDER}/${name}`);

/** Expects the disk to hold the state after one of the calls, and at least all answered calls. */
function expectAnsweredCalls(disk: SimulatedDisk, reported: readonly number[], why: string): void {
  let storedState = '';
  try {
    storedState = new KeptFixture(disk, ignore).text;
  } catch (error) {
    throw new Error(`${why}: ${String(error)}`, { cause: error });
  }
  const lastStoredCall = stateAfterCall.lastIndexOf(storedState);
  if (lastStoredCall >= (reported.at(-1) ?? 0)) return;
  expect(storedState, `${why}: as after call ${lastStoredCall}, ${reported.at(-1)} were answered`).toBe(
    stateAfterCall[reported.at(-1) ?? 0],
  );
}

describe('a process without a crash', () => {
  it('an exchange without a crash answers every call, fills several files, and continues in the same state', () => {
    expect(reportedOfComplete).toHaveLength(CALLS);
    expect(filesOf(completeDisk).length).toBeGreaterThan(3);
    expect(new KeptFixture(completeDisk.afterKill('', 0), ignore).text).toBe(stateAfterCall.at(-1));
  });

  it('an exchange that was restarted assigns no id a second time', () => {
    const ids = (text: string): bigint[] => [...text.matchAll(/\d{19}/g)].map(([id]) => BigInt(id));
    const fixture = new KeptFixture(completeDisk.afterKill('', 0), ignore);
    const usedIds = new Set(ids(stateAfterCall.join()));
    expect(usedIds.has(BigInt(fixture.limit('alice', 'BUY', '0.1', '1')))).toBe(false);
    expect(usedIds.has(BigInt(fixture.order('alice', 'BUY', 1, 1)))).toBe(false);
  });
});

describe('a wild market', () => {
  let liquidations = 0;

  it.each([1, 2, 3])('an exchange with a wild market continues in the same state wherever it is stopped (seed %i)', (seed) => {
    const poor = { accounts: POOR };
    const disk = new SimulatedDisk();
    const fixture = new KeptFixture(disk, disk.soon, poor);
    for (let index = 0; index < 240; index++) {
      sendRandomCall(fixture, seed, index, WILD);
      if (index % 8 !== 0) continue;
      fixture.journal.whenDurable(ignore);
      disk.run();
      expect(new KeptFixture(disk.afterPowerLoss({ next: () => 0 }), ignore, poor).text, `after call ${index}`).toBe(fixture.text);
    }
    const query = { contractName: 'E-BTC-USDT', limit: 1000 };
    const orders = ['alice', 'bob'].flatMap((as) => fixture.rows('/fapi/v1/orderHistorical', query, as));
    liquidations += orders.filter(({ type }) => type === 6).length;
  });

  it('the wild market has liquidated an account', () => expect(liquidations).toBeGreaterThan(0));
});

describe('a crash at every operation', () => {
  const { operations } = completeDisk;

  it(`a crash at every operation loses no answered call (${operations} points x 3 outcomes, seed ${SEED})`, () => {
    const rng = seededRng(SEED);
    for (let crashAt = 0; crashAt <= operations; crashAt++) {
      const disk = new SimulatedDisk();
      disk.crashAt = crashAt;
      const reported: number[] = [];
      runScript(disk, SEED, CALLS, reported);
      for (let outcome = 0; outcome < 3; outcome++)
        expectAnsweredCalls(disk.afterPowerLoss(rng), reported, `operation ${crashAt}, outcome ${outcome}`);
    }
  });

  it('a newest write that is cut at any byte loses no earlier call', () => {
    const path = filesOf(completeDisk).at(-1)!;
    const bytes = completeDisk.read(path);
    const previousSeal = Buffer.from(bytes).lastIndexOf('\n["seal"', bytes.length - 2);
    const lastWriteStart = previousSeal < 0 ? 0 : Buffer.from(bytes).indexOf('\n', previousSeal + 1) + 1;
    for (let cut = 1; cut <= bytes.length - lastWriteStart; cut += 7)
      expectAnsweredCalls(completeDisk.afterKill(path, cut), [], `cut ${cut}`);
  });
});

describe('damage', () => {
  it('a single flipped bit is rejected', () => {
    const rng = seededRng(SEED + 2);
    for (const path of filesOf(completeDisk)) {
      const { length } = completeDisk.read(path);
      for (let time = 0; time < 60; time++) {
        const index = Math.floor(rng.next() * length);
        expectRejected(path, index, 1 << Math.floor(rng.next() * 8));
      }
      for (let back = 1; back <= 50; back++) expectRejected(path, length - back, 1);
    }
  });

  /** Flips the bits of `mask` in one byte of a file, and expects that the store is rejected. */
  function expectRejected(path: string, index: number, mask: number): void {
    const disk = completeDisk.afterKill('', 0);
    const bytes = Uint8Array.from(disk.read(path));
    bytes[index]! ^= mask;
    // An unfinished write leaves zeros, so a zero is not damage.
    if (bytes[index] === 0) return;
    disk.overwrite(path, bytes);
    expect(() => new KeptFixture(disk, ignore), `${path}, byte ${index}, bits ${mask}`).toThrow(ConfigError);
  }

  it('a store whose earlier file is missing or cut is rejected', () => {
    const [first, second] = filesOf(completeDisk);
    for (const path of [first!, second!]) {
      const missing = completeDisk.afterKill('', 0);
      missing.remove(path);
      expect(() => new KeptFixture(missing, ignore), path).toThrow(/got none/);
      const cut = completeDisk.afterKill(path, 100);
      expect(() => new KeptFixture(cut, ignore), path).toThrow(/follows on|got something else/);
    }
  });
});

describe('a disk that fails', () => {
  it.each(['ENOSPC', 'EIO'])('an exchange whose disk fails with %s answers no call of the failed write', (code) => {
    const disk = new SimulatedDisk();
    const fixture = new KeptFixture(disk, disk.soon);
    fixture.limit('alice', 'BUY', '0.1', '1000');
    const reported: boolean[] = [];
    fixture.journal.whenDurable((lasts) => reported.push(lasts));
    disk.run();
    fixture.limit('alice', 'BUY', '0.2', '1000');
    fixture.journal.whenDurable((lasts) => reported.push(lasts));
    if (code === 'EIO') disk.syncFailures.push(code);
    else disk.capacityBytes = 0;
    disk.run();
    expect(reported).toEqual([true, false]);
    expect(fixture.failure).toMatch(code);
    expect(new KeptFixture(disk.afterPowerLoss({ next: () => 0 }), ignore).balance('alice', 'USDT').locked).toMatch(/^100\b/);
  });
});
