// Folders of unfinished results: those of dead processes are removed, and no others.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { stagingFolder } from './staging.ts';

it('files that a killed process left a day ago are removed, and no others', () => {
  const out = mkdtempSync(join(tmpdir(), 'isobar-staging-'));
  onTestFinished(() => rmSync(out, { recursive: true }));
  const { pid: dead } = spawnSync(process.execPath, ['--version']);
  const [now, dayAgo] = [Date.now(), Date.now() - 90_000_000];
  const kept = [`.unfinished-${dead}-${now - 3_600_000}`, `.unfinished-${process.ppid}-${dayAgo}`, '.unfinished-of-mine', '2026-01-01-run'];
  for (const name of [...kept, `.unfinished-${dead}-${dayAgo}`]) {
    mkdirSync(join(out, name));
    writeFileSync(join(out, name, 'orders.csv'), 'id\n');
  }
  const made = stagingFolder(out);
  expect(made.startsWith(join(out, `.unfinished-${process.pid}-`))).toBe(true);
  expect(readdirSync(out).toSorted()).toEqual(kept.toSorted());
});

it('nothing is removed, and nothing fails, if the folder does not exist', () => {
  expect(stagingFolder(join(tmpdir(), 'isobar-not-there'))).toMatch(/isobar-not-there\/\.unfinished-\d+-\d+$/);
});
