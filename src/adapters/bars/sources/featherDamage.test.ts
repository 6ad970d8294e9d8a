// Damaged feather files: whatever byte is wrong, the file is named, and never the program.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { freqtradeFile } from '../../../../test/fixtures/freqtradeFiles.ts';
import { seededRng } from '../../../base/rng.ts';
import { ConfigError } from '../../../base/errors.ts';
import { readBars } from './readBars.ts';

const folder = mkdtempSync(join(tmpdir(), 'isobar-damage-'));
afterAll(() => rmSync(folder, { recursive: true }));

const RULES = { interval: '1h', priceDigits: null, roundToTick: false, skipBad: false, baseAsset: null, format: null } as const;

/** The error of a file with these bytes; null: it is read. */
async function errorOf(bytes: Uint8Array): Promise<unknown> {
  const path = join(folder, 'damaged.feather');
  writeFileSync(path, bytes);
  return readBars(path, { ...RULES, file: path }).then(
    () => null,
    (error: unknown) => error,
  );
}

it.each(['lz4', 'zstd'] as const)('%s: a wrong byte, a cut end and a hole are errors of the file', async (codec) => {
  const whole = freqtradeFile(codec);
  const rng = seededRng(26);
  const seen: string[] = [];
  for (let at = 0; at < 600; at++) {
    const bytes = Uint8Array.from(whole);
    const place = Math.floor(rng.next() * bytes.length);
    if (at % 3 === 0) bytes[place] = Math.floor(rng.next() * 256);
    else if (at % 3 === 1) bytes.fill(at % 2 === 0 ? 0 : 255, place, place + 1 + Math.floor(rng.next() * 8));
    const error = await errorOf(at % 3 === 2 ? bytes.subarray(0, place) : bytes);
    if (error !== null && !(error instanceof ConfigError))
      seen.push(`case ${at}, byte ${place}: ${error instanceof Error ? error.message : typeof error}`);
  }
  expect(seen).toEqual([]);
});
