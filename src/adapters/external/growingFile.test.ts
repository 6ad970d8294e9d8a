// Tests the reading of a growing file that another program may replace at any time by a FIFO or a folder.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { GrowingFile } from './growingFile.ts';

const folder = mkdtempSync(join(tmpdir(), 'isobar-growing-'));
afterAll(() => rmSync(folder, { recursive: true }));

it.each(['fifo', 'folder'])('a %s is reported once as unreadable, and reading it does not block', (kind) => {
  const path = join(folder, kind);
  if (kind === 'fifo') execFileSync('mkfifo', [path]);
  else mkdirSync(path);
  const file = new GrowingFile(path, { time: 't', knownAt: 'k', value: null, series: 'oi' });
  expect(file.readNew()).toEqual({ rows: [], problems: [expect.stringContaining(`${path}: cannot be read`)], isAtEnd: true });
  expect(file.readNew().problems).toEqual([]);
});
