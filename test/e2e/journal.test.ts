// Tests `isobar journal check`: its output and exit codes for whole, torn, damaged, used and missing journals.

import { appendFileSync, chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { waitForNextTurn } from '../../src/adapters/clock/wallClock.ts';
import { openJournalFolder } from '../../src/adapters/journal/openOnDisk.ts';
import type { JournalReport } from '../../src/adapters/journal/checkJournal.ts';
import { CliFixture, type CommandOutput } from '../fixtures/cliFixture.ts';
import { commandIn } from '../fixtures/inProcess.ts';
import { ACCOUNT, FACTS, steps } from '../fixtures/journalFixture.ts';

const fixture = new CliFixture();
/** The folder of all journals of this test. */
const root = mkdtempSync(join(tmpdir(), 'isobar-check-'));
const START_MS = Date.UTC(2026, 0, 5);
/** The journal of the current test. */
let folder: string;
let journalCount = 0;

/** Writes a bot's journal in three files, the last with five lines. Returns a function that ends its process. */
async function writeJournal(): Promise<() => void> {
  let nowMs = START_MS;
  const journalParts = { nowMs: () => (nowMs += 1000), facts: FACTS, listener: { onDurable: () => {}, onFailure: () => {} } };
  const { journal, release } = openJournalFolder(journalParts, { folder, account: ACCOUNT, segmentBytes: 4000 });
  for (const step of steps()) {
    step(journal);
    // Each step is on the disk before the next one, so that later records prove earlier ones.
    while (journal.durableSeq < journal.lastSeq) await waitForNextTurn();
  }
  await new Promise<void>((resolve) => journal.close(resolve));
  return release;
}

beforeEach(async () => {
  folder = join(root, `journal${journalCount++}`);
  (await writeJournal())();
});
afterAll(() => {
  fixture.remove();
  rmSync(root, { recursive: true });
});

const check = (...args: readonly string[]): Promise<CommandOutput> => commandIn(fixture.folder, ['journal', 'check', ...args]);
const unwrapped = (text: string): string => text.replace(/\s+/g, ' ');
/** Returns the newest file of the journal. */
const newestFile = (): string =>
  join(
    folder,
    readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl'))
      .toSorted()
      .at(-1)!,
  );

/** Writes a file that is no part of a journal, and returns its path. */
function writeNotes(): string {
  const path = join(root, 'notes.txt');
  appendFileSync(path, '');
  return path;
}

describe('isobar journal check', () => {
  it('isobar journal check describes a complete journal, also in a copy that others can read', async () => {
    chmodSync(newestFile(), 0o644);
    // One run in a new process prints the same.
    const { code, stdout, stderr } = await fixture.run('journal', 'check', `${folder}/`);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^account {5}paper:3f2a$/m);
    expect(stdout).toMatch(/^records {5}\d\d, 1 to \d\d$/m);
    expect(stdout).toMatch(/^kinds {7}SEGMENT 3, CONFIG 1, .*INTENT 5/m);
    expect(stdout).toMatch(/^open orders 1 of unknown outcome$/m);
    expect(stdout).toMatch(/^no effect {3}1: proven absent/m);
    expect(stdout).toMatch(/\n\nwhole: a start continues with it\n$/);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  });

  it('isobar journal check says what a start leaves out of a torn journal', async () => {
    truncateSync(newestFile(), readFileSync(newestFile()).length - 7);
    const { code, stdout } = await check(folder, '--json');
    const report = JSON.parse(stdout) as JournalReport;
    expect([code, report.verdict, report.torn?.message]).toEqual([0, 'torn', 'the rest of a write that did not finish']);
    expect(unwrapped((await check(folder)).stdout)).toMatch(
      /journal-00000\d\.jsonl:\d+: the rest of a write that did not finish \(\d+ bytes\): a start/,
    );
  });

  it('isobar journal check names file, line and remedy of a damaged journal', async () => {
    const path = join(folder, 'journal-000001.jsonl');
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace('"leverage"', '"leverege"'));
    const { code, stdout } = await check(folder);
    expect(code).toBe(1);
    expect(unwrapped(stdout)).toMatch(
      /damaged: \S+\/journal-000001\.jsonl:3: expected record 3, got a record with a wrong checksum; line 6 was written when record 3 was on the disk orders that it held may be lost: bring the folder back from a copy/,
    );
    const { damage, records } = JSON.parse((await check(folder, '--json')).stdout) as JournalReport;
    expect(damage?.message).toContain(':3: expected record 3');
    expect(records).toBe(2);
  });

  it('isobar journal check accepts the data folder of a bot', async () => {
    const dataFolder = join(root, 'my bot');
    cpSync(folder, join(dataFolder, 'journal'), { recursive: true });
    const { code, stdout } = await check(dataFolder, '--json');
    expect([code, (JSON.parse(stdout) as JournalReport).path]).toEqual([0, join(dataFolder, 'journal')]);
  });

  it('isobar journal check accepts a single file', async () => {
    const { code, stdout } = await check(newestFile(), '--json');
    const report = JSON.parse(stdout) as JournalReport;
    expect([code, report.verdict, report.files, report.writer]).toEqual([0, 'whole', 1, null]);
    expect(report.lastSeq - report.firstSeq + 1).toBe(report.records);
    expect(report.firstSeq).toBeGreaterThan(1);
  });

  it('isobar journal check names the process that writes the journal', async () => {
    folder = join(root, 'used');
    const release = await writeJournal();
    try {
      // A process does not report its own writing.
      const { stdout } = await fixture.run('journal', 'check', folder);
      expect(stdout).toMatch(new RegExp(`^in use {6}by process ${process.pid} on `, 'm'));
    } finally {
      release();
    }
  });

  it.each([
    ['nothing there', () => join(root, 'none'), /no such file or folder/],
    ['a folder without a journal', () => fixture.folder, /got no journal-000001\.jsonl in it/],
    ['a file of another name', writeNotes, /expected a name such as/],
  ])('isobar journal check rejects %s', async (_name, path, message) => {
    const { code, stdout, stderr } = await check(path());
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });

  it('isobar journal check escapes control characters in foreign text', async () => {
    const path = join(folder, 'journal-000001.jsonl');
    writeFileSync(path, `\u001b[31m${readFileSync(path, 'utf8')}`);
    expect((await check(folder)).stdout).not.toContain('\u001b');
  });
});
