// The lock of a journal: whatever the order in which processes start, look and die, never do two have it.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SimulatedDisk } from '../../../test/fixtures/simulatedDisk.ts';
import { lockHolder, takeLock, type LockHolder, type Processes } from './lock.ts';

const FOLDER = 'journal';
const holder = (pid: number, changes: Partial<LockHolder> = {}): LockHolder => ({
  pid,
  started: String(pid * 7),
  namespace: '4026531836',
  boot: '5f0c2a',
  host: 'trader-1.example',
  ...changes,
});
/** `dead`: numbers of processes that are gone; of any other nobody says so. */
const processes = (pid: number, dead: readonly number[] = [], other: 'running' | 'unknown' = 'running'): Processes => ({
  self: holder(pid),
  lookFor: ({ pid: theirs }) => (dead.includes(theirs) ? 'gone' : other),
});

describe('takeLock', () => {
  it('refuses a second one, names the first, and leaves it as it was', () => {
    const disk = new SimulatedDisk();
    const release = takeLock(disk, FOLDER, processes(1));
    expect(() => takeLock(disk, FOLDER, processes(2))).toThrow(/process 1 trades on this account/);
    expect(() => takeLock(disk, FOLDER, processes(1))).toThrow(/this process has the journal already/);
    expect(disk.list(FOLDER)).toHaveLength(1);
    release();
    takeLock(disk, FOLDER, processes(2))();
    expect(disk.list(FOLDER)).toEqual([]);
  });

  it('takes the place of dead ones, and clears up after them', () => {
    const disk = new SimulatedDisk();
    for (const pid of [1, 2]) disk.create(`${FOLDER}/lock-${pid}-1-1-a-h`);
    disk.create(`${FOLDER}/journal-000001.jsonl`);
    takeLock(disk, FOLDER, processes(3, [1, 2]));
    expect(disk.list(FOLDER)).toEqual(['journal-000001.jsonl', 'lock-3-21-4026531836-5f0c2a-trader-1.example']);
    expect(lockHolder(disk, FOLDER, processes(4))).toEqual(holder(3));
    expect(lockHolder(disk, FOLDER, processes(4, [3]))).toBeNull();
  });

  it('refuses where nobody can tell, and says what to do', () => {
    const disk = new SimulatedDisk();
    takeLock(disk, FOLDER, { self: holder(1, { host: 'other/../host ü' }), lookFor: () => 'gone' });
    expect(disk.list(FOLDER)).toHaveLength(1);
    expect(() => takeLock(disk, FOLDER, processes(2, [], 'unknown'))).toThrow(/process 1 on other\/\.\.\/host ü may trade on this account/);
  });

  it('is had by one at most, in every interleaving of three starters, one of which may die', () => {
    let had = 0;
    const order = fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 4, maxLength: 24 });
    fc.assert(
      fc.property(order, fc.option(fc.integer({ min: 0, max: 2 })), (turns, mortal) => {
        const disk = new SimulatedDisk();
        disk.create(`${FOLDER}/lock-99-1-1-a-h`);
        const dead = [99];
        const starters = [0, 1, 2].map((pid) => starter(disk, pid, dead));
        for (const turn of turns) {
          if (turn === mortal && starters[turn]!.steps() >= 2) dead.push(turn);
          else if (!dead.includes(turn)) starters[turn]!.go();
        }
        const owners = starters.filter(({ has }, pid) => has() && !dead.includes(pid)).length;
        expect(owners).toBeLessThanOrEqual(1);
        had += owners;
      }),
      { seed: 5, numRuns: 3000 },
    );
    // It is no lock that keeps everybody out.
    expect(had).toBeGreaterThan(300);
  });
});

/** A starter that takes one step of takeLock a turn: each time it is run anew, over what it did and saw before, and one step further. */
function starter(disk: SimulatedDisk, pid: number, dead: readonly number[]) {
  const seen: (() => unknown)[] = [];
  let outcome: 'starting' | 'has' | 'refused' = 'starting';
  const go = (): void => {
    if (outcome !== 'starting') return;
    let at = 0;
    const known = seen.length;
    const step = <T>(act: () => T): T => {
      if (at > known) throw new OutOfTurn('later');
      if (at === known) seen.push(outcomeOf(act));
      return seen[at++]!() as T;
    };
    const slow = {
      list: (folder: string) => step(() => disk.list(folder)),
      create: (path: string) => step(() => disk.create(path)),
      remove: (path: string) => step(() => disk.remove(path)),
    };
    const lookFor: Processes['lookFor'] = (other) => step(() => (dead.includes(other.pid) ? 'gone' : 'running'));
    try {
      takeLock(slow, FOLDER, { self: holder(pid), lookFor });
      outcome = 'has';
    } catch (error) {
      if (!(error instanceof OutOfTurn)) outcome = 'refused';
    }
  };
  return { go, has: () => outcome === 'has', steps: () => seen.length };
}

class OutOfTurn extends Error {}

/** Does it, and says again and again what came of it. */
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
