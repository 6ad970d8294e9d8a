// Tests a journal on a disk that crashes at every operation, loses or flips bytes, fills up or fails to sync.

import { describe, expect, it } from 'vitest';
import { restartOf } from '../../src/adapters/journal/records/journalState.ts';
import { lineOf } from '../../src/adapters/journal/file/journalLine.ts';
import { readJournal } from '../../src/adapters/journal/file/readJournal.ts';
import { RECORD_KINDS, type JournalRecord } from '../../src/adapters/journal/records/records.ts';
import { ConfigError } from '../../src/base/errors.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import { ACCOUNT, FOLDER, openFixture, recordsOf, runJournal, SMALL, steps, withoutTimes, writeLifetime } from '../fixtures/journalFixture.ts'; // prettier-ignore
import { SimulatedDisk } from '../fixtures/simulatedDisk.ts';
import { expectAtLeast, expectEqual, expectSame } from '../fixtures/quickExpect.ts';

const SEED = 20_260_105;

const completeRun = writeLifetime();

describe('a process without a crash', () => {
  it('a journal without a crash has records of every kind in several files, and can be read back', () => {
    expect(new Set(completeRun.records.map(({ k }) => k))).toEqual(new Set(Object.keys(RECORD_KINDS)));
    expect(completeRun.paths.length).toBeGreaterThan(3);
    expect(completeRun.records.map(({ seq }) => seq)).toEqual(completeRun.records.map((_, index) => index + 1));
  });

  it('a journal without a crash restores its state from the records', () => {
    const { state, isTorn } = openFixture(completeRun.disk);
    const open = [...state.unfinished.values()];
    expect(open.map(({ intent }) => intent.order)).toEqual([4]);
    expect(open.map((trace) => restartOf(trace, isTorn))).toEqual([{ kind: 'unknown', signMs: expect.any(Number) as number }]);
    expect([...state.provenAbsent.values()].map(({ intent }) => [intent.order, intent.symbol, intent.fp])).toEqual([
      [3, 'spot:ÉTHUSDT', 'spot|ÉTHUSDT|buy||LIMIT|42000.5|0.02|'],
    ]);
    expect([...state.symbols]).toEqual(['spot:BTCUSDT', 'spot:ÉTHUSDT']);
    expect([state.halts.size, state.unattributedFills.length, state.decisions.length, state.cursors.size]).toEqual([0, 1, 1, 1]);
    expect(state.config).toMatchObject({ limits: { maxOpenOrders: 3, note: '"é\\\n\u2028\ud83d\ude00' }, timeScale: 0.5 });
  });
});

describe('group commit', () => {
  it('one sync of the journal covers all waiting records, and durable records are reported in order', () => {
    const disk = new SimulatedDisk();
    const { journal, reported } = openFixture(disk);
    const writes = steps();
    writes[0]!(journal);
    disk.run();
    const operationsBefore = disk.operations;
    for (const step of writes.slice(1)) step(journal);
    expect(reported).toEqual([2]);
    disk.run();
    // One append, and the beginning and the end of one sync.
    expect([reported, disk.operations - operationsBefore]).toEqual([[2, journal.lastSeq], 3]);
  });

  it('journal records written during a sync wait for the next sync, and none is reported before it is durable', () => {
    const disk = new SimulatedDisk();
    const { journal } = openFixture(disk, { ...SMALL, soon: disk.soon });
    const writes = steps();
    let step = 0;
    const tick = (): void => {
      if (step < writes.length) {
        writes[step++]!(journal);
        disk.soon(tick);
      }
      expect(journal.durableSeq).toBeLessThanOrEqual(lastDurableSeq(disk));
    };
    tick();
    disk.run();
    expect(journal.durableSeq).toBe(journal.lastSeq);
  });
});

/** Returns the number of the newest record that is completely durable. */
function lastDurableSeq(disk: SimulatedDisk): number {
  let seq = 0;
  for (const name of disk.list(FOLDER).filter((file) => file.endsWith('.jsonl'))) {
    const path = `${FOLDER}/${name}`;
    const text = Buffer.from(disk.read(path).subarray(0, disk.lastingBytes(path))).toString();
    for (const [, seqText] of text.matchAll(/^\{"seq":(\d+).*\n/gm)) seq = Number(seqText);
  }
  return seq;
}

/** Expects the recovered records to be the written ones without a gap, up to at least the newest that was reported durable. */
function expectPrefix(disk: SimulatedDisk, reported: readonly number[], full: readonly JournalRecord[], where: string): void {
  let records: JournalRecord[];
  try {
    records = recordsOf(disk);
  } catch (error) {
    throw new Error(`${where}: ${String(error)}`, { cause: error });
  }
  expectAtLeast(records.length, reported.at(-1) ?? 0, where);
  expectEqual(records.map(withoutTimes), full.slice(0, records.length).map(withoutTimes), where);
}

describe('a crash at every operation', () => {
  const probe = new SimulatedDisk();
  runJournal(probe);
  const { operations } = probe;

  it(`a crash at every operation loses no record that was reported durable (${operations} points x 24 outcomes, seed ${SEED})`, () => {
    const rng = seededRng(SEED);
    for (let crashAt = 0; crashAt <= operations; crashAt++) {
      const disk = new SimulatedDisk();
      disk.crashAt = crashAt;
      const reported: number[] = [];
      runJournal(disk, 1, reported);
      for (let outcome = 0; outcome < 24; outcome++)
        expectPrefix(disk.afterPowerLoss(rng), reported, completeRun.records, `operation ${crashAt}, outcome ${outcome}`);
    }
  });

  it('a crash and a second crash during the next start lose no record that was reported durable', () => {
    const rng = seededRng(SEED + 1);
    // Every third operation and a few of the first 40 of the second process, to keep the test short.
    for (let crashAt = 0; crashAt <= operations; crashAt += 3) {
      const firstDisk = new SimulatedDisk();
      firstDisk.crashAt = crashAt;
      const reportedFirst: number[] = [];
      runJournal(firstDisk, 1, reportedFirst);
      const diskAfterFirst = firstDisk.afterPowerLoss(rng);
      const recordsBefore = recordsOf(diskAfterFirst);
      for (let secondCrashAt = 0; secondCrashAt < 40; secondCrashAt += 1 + Math.floor(rng.next() * 4)) {
        const secondDisk = diskAfterFirst.afterPowerLoss({ next: () => 0.3 });
        secondDisk.crashAt = secondCrashAt;
        const reportedAgain: number[] = [];
        runJournal(secondDisk, 100, reportedAgain);
        // The expected records: the second process on the same files, without a crash.
        const uncrashed = new SimulatedDisk();
        for (const name of diskAfterFirst.list(FOLDER)) uncrashed.overwrite(`${FOLDER}/${name}`, diskAfterFirst.read(`${FOLDER}/${name}`));
        runJournal(uncrashed, 100);
        const where = `operations ${crashAt} and ${secondCrashAt}`;
        const records = recordsOf(uncrashed);
        expect(records.slice(0, recordsBefore.length).map(withoutTimes), where).toEqual(recordsBefore.map(withoutTimes));
        const lastReported = reportedAgain.length > 0 ? reportedAgain : reportedFirst;
        expectPrefix(secondDisk.afterPowerLoss(rng), lastReported, records, where);
      }
    }
  });

  it('a kill at every operation and a power loss during the next start lose no record that was reported durable', () => {
    const rng = seededRng(SEED + 4);
    for (let killAt = 0; killAt <= operations; killAt++) {
      for (let crashAt = 0; crashAt < 16; crashAt++) {
        const disk = new SimulatedDisk();
        disk.crashAt = killAt;
        const reportedFirst: number[] = [];
        runJournal(disk, 1, reportedFirst);
        disk.endProcess();
        const recordsBefore = recordsOf(disk).map(withoutTimes);
        disk.crashAt = crashAt;
        const reportedAgain: number[] = [];
        runJournal(disk, 100, reportedAgain);
        const records = recordsOf(disk.afterPowerLoss(rng)).map(withoutTimes);
        const where = `killed at ${killAt}, crashed at ${crashAt}`;
        const lastReported = reportedAgain.at(-1) ?? reportedFirst.at(-1) ?? 0;
        expect(records.length, where).toBeGreaterThanOrEqual(lastReported);
        expect(records.slice(0, recordsBefore.length), where).toEqual(recordsBefore.slice(0, records.length));
      }
    }
  });

  it('an order whose SEND was reported durable is never restored as not sent', () => {
    const rng = seededRng(SEED + 2);
    for (let crashAt = 0; crashAt <= operations; crashAt++) {
      const disk = new SimulatedDisk();
      disk.crashAt = crashAt;
      const reported: number[] = [];
      runJournal(disk, 1, reported);
      const sent = completeRun.records
        .filter(({ k, seq }) => k === 'SEND' && seq <= (reported.at(-1) ?? 0))
        .map((record) => 'cid' in record && record.cid);
      const { state, isTorn } = openFixture(disk.afterPowerLoss(rng));
      for (const [cid, trace] of state.unfinished) if (sent.includes(cid)) expect(restartOf(trace, isTorn).kind).not.toBe('notSent');
    }
  });
});

describe('a kill at every byte of the last write', () => {
  it('a kill at any byte of the last write leaves whole records, and the torn tail is cut off and reported', () => {
    const path = completeRun.paths.at(-1)!;
    const size = completeRun.disk.size(path);
    for (let cut = 0; cut <= size; cut++) {
      const disk = completeRun.disk.afterKill(path, cut);
      const { records, reading, journal } = openFixture(disk);
      expectEqual(records.map(withoutTimes), completeRun.records.slice(0, records.length).map(withoutTimes));
      const torn = reading.segments.at(-1)!.torn;
      const tail = Buffer.from(disk.read(path)).toString();
      expectSame(torn?.bytes ?? 0, tail.length - (tail.lastIndexOf('\n') + 1), `cut ${cut}`);
      journal.config({ hash: '', version: '', limits: {}, leaseMs: 0, timeScale: 1 });
      disk.run();
      expectEqual(recordsOf(disk).slice(0, records.length), records);
    }
  });
});

describe('an order with an INTENT and no SEND', () => {
  it('an order with an INTENT and no SEND has an unknown outcome after a torn write, and was not sent after complete writes', () => {
    const { seq } = completeRun.records.findLast(({ k }) => k === 'SEND')!;
    const disk = completeRun.disk.afterKill('', 0);
    const textOf = (path: string): string => Buffer.from(completeRun.disk.read(path)).toString();
    const newest = completeRun.paths.findIndex((path) => textOf(path).includes(`{"seq":${seq},`));
    for (const later of completeRun.paths.slice(newest + 1)) disk.remove(later);
    const path = completeRun.paths[newest]!;
    const text = textOf(path);
    const recordStart = text.indexOf(`{"seq":${seq},`);
    for (const [length, isTorn, restart] of [
      [recordStart, false, { kind: 'notSent' }],
      // 40 bytes more: the middle of the record.
      [recordStart + 40, true, { kind: 'unknown', signMs: null }],
    ] as const) {
      disk.overwrite(path, Buffer.from(text.slice(0, length)));
      const fixture = openFixture(disk.afterKill('', 0));
      const trace = [...fixture.state.unfinished.values()].at(-1)!;
      expect([fixture.isTorn, restartOf(trace, fixture.isTorn)]).toEqual([isTorn, restart]);
    }
  });
});

describe('damage', () => {
  it('a changed byte anywhere in the journal is rejected with its file and line', () => {
    const rng = seededRng(SEED + 3);
    let rejectedCount = 0;
    for (const path of completeRun.paths) {
      const goodBytes = Buffer.from(completeRun.disk.read(path));
      let line = 1;
      for (let byte = 0; byte < goodBytes.length; byte++) {
        const changedBytes = Buffer.from(goodBytes);
        changedBytes[byte]! ^= byte % 3 === 0 ? 1 << Math.floor(rng.next() * 8) : 1 + Math.floor(rng.next() * 255);
        const disk = completeRun.disk.afterKill('', 0);
        disk.overwrite(path, changedBytes);
        const { damage } = readJournal(disk, FOLDER, () => {});
        if (damage === null) expect.fail(`${path} byte ${byte}: ${goodBytes[byte]} -> ${changedBytes[byte]}: not rejected`);
        expectEqual([damage.path, damage.line], [path, line]);
        if (goodBytes[byte] === 10) line++;
        rejectedCount++;
      }
    }
    expect(rejectedCount).toBe(completeRun.paths.reduce((sum, path) => sum + completeRun.disk.size(path), 0));
  });

  it.each([
    ['a missing line', (lines: string[]) => lines.toSpliced(3, 1), /:4: expected record \d+, got record \d+/],
    ['two swapped lines', (lines: string[]) => [...lines.slice(0, 2), lines[3]!, lines[2]!, ...lines.slice(4)], /:3: expected record/],
    ['a repeated line', (lines: string[]) => lines.toSpliced(3, 0, lines[2]!), /:4: expected record/],
    ['a missing head', (lines: string[]) => lines.slice(1), /:1: expected record \d+, got a record of kind/],
  ])('a journal with %s is rejected', (_name, change, message) => {
    for (const path of completeRun.paths) {
      const lines = Buffer.from(completeRun.disk.read(path)).toString().split('\n').slice(0, -1);
      if (lines.length < 5) continue;
      const disk = completeRun.disk.afterKill('', 0);
      disk.overwrite(path, Buffer.from(`${change(lines).join('\n')}\n`));
      expect(() => openFixture(disk)).toThrow(message);
    }
  });

  it('a journal with a file that is missing, cut, or written to after the next file began is rejected', () => {
    const [first, second, third] = completeRun.paths;
    const ended = completeRun.disk.afterKill('', 0);
    ended.remove(second!);
    expect(() => openFixture(ended)).toThrow('journal-000002.jsonl:1: expected the file that comes before journal-000003.jsonl, got none');
    const start = completeRun.disk.afterKill('', 0);
    start.remove(first!);
    expect(() => openFixture(start)).toThrow('journal-000001.jsonl:1: expected the file that comes before');
    const size = completeRun.disk.size(second!);
    for (let cut = 1; cut <= size; cut++) {
      const { damage } = readJournal(completeRun.disk.afterKill(second!, cut), FOLDER, () => {});
      expect(damage?.path, `${cut} bytes less`).toBe(third);
    }
    const longerDisk = completeRun.disk.afterKill('', 0);
    longerDisk.append(first!, completeRun.disk.read(second!).subarray(0, Buffer.from(completeRun.disk.read(second!)).indexOf(10) + 1));
    expect(() => openFixture(longerDisk)).toThrow(/journal-000001\.jsonl:\d+: .*the head of another file/);
  });

  it('a journal file that was replaced by another one with the same record numbers is rejected', () => {
    const [first] = completeRun.paths;
    const disk = completeRun.disk.afterKill('', 0);
    const lines = Buffer.from(disk.read(first!)).toString().split('\n').slice(0, -1);
    const lastRecord = JSON.parse(lines.at(-1)!) as JournalRecord;
    // The newest record of the file, written again one second later.
    const { text } = lineOf(lastRecord.seq, lastRecord.t + 1000, lastRecord.k, lastRecord as never, lastRecord.dur);
    disk.overwrite(first!, Buffer.from([...lines.slice(0, -1), text].join('\n')));
    expect(() => openFixture(disk)).toThrow(
      /journal-000002\.jsonl:1: expected record \d+, got a file that follows on record \d+ at byte \d+ with checksum/,
    );
  });

  it('a journal with zeros before records that were written after a sync is rejected', () => {
    const disk = new SimulatedDisk();
    runJournal(disk);
    const path = completeRun.paths[0]!;
    const changedBytes = Buffer.from(disk.read(path));
    // A sector of zeros, as a crash leaves it before a sync. But this sector was synced.
    changedBytes.fill(0, 512, 1024);
    disk.overwrite(path, changedBytes);
    expect(() => openFixture(disk)).toThrow(/expected record \d+, got .*; line \d+ was written when record \d+ was on the disk/);
  });

  it('the error of a damaged journal file says what to do', () => {
    const disk = completeRun.disk.afterKill('', 0);
    disk.overwrite(completeRun.paths[1]!, Buffer.from('not a journal\n'));
    const error = (() => {
      try {
        openFixture(disk);
      } catch (caught) {
        return caught;
      }
      return null;
    })();
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as ConfigError).remedy).toMatch(/bring the folder back from a copy, or start with an empty one .*isobar orders adopt/);
  });
});

describe('a disk that fails', () => {
  it('a disk that is full at any byte is reported once, and every record that was reported durable can be read', () => {
    const size = completeRun.paths.reduce((sum, path) => sum + completeRun.disk.size(path), 0);
    // 37 is prime, so that the capacities end at different places of records.
    for (let capacity = 0; capacity < size; capacity += 37) {
      const disk = new SimulatedDisk();
      disk.capacityBytes = capacity;
      const fixture = runJournal(disk)!;
      expect([fixture.failures.length, fixture.failures[0]]).toEqual([1, expect.stringMatching(/^journal\/journal-\d+\.jsonl: ENOSPC$/)]);
      expect(fixture.journal.failure).toBe(fixture.failures[0]);
      expect(fixture.journal.durableSeq).toBe(fixture.reported.at(-1) ?? 0);
      disk.capacityBytes = Infinity;
      expectPrefix(disk.afterPowerLoss(seededRng(capacity)), fixture.reported, completeRun.records, `capacity ${capacity}`);
      expectPrefix(disk, fixture.reported, completeRun.records, `capacity ${capacity}`);
    }
  });

  it('a failed sync of the journal is not repeated, no byte is written later, and record numbers continue', () => {
    for (let syncIndex = 0; syncIndex < 12; syncIndex++) {
      const disk = new SimulatedDisk();
      disk.syncFailures.push(...Array.from({ length: syncIndex }, () => null), 'EIO');
      const fixture = runJournal(disk)!;
      const reported = fixture.reported.at(-1) ?? 0;
      expect(fixture.failures).toHaveLength(1);
      expect(fixture.failures[0]).toMatch(/EIO$/);
      const operationsBefore = disk.operations;
      const seq = fixture.journal.lastSeq;
      expect(fixture.journal.config({ hash: '', version: '', limits: {}, leaseMs: 0, timeScale: 1 })).toBeGreaterThan(seq);
      disk.run();
      expect([disk.operations, fixture.journal.durableSeq]).toEqual([operationsBefore, reported]);
      for (let outcome = 0; outcome < 8; outcome++) {
        expectPrefix(disk.afterPowerLoss(seededRng(outcome)), fixture.reported, completeRun.records, `sync ${syncIndex}`);
      }
    }
  });

  it('a disk that is too slow fails the journal, so that its memory stays bounded', () => {
    const disk = new SimulatedDisk();
    const fixture = openFixture(disk, { maxWaitingBytes: 5000 });
    for (let index = 0; index < 40; index++) fixture.journal.cursor({ symbol: 's', channel: 'c', value: 'v'.repeat(200) });
    expect(fixture.failures).toEqual([expect.stringMatching(/^50\d\d bytes wait for the disk$/)]);
  });

  it('closing a journal waits for pending writes', () => {
    const disk = new SimulatedDisk();
    const { journal, reported } = openFixture(disk, SMALL);
    for (const step of steps()) step(journal);
    const closed: number[] = [];
    journal.close(() => closed.push(journal.durableSeq));
    expect(closed).toEqual([]);
    disk.run();
    expect([closed, reported.at(-1)]).toEqual([[journal.lastSeq], journal.lastSeq]);
    expect(() => journal.cursor({ symbol: '', channel: '', value: '' })).toThrow('journal: a CURSOR after the end');
  });
});

describe('opening a journal', () => {
  it('a journal of another account is rejected, and its lock is released', () => {
    const disk = completeRun.disk.afterKill('', 0);
    expect(() => openFixture(disk, { account: 'live:1' })).toThrow(`expected the journal of live:1, got that of ${ACCOUNT}`);
    expect(disk.list(FOLDER).filter((name) => name.startsWith('lock'))).toEqual([]);
    openFixture(disk).release();
  });
});
