// Tests damaged feather files: whichever byte is wrong, the error names the file and the program continues.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { freqtradeFile } from '../../../../test/fixtures/freqtradeFiles.ts';
import { seededRng } from '../../../base/number/rng.ts';
import { ConfigError } from '../../../base/errors.ts';
import { readBarFile } from './readBars.ts';

const folder = mkdtempSync(join(tmpdir(), 'isobar-damage-'));
afterAll(() => rmSync(folder, { recursive: true }));

const RULES = { interval: '1h', priceDigits: null, roundToTick: false, skipBad: false, baseAsset: null, format: null } as const;

/** The error of a file with these bytes; null: it is read. */
async function errorOf(bytes: Uint8Array): Promise<unknown> {
  const path = join(folder, 'damaged.feather');
  writeFileSync(path, bytes);
  return readBarFile(path, { ...RULES, file: path }).then(
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

it('a wrong unit of the time column is a wrong time in the message', async () => {
  const whole = Buffer.from(freqtradeFile('lz4'));
  // In the footer: the unit of the timestamp, 1 for ms.
  const errors: unknown[] = [];
  for (let at = whole.length - 1200; at < whole.length; at++) {
    if (whole.readUInt8(at) !== 1) continue;
    const bytes = Uint8Array.from(whole);
    bytes[at] = 0;
    errors.push(await errorOf(bytes));
  }
  expect(errors.filter((error) => error !== null && !(error instanceof ConfigError))).toEqual([]);
  expect(errors.map(String).join('\n')).toContain('row 1 date: expected Unix milliseconds of the years 2000 to 2099');
});

/** Prime to 8, so that each byte of a length is met: lengths are aligned. */
const STEP = 19;

it.each(['lz4', 'zstd'] as const)('%s: a damaged length asks for no memory that the rows do not need', async (codec) => {
  const whole = freqtradeFile(codec);
  const RealArray = Uint8Array;
  let maxBytes = 0;
  const counting = new Proxy(RealArray, {
    construct(target, given: readonly unknown[], newTarget) {
      if (typeof given[0] === 'number') maxBytes = Math.max(maxBytes, given[0]);
      return Reflect.construct(target, given, newTarget) as object;
    },
  });
  globalThis.Uint8Array = counting;
  try {
    const seen: string[] = [];
    for (let at = 0; at < whole.length; at += STEP) {
      const bytes = RealArray.from(whole);
      bytes[at] = bytes[at]! | 0x7f;
      maxBytes = 0;
      const error = await errorOf(bytes);
      if (error !== null && !(error instanceof ConfigError))
        seen.push(`byte ${at}: ${error instanceof Error ? error.message : typeof error}`);
      if (maxBytes > 2 ** 20) seen.push(`byte ${at}: ${maxBytes} bytes of memory`);
    }
    expect(seen).toEqual([]);
  } finally {
    globalThis.Uint8Array = RealArray;
  }
});
