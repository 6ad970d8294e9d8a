// Tests that folders of unfinished results are removed if their process is dead and they are a day old.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { stagingFolder } from './stagingFolder.ts';

it('only unfinished results that a killed process left a day ago are removed', () => {
  const out = mkdtempSync(join(tmpdir(), 'isobar-staging-'));
  onTestFinished(() => rmSync(out, { recursive: true }));
  const { pid: dead } = spawnSync(process.execPath, ['--version']);
  const nowMs = Date.now();
  const dayAgoMs = Date.now() - 90_000_000;
  const keptNames = [
    `.unfinished-${dead}-${nowMs - 3_600_000}`,
    `.unfinished-${process.ppid}-${dayAgoMs}`,
    '.unfinished-of-mine',
    '2026-01-01-run',
  ];
  for (const name of [...keptNames, `.unfinished-${dead}-${dayAgoMs}`]) {
    mkdirSync(join(out, name));
    writeFileSync(join(out, name, 'orders.csv'), 'id\n');
  }
  const newFolder = stagingFolder(out);
  expect(newFolder.startsWith(join(out, `.unfinished-${process.pid}-`))).toBe(true);
  expect(readdirSync(out).toSorted()).toEqual(keptNames.toSorted());
});

it('a staging folder in a folder that does not exist is named without an error', () => {
  expect(stagingFolder(join(tmpdir(), 'isobar-not-there'))).toMatch(/isobar-not-there\/\.unfinished-\d+-\d+$/);
});
