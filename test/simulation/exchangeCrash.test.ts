// Tests a paper exchange on a disk that crashes at every operation, loses or flips bytes, or fails: every answered call is stored whole.

import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/base/errors.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import { act, FOLDER, KeptFixture, live, POOR, WILD } from '../fixtures/keptFixture.ts';
import { SimulatedDisk } from '../fixtures/simulatedDisk.ts';

const SEED = 20_260_105;
const CALLS = 28;
const never = (): void => {};

const completeDisk = new SimulatedDisk();
const stateAfterCall: string[] = [];
const reportedOfComplete: number[] = [];
live(completeDisk, SEED, CALLS, reportedOfComplete, stateAfterCall);
const files = (disk: SimulatedDisk): readonly string[] => disk.list(FOLDER).map((name) => `${FOLDER}/${name}`);

/** Expects the state after some call that is not before the last answered one. */
function expectReported(disk: SimulatedDisk, reported: readonly number[], why: string): void {
  let found = '';
  try {
    found = new KeptFixture(disk, never).text;
  } catch (error) {
    throw new Error(`${why}: ${String(error)}`, { cause: error });
  }
  const at = stateAfterCall.lastIndexOf(found);
  if (at >= (reported.at(-1) ?? 0)) return;
  expect(found, `${why}: as after call ${at}, ${reported.at(-1)} were answered`).toBe(stateAfterCall[reported.at(-1) ?? 0]);
}

describe('a process without a crash', () => {
  it('answers every call, fills several files, and continues as it was', () => {
    expect(reportedOfComplete).toHaveLength(CALLS);
    expect(files(completeDisk).length).toBeGreaterThan(3);
    expect(new KeptFixture(completeDisk.afterKill('', 0), never).text).toBe(stateAfterCall.at(-1));
  });

  it('never gives an id twice', () => {
    const ids = (text: string): bigint[] => [...text.matchAll(/\d{19}/g)].map(([id]) => BigInt(id));
    const fixture = new KeptFixture(completeDisk.afterKill('', 0), never);
    const given = new Set(ids(stateAfterCall.join()));
    expect(given.has(BigInt(fixture.limit('alice', 'BUY', '0.1', '1')))).toBe(false);
    expect(given.has(BigInt(fixture.order('alice', 'BUY', 1, 1)))).toBe(false);
  });
});

describe('a wild market', () => {
  let liquidations = 0;

  it.each([1, 2, 3])('continues in the same state from every point at which it is stopped (seed %i)', (seed) => {
    const poor = { accounts: POOR };
    const disk = new SimulatedDisk();
    const fixture = new KeptFixture(disk, disk.soon, poor);
    for (let at = 0; at < 240; at++) {
      act(fixture, seed, at, WILD);
      if (at % 8 !== 0) continue;
      fixture.journal.whenLasting(never);
      disk.run();
      expect(new KeptFixture(disk.afterPowerLoss({ next: () => 0 }), never, poor).text, `after call ${at}`).toBe(fixture.text);
    }
    const asked = { contractName: 'E-BTC-USDT', limit: 1000 };
    const orders = ['alice', 'bob'].flatMap((as) => fixture.rows('/fapi/v1/orderHistorical', asked, as));
    liquidations += orders.filter(({ type }) => type === 6).length;
  });

  it('has liquidated an account', () => expect(liquidations).toBeGreaterThan(0));
});

describe('a crash at every operation', () => {
  const { operations } = completeDisk;

  it(`loses no answered call (${operations} points x 3 outcomes, seed ${SEED})`, () => {
    const rng = seededRng(SEED);
    for (let crashAt = 0; crashAt <= operations; crashAt++) {
      const disk = new SimulatedDisk();
      disk.crashAt = crashAt;
      const reported: number[] = [];
      live(disk, SEED, CALLS, reported);
      for (let outcome = 0; outcome < 3; outcome++)
        expectReported(disk.afterPowerLoss(rng), reported, `operation ${crashAt}, outcome ${outcome}`);
    }
  });

  it('loses no answered call when the newest write is cut at any byte', () => {
    const path = files(completeDisk).at(-1)!;
    const bytes = completeDisk.read(path);
    const lastFrom = Buffer.from(bytes).lastIndexOf('\n["seal"', bytes.length - 2);
    const from = lastFrom < 0 ? 0 : Buffer.from(bytes).indexOf('\n', lastFrom + 1) + 1;
    for (let cut = 1; cut <= bytes.length - from; cut += 7) expectReported(completeDisk.afterKill(path, cut), [], `cut ${cut}`);
  });
});

describe('damage', () => {
  it('of a single bit is refused', () => {
    const rng = seededRng(SEED + 2);
    for (const path of files(completeDisk)) {
      const { length } = completeDisk.read(path);
      for (let time = 0; time < 60; time++) {
        const at = Math.floor(rng.next() * length);
        expectRefused(path, at, 1 << Math.floor(rng.next() * 8));
      }
      for (let back = 1; back <= 50; back++) expectRefused(path, length - back, 1);
    }
  });

  function expectRefused(path: string, at: number, mask: number): void {
    const disk = completeDisk.afterKill('', 0);
    const bytes = Uint8Array.from(disk.read(path));
    bytes[at]! ^= mask;
    // An unfinished write leaves zeros, so a zero is not damage.
    if (bytes[at] === 0) return;
    disk.overwrite(path, bytes);
    expect(() => new KeptFixture(disk, never), `${path}, byte ${at}, bits ${mask}`).toThrow(ConfigError);
  }

  it('is refused when a file before the last one is missing or cut', () => {
    const [first, second] = files(completeDisk);
    for (const path of [first!, second!]) {
      const missing = completeDisk.afterKill('', 0);
      missing.remove(path);
      expect(() => new KeptFixture(missing, never), path).toThrow(/got none/);
      const cut = completeDisk.afterKill(path, 100);
      expect(() => new KeptFixture(cut, never), path).toThrow(/follows on|got something else/);
    }
  });
});

describe('a disk that fails', () => {
  it.each(['ENOSPC', 'EIO'])('with %s answers no call of the failed write', (code) => {
    const disk = new SimulatedDisk();
    const fixture = new KeptFixture(disk, disk.soon);
    fixture.limit('alice', 'BUY', '0.1', '1000');
    const reported: boolean[] = [];
    fixture.journal.whenLasting((lasts) => reported.push(lasts));
    disk.run();
    fixture.limit('alice', 'BUY', '0.2', '1000');
    fixture.journal.whenLasting((lasts) => reported.push(lasts));
    if (code === 'EIO') disk.syncFailures.push(code);
    else disk.capacityBytes = 0;
    disk.run();
    expect(reported).toEqual([true, false]);
    expect(fixture.failure).toMatch(code);
    expect(new KeptFixture(disk.afterPowerLoss({ next: () => 0 }), never).balance('alice', 'USDT').locked).toMatch(/^100\b/);
  });
});
