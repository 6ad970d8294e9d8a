// Tests that every set of real klines is imported with the rows and gaps that its README states.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SHARED_DATA, sharedFile } from '../../../../test/fixtures/sharedData.ts';
import { parseTime } from '../../../model/time.ts';
import { importFiles } from './importFiles.ts';

const readme = sharedFile('README.md');
const folder = mkdtempSync(join(tmpdir(), 'isobar-sets-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns the README's table rows about klines: path, symbol, interval, rows, first, last, gaps, zero-volume rows. */
function listedSets(): string[][] {
  if (readme === null) return [];
  const lines = readFileSync(readme, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| klines/'));
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, 9)
      .map((cell) => cell.trim()),
  );
}

describe.skipIf(readme === null)('real klines', () => {
  it('the README of the real klines lists more than 40 sets', () => expect(listedSets().length).toBeGreaterThan(40));

  it.each(listedSets())('real klines: %s', async (...[path = '', symbol, interval, rows, first, last, gaps = '', zeroVolume]) => {
    // Several sets have the same symbol, so each has its own catalog.
    const catalog = join(folder, path.split('/')[1] ?? '');
    const [set] = await importFiles([join(SHARED_DATA, path)], { catalog, nowMs: Date.UTC(2026, 0, 1) });
    const [gapCount = 0, missingBars = 0, longestGapBars = 0] = gaps.split(' / ').map(Number);
    expect(set).toMatchObject({ symbol, interval, newRows: Number(rows), roundedPrices: 0 });
    expect(set?.manifest).toMatchObject({
      rows: Number(rows),
      gaps: gapCount,
      missingBars,
      longestGapBars,
      zeroVolumeRows: Number(zeroVolume),
      wrong: [],
      openLastBar: false,
    });
    expect([set?.manifest.first, set?.manifest.last].map((time) => parseTime(time ?? ''))).toEqual(
      [first, last].map((time) => parseTime(time ?? '')),
    );
  });
});
