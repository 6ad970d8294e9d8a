// Tests that folders of unfinished results are removed if their process is dead and they are a day old.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { stagingFolder } from './stagingFolder.ts';

const HOUR_MS = 3_600_000;

it('only unfinished results that a killed process left a day ago are removed', () => {
  const outFolder = mkdtempSync(join(tmpdir(), 'isobar-staging-'));
  onTestFinished(() => rmSync(outFolder, { recursive: true }));
  const { pid: deadPid } = spawnSync(process.execPath, ['--version']);
  const nowMs = Date.now();
  const overADayAgoMs = nowMs - 25 * HOUR_MS;
  const keptNames = [
    `.unfinished-${deadPid}-${nowMs - HOUR_MS}`,
    `.unfinished-${process.ppid}-${overADayAgoMs}`,
    '.unfinished-of-mine',
    '2026-01-01-run',
  ];
  for (const name of [...keptNames, `.unfinished-${deadPid}-${overADayAgoMs}`]) {
    mkdirSync(join(outFolder, name));
    writeFileSync(join(outFolder, name, 'orders.csv'), 'id\n');
  }
  const newFolder = stagingFolder(outFolder);
  expect(newFolder.startsWith(join(outFolder, `.unfinished-${process.pid}-`))).toBe(true);
  expect(readdirSync(outFolder).toSorted()).toEqual(keptNames.toSorted());
});

it('a staging folder in a folder that does not exist is named without an error', () => {
  expect(stagingFolder(join(tmpdir(), 'isobar-not-there'))).toMatch(/isobar-not-there\/\.unfinished-\d+-\d+$/);
});
