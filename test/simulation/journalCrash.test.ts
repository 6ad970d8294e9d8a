// Tests a journal on a disk that crashes at every operation, loses or flips bytes, fills up or fails to sync.

import { describe, expect, it } from 'vitest';
import { restartOf } from '../../src/adapters/journal/records/journalState.ts';
import { lineOf } from '../../src/adapters/journal/file/line.ts';
import { readJournal } from '../../src/adapters/journal/file/readJournal.ts';
import { RECORD_KINDS, type JournalRecord } from '../../src/adapters/journal/records/records.ts';
import { ConfigError } from '../../src/base/errors.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import { ACCOUNT, FOLDER, live, lived, openFixture, recordsOf, reply, SMALL, steps } from '../fixtures/journalFixture.ts';
import { SimulatedDisk } from '../fixtures/simulatedDisk.ts';
import { expectAtLeast, expectEqual, expectSame } from '../fixtures/alike.ts';

const SEED = 20_260_105;

const complete = lived();

describe('a process without a crash', () => {
  it('writes records of every kind into several files, and reads them back', () => {
    expect(new Set(complete.records.map(({ k }) => k))).toEqual(new Set(Object.keys(RECORD_KINDS)));
    expect(complete.paths.length).toBeGreaterThan(3);
    expect(complete.records.map(({ seq }) => seq)).toEqual(complete.records.map((_, at) => at + 1));
  });

  it('restores its state from the records', () => {
    const { state, isTorn } = openFixture(complete.disk);
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
  it('one sync covers all waiting records, and durable records are reported in order', () => {
    const disk = new SimulatedDisk();
    const { journal, reported } = openFixture(disk);
    const writes = steps();
    writes[0]!(journal);
    disk.run();
    const before = disk.operations;
    for (const step of writes.slice(1)) step(journal);
    expect(reported).toEqual([2]);
    disk.run();
    // One append, and the beginning and the end of one sync.
    expect([reported, disk.operations - before]).toEqual([[2, journal.lastSeq], 3]);
  });

  it('records written during a sync wait for the next one, and none is reported before it is durable', () => {
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
    for (const [, found] of text.matchAll(/^\{"seq":(\d+).*\n/gm)) seq = Number(found);
  }
  return seq;
}

/** Expects the recovered records to be the written ones without a gap, up to at least the newest that was reported durable. */
function expectPrefix(disk: SimulatedDisk, reported: readonly number[], full: readonly JournalRecord[], why: string): void {
  let records: JournalRecord[];
  try {
    records = recordsOf(disk);
  } catch (error) {
    throw new Error(`${why}: ${String(error)}`, { cause: error });
  }
  expectAtLeast(records.length, reported.at(-1) ?? 0, why);
  expectEqual(records.map(reply), full.slice(0, records.length).map(reply), why);
}

describe('a crash at every operation', () => {
  const probe = new SimulatedDisk();
  live(probe);
  const { operations } = probe;

  it(`loses no record that was reported durable (${operations} points x 24 outcomes, seed ${SEED})`, () => {
    const rng = seededRng(SEED);
    for (let crashAt = 0; crashAt <= operations; crashAt++) {
      const disk = new SimulatedDisk();
      disk.crashAt = crashAt;
      const reported: number[] = [];
      live(disk, 1, reported);
      for (let outcome = 0; outcome < 24; outcome++)
        expectPrefix(disk.afterPowerLoss(rng), reported, complete.records, `operation ${crashAt}, outcome ${outcome}`);
    }
  });

  it('and a second crash during the next start lose no record that was reported durable', () => {
    const rng = seededRng(SEED + 1);
    for (let crashAt = 0; crashAt <= operations; crashAt += 3) {
      const first = new SimulatedDisk();
      first.crashAt = crashAt;
      const reportedFirst: number[] = [];
      live(first, 1, reportedFirst);
      const left = first.afterPowerLoss(rng);
      const before = recordsOf(left);
      for (let again = 0; again < 40; again += 1 + Math.floor(rng.next() * 4)) {
        const second = left.afterPowerLoss({ next: () => 0.3 });
        second.crashAt = again;
        const reportedAgain: number[] = [];
        live(second, 100, reportedAgain);
        const full = new SimulatedDisk();
        for (const name of left.list(FOLDER)) full.overwrite(`${FOLDER}/${name}`, left.read(`${FOLDER}/${name}`));
        live(full, 100);
        const why = `operations ${crashAt} and ${again}`;
        const records = recordsOf(full);
        expect(records.slice(0, before.length).map(reply), why).toEqual(before.map(reply));
        expectPrefix(second.afterPowerLoss(rng), reportedAgain.length > 0 ? reportedAgain : reportedFirst, records, why);
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
        live(disk, 1, reportedFirst);
        disk.endProcess();
        const before = recordsOf(disk).map(reply);
        disk.crashAt = crashAt;
        const reportedAgain: number[] = [];
        live(disk, 100, reportedAgain);
        const records = recordsOf(disk.afterPowerLoss(rng)).map(reply);
        const why = `killed at ${killAt}, crashed at ${crashAt}`;
        expect(records.length, why).toBeGreaterThanOrEqual((reportedAgain.at(-1) ?? reportedFirst.at(-1)) ?? 0); // prettier-ignore
        expect(records.slice(0, before.length), why).toEqual(before.slice(0, records.length));
      }
    }
  });

  it('an order whose SEND was reported durable is never taken for unsent', () => {
    const rng = seededRng(SEED + 2);
    for (let crashAt = 0; crashAt <= operations; crashAt++) {
      const disk = new SimulatedDisk();
      disk.crashAt = crashAt;
      const reported: number[] = [];
      live(disk, 1, reported);
      const sent = complete.records
        .filter(({ k, seq }) => k === 'SEND' && seq <= (reported.at(-1) ?? 0))
        .map((record) => 'cid' in record && record.cid);
      const { state, isTorn } = openFixture(disk.afterPowerLoss(rng));
      for (const [cid, trace] of state.unfinished) if (sent.includes(cid)) expect(restartOf(trace, isTorn).kind).not.toBe('notSent');
    }
  });
});

describe('a kill at every byte of the last write', () => {
  it('leaves whole records, and the torn tail is cut off and reported', () => {
    const path = complete.paths.at(-1)!;
    const size = complete.disk.size(path);
    for (let cut = 0; cut <= size; cut++) {
      const disk = complete.disk.afterKill(path, cut);
      const { records, reading, journal } = openFixture(disk);
      expectEqual(records.map(reply), complete.records.slice(0, records.length).map(reply));
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
  it('has an unknown outcome after a torn write, and was not sent after complete writes', () => {
    const { seq } = complete.records.findLast(({ k }) => k === 'SEND')!;
    const disk = complete.disk.afterKill('', 0);
    const textOf = (path: string): string => Buffer.from(complete.disk.read(path)).toString();
    const newest = complete.paths.findIndex((path) => textOf(path).includes(`{"seq":${seq},`));
    for (const later of complete.paths.slice(newest + 1)) disk.remove(later);
    const path = complete.paths[newest]!;
    const text = textOf(path);
    const at = text.indexOf(`{"seq":${seq},`);
    for (const [length, isTorn, restart] of [
      [at, false, { kind: 'notSent' }],
      [at + 40, true, { kind: 'unknown', signMs: null }],
    ] as const) {
      disk.overwrite(path, Buffer.from(text.slice(0, length)));
      const fixture = openFixture(disk.afterKill('', 0));
      const trace = [...fixture.state.unfinished.values()].at(-1)!;
      expect([fixture.isTorn, restartOf(trace, fixture.isTorn)]).toEqual([isTorn, restart]);
    }
  });
});

describe('damage', () => {
  it('of any byte is refused with its file and line', () => {
    const rng = seededRng(SEED + 3);
    let refused = 0;
    for (const path of complete.paths) {
      const good = Buffer.from(complete.disk.read(path));
      let line = 1;
      for (let at = 0; at < good.length; at++) {
        const bytes = Buffer.from(good);
        bytes[at]! ^= at % 3 === 0 ? 1 << Math.floor(rng.next() * 8) : 1 + Math.floor(rng.next() * 255);
        const disk = complete.disk.afterKill('', 0);
        disk.overwrite(path, bytes);
        const { damage } = readJournal(disk, FOLDER, () => {});
        if (damage === null) expect.fail(`${path} byte ${at}: ${good[at]} -> ${bytes[at]}: not refused`);
        expectEqual([damage.path, damage.line], [path, line]);
        if (good[at] === 10) line++;
        refused++;
      }
    }
    expect(refused).toBe(complete.paths.reduce((sum, path) => sum + complete.disk.size(path), 0));
  });

  it.each([
    ['a missing line', (lines: string[]) => lines.toSpliced(3, 1), /:4: expected record \d+, got record \d+/],
    ['two swapped lines', (lines: string[]) => [...lines.slice(0, 2), lines[3]!, lines[2]!, ...lines.slice(4)], /:3: expected record/],
    ['a line twice', (lines: string[]) => lines.toSpliced(3, 0, lines[2]!), /:4: expected record/],
    ['a missing head', (lines: string[]) => lines.slice(1), /:1: expected record \d+, got a record of kind/],
  ])('%s is refused', (_name, change, message) => {
    for (const path of complete.paths) {
      const lines = Buffer.from(complete.disk.read(path)).toString().split('\n').slice(0, -1);
      if (lines.length < 5) continue;
      const disk = complete.disk.afterKill('', 0);
      disk.overwrite(path, Buffer.from(`${change(lines).join('\n')}\n`));
      expect(() => openFixture(disk)).toThrow(message);
    }
  });

  it('a file that is missing, cut or written to after the next file began is refused', () => {
    const [first, second, third] = complete.paths;
    const ended = complete.disk.afterKill('', 0);
    ended.remove(second!);
    expect(() => openFixture(ended)).toThrow('journal-000002.jsonl:1: expected the file that comes before journal-000003.jsonl, got none');
    const start = complete.disk.afterKill('', 0);
    start.remove(first!);
    expect(() => openFixture(start)).toThrow('journal-000001.jsonl:1: expected the file that comes before');
    const size = complete.disk.size(second!);
    for (let cut = 1; cut <= size; cut++) {
      const { damage } = readJournal(complete.disk.afterKill(second!, cut), FOLDER, () => {});
      expect(damage?.path, `${cut} bytes less`).toBe(third);
    }
    const more = complete.disk.afterKill('', 0);
    more.append(first!, complete.disk.read(second!).subarray(0, Buffer.from(complete.disk.read(second!)).indexOf(10) + 1));
    expect(() => openFixture(more)).toThrow(/journal-000001\.jsonl:\d+: .*the head of another file/);
  });

  it('a file that was replaced by another one with the same record numbers is refused', () => {
    const [first] = complete.paths;
    const disk = complete.disk.afterKill('', 0);
    const lines = Buffer.from(disk.read(first!)).toString().split('\n').slice(0, -1);
    const last = JSON.parse(lines.at(-1)!) as JournalRecord;
    // The newest record of the file, written again one second later.
    const { text } = lineOf(last.seq, last.t + 1000, last.k, last as never, last.dur);
    disk.overwrite(first!, Buffer.from([...lines.slice(0, -1), text].join('\n')));
    expect(() => openFixture(disk)).toThrow(
      /journal-000002\.jsonl:1: expected record \d+, got a file that follows on record \d+ at byte \d+ with checksum/,
    );
  });

  it('before records that were written later is refused', () => {
    const disk = new SimulatedDisk();
    live(disk);
    const path = complete.paths[0]!;
    const bytes = Buffer.from(disk.read(path));
    // A sector of zeros, as a crash leaves it before a sync. But this sector was synced.
    bytes.fill(0, 512, 1024);
    disk.overwrite(path, bytes);
    expect(() => openFixture(disk)).toThrow(/expected record \d+, got .*; line \d+ was written when record \d+ was on the disk/);
  });

  it('the error of a damaged file says what to do', () => {
    const disk = complete.disk.afterKill('', 0);
    disk.overwrite(complete.paths[1]!, Buffer.from('not a journal\n'));
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
  it('full at any byte: one failure is reported, and every record that was reported durable can be read', () => {
    const size = complete.paths.reduce((sum, path) => sum + complete.disk.size(path), 0);
    for (let capacity = 0; capacity < size; capacity += 37) {
      const disk = new SimulatedDisk();
      disk.capacityBytes = capacity;
      const fixture = live(disk)!;
      expect([fixture.failures.length, fixture.failures[0]]).toEqual([1, expect.stringMatching(/^journal\/journal-\d+\.jsonl: ENOSPC$/)]);
      expect(fixture.journal.failure).toBe(fixture.failures[0]);
      expect(fixture.journal.durableSeq).toBe(fixture.reported.at(-1) ?? 0);
      disk.capacityBytes = Infinity;
      expectPrefix(disk.afterPowerLoss(seededRng(capacity)), fixture.reported, complete.records, `capacity ${capacity}`);
      expectPrefix(disk, fixture.reported, complete.records, `capacity ${capacity}`);
    }
  });

  it('a failed sync is final: it is not repeated, no byte is written later, and record numbers continue', () => {
    for (let nth = 0; nth < 12; nth++) {
      const disk = new SimulatedDisk();
      disk.syncFailures.push(...Array.from({ length: nth }, () => null), 'EIO');
      const fixture = live(disk)!;
      const reported = fixture.reported.at(-1) ?? 0;
      expect(fixture.failures).toHaveLength(1);
      expect(fixture.failures[0]).toMatch(/EIO$/);
      const before = disk.operations;
      const seq = fixture.journal.lastSeq;
      expect(fixture.journal.config({ hash: '', version: '', limits: {}, leaseMs: 0, timeScale: 1 })).toBeGreaterThan(seq);
      disk.run();
      expect([disk.operations, fixture.journal.durableSeq]).toEqual([before, reported]);
      for (let outcome = 0; outcome < 8; outcome++) {
        expectPrefix(disk.afterPowerLoss(seededRng(outcome)), fixture.reported, complete.records, `sync ${nth}`);
      }
    }
  });

  it('a disk that is too slow is a failure, so that memory stays bounded', () => {
    const disk = new SimulatedDisk();
    const fixture = openFixture(disk, { maxWaitingBytes: 5000 });
    for (let at = 0; at < 40; at++) fixture.journal.cursor({ symbol: 's', channel: 'c', value: 'v'.repeat(200) });
    expect(fixture.failures).toEqual([expect.stringMatching(/^50\d\d bytes wait for the disk$/)]);
  });

  it('closing waits for pending writes', () => {
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
  it('of another account is refused, and the lock is released', () => {
    const disk = complete.disk.afterKill('', 0);
    expect(() => openFixture(disk, { account: 'live:1' })).toThrow(`expected the journal of live:1, got that of ${ACCOUNT}`);
    expect(disk.list(FOLDER).filter((name) => name.startsWith('lock'))).toEqual([]);
    openFixture(disk).release();
  });
});
