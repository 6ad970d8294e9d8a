// Tests the paper exchange on a failing disk. Whatever the disk does, every answered call is stored completely.

import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/base/errors.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import { sendRandomCall, FOLDER, KeptFixture, runScript, POOR, WILD } from '../fixtures/keptFixture.ts';
import { SimulatedDisk } from '../fixtures/simulatedDisk.ts';

const SEED = 20_260_105;
/** Number of random calls of one process. */
const CALL_COUNT = 28;

/** For callbacks that must not run or whose call does not matter. */
const ignore = (): void => {};

/** The disk of a process that made all calls without a crash. */
const completeDisk = new SimulatedDisk();
/** Numbers of the calls that this process answered. */
const callsAnsweredWithoutCrash: number[] = [];
/** State of its exchange after each call, as text. */
const stateAfterCall: string[] = [];
runScript(completeDisk, SEED, CALL_COUNT, callsAnsweredWithoutCrash, stateAfterCall);
/** Returns the paths of the files of the store. */
const filesOf = (disk: SimulatedDisk): readonly string[] => disk.list(FOLDER).map((name) => `${FOLDER}/${name}`);

/** Fails unless the disk has the state after one of the calls, with all answered calls in it. */
function expectAnsweredCalls(disk: SimulatedDisk, answeredCalls: readonly number[], where: string): void {
  const lastAnsweredCall = answeredCalls.at(-1) ?? 0;
  let storedState = '';
  try {
    storedState = new KeptFixture(disk, ignore).allReplies;
  } catch (error) {
    throw new Error(`${where}: ${String(error)}`, { cause: error });
  }
  const lastStoredCall = stateAfterCall.lastIndexOf(storedState);
  if (lastStoredCall >= lastAnsweredCall) return;
  const message = `${where}: as after call ${lastStoredCall}, ${lastAnsweredCall} were answered`;
  expect(storedState, message).toBe(stateAfterCall[lastAnsweredCall]);
}

describe('a process without a crash', () => {
  it('an exchange without a crash answers every call, fills several files, and continues in the same state', () => {
    expect(callsAnsweredWithoutCrash).toHaveLength(CALL_COUNT);
    expect(filesOf(completeDisk).length).toBeGreaterThan(3);
    expect(new KeptFixture(completeDisk.afterKill('', 0), ignore).allReplies).toBe(stateAfterCall.at(-1));
  });

  it('an exchange that was restarted assigns no id a second time', () => {
    const idsIn = (text: string): bigint[] => [...text.matchAll(/\d{19}/g)].map(([id]) => BigInt(id));
    const fixture = new KeptFixture(completeDisk.afterKill('', 0), ignore);
    const usedIds = new Set(idsIn(stateAfterCall.join()));
    expect(usedIds.has(BigInt(fixture.placeLimit('alice', 'BUY', '0.1', '1')))).toBe(false);
    expect(usedIds.has(BigInt(fixture.placeOrder('alice', 'BUY', 1, 1)))).toBe(false);
  });
});

describe('a wild market', () => {
  /** `type` of a liquidation order in the list of orders. */
  const LIQUIDATION_TYPE = 6;
  let liquidations = 0;

  it.each([1, 2, 3])('an exchange with a wild market continues in the same state wherever it is stopped (seed %i)', (seed) => {
    const poor = { accounts: POOR };
    const disk = new SimulatedDisk();
    const fixture = new KeptFixture(disk, disk.soon, poor);
    for (let call = 0; call < 240; call++) {
      sendRandomCall(fixture, seed, call, WILD);
      // A restart after every eighth call keeps the test short.
      if (call % 8 !== 0) continue;
      fixture.storeWriter.whenDurable(ignore);
      disk.run();
      const restarted = new KeptFixture(disk.afterPowerLoss({ next: () => 0 }), ignore, poor);
      expect(restarted.allReplies, `after call ${call}`).toBe(fixture.allReplies);
    }
    const query = { contractName: 'E-BTC-USDT', limit: 1000 };
    const orders = ['alice', 'bob'].flatMap((as) => fixture.listRows('/fapi/v1/orderHistorical', query, as));
    liquidations += orders.filter(({ type }) => type === LIQUIDATION_TYPE).length;
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
      const answeredCalls: number[] = [];
      runScript(disk, SEED, CALL_COUNT, answeredCalls);
      for (let outcome = 0; outcome < 3; outcome++)
        expectAnsweredCalls(disk.afterPowerLoss(rng), answeredCalls, `operation ${crashAt}, outcome ${outcome}`);
    }
  });

  it('a newest write that is cut at any byte loses no earlier call', () => {
    const path = filesOf(completeDisk).at(-1)!;
    const bytes = completeDisk.read(path);
    const previousSeal = Buffer.from(bytes).lastIndexOf('\n["seal"', bytes.length - 2);
    const lastWriteStart = previousSeal < 0 ? 0 : Buffer.from(bytes).indexOf('\n', previousSeal + 1) + 1;
    // Every seventh byte, to keep the test short.
    for (let cutBytes = 1; cutBytes <= bytes.length - lastWriteStart; cutBytes += 7)
      expectAnsweredCalls(completeDisk.afterKill(path, cutBytes), [], `cut ${cutBytes}`);
  });
});

describe('damage', () => {
  it('a single flipped bit is rejected', () => {
    const rng = seededRng(SEED + 2);
    for (const path of filesOf(completeDisk)) {
      const { length } = completeDisk.read(path);
      for (let flip = 0; flip < 60; flip++) {
        const byteIndex = Math.floor(rng.next() * length);
        const bitMask = 1 << Math.floor(rng.next() * 8);
        expectRejected(path, byteIndex, bitMask);
      }
      // The last 50 bytes hold the seal of the last write.
      for (let bytesFromEnd = 1; bytesFromEnd <= 50; bytesFromEnd++) expectRejected(path, length - bytesFromEnd, 1);
    }
  });

  /** Flips the bits of `bitMask` in one byte of a file, and expects that the store is rejected. */
  function expectRejected(path: string, byteIndex: number, bitMask: number): void {
    const disk = completeDisk.afterKill('', 0);
    const bytes = Uint8Array.from(disk.read(path));
    bytes[byteIndex]! ^= bitMask;
    // An unfinished write leaves zeros, so a zero is not damage.
    if (bytes[byteIndex] === 0) return;
    disk.overwrite(path, bytes);
    expect(() => new KeptFixture(disk, ignore), `${path}, byte ${byteIndex}, bits ${bitMask}`).toThrow(ConfigError);
  }

  it('a store whose earlier file is missing or cut is rejected', () => {
    const [first, second] = filesOf(completeDisk);
    for (const path of [first!, second!]) {
      const withoutFile = completeDisk.afterKill('', 0);
      withoutFile.remove(path);
      expect(() => new KeptFixture(withoutFile, ignore), path).toThrow(/got none/);
      const withCutFile = completeDisk.afterKill(path, 100);
      expect(() => new KeptFixture(withCutFile, ignore), path).toThrow(/follows on|got something else/);
    }
  });
});

describe('a disk that fails', () => {
  it.each(['ENOSPC', 'EIO'])('an exchange whose disk fails with %s answers no call of the failed write', (code) => {
    const disk = new SimulatedDisk();
    const fixture = new KeptFixture(disk, disk.soon);
    fixture.placeLimit('alice', 'BUY', '0.1', '1000');
    const isCallDurable: boolean[] = [];
    fixture.storeWriter.whenDurable((isDurable) => isCallDurable.push(isDurable));
    disk.run();
    fixture.placeLimit('alice', 'BUY', '0.2', '1000');
    fixture.storeWriter.whenDurable((isDurable) => isCallDurable.push(isDurable));
    if (code === 'EIO') disk.syncFailures.push(code);
    else disk.capacityBytes = 0;
    disk.run();
    expect(isCallDurable).toEqual([true, false]);
    expect(fixture.failure).toMatch(code);
    expect(new KeptFixture(disk.afterPowerLoss({ next: () => 0 }), ignore).balance('alice', 'USDT').locked).toMatch(/^100\b/);
  });
});
