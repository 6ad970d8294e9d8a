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

/** Returns the error of reading a file with these bytes, or null if it can be read. */
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
  const unexpectedErrors: string[] = [];
  for (let round = 0; round < 600; round++) {
    const bytes = Uint8Array.from(whole);
    const position = Math.floor(rng.next() * bytes.length);
    // In turn: one wrong byte, a range of equal bytes, a file that is cut off.
    if (round % 3 === 0) bytes[position] = Math.floor(rng.next() * 256);
    else if (round % 3 === 1) bytes.fill(round % 2 === 0 ? 0 : 255, position, position + 1 + Math.floor(rng.next() * 8));
    const error = await errorOf(round % 3 === 2 ? bytes.subarray(0, position) : bytes);
    if (error !== null && !(error instanceof ConfigError))
      unexpectedErrors.push(`case ${round}, byte ${position}: ${error instanceof Error ? error.message : typeof error}`);
  }
  expect(unexpectedErrors).toEqual([]);
});

it('a wrong unit of the time column is a wrong time in the message', async () => {
  const whole = Buffer.from(freqtradeFile('lz4'));
  // In the footer: the unit of the timestamp, 1 for ms.
  const errors: unknown[] = [];
  for (let position = whole.length - 1200; position < whole.length; position++) {
    if (whole.readUInt8(position) !== 1) continue;
    const bytes = Uint8Array.from(whole);
    bytes[position] = 0;
    errors.push(await errorOf(bytes));
  }
  expect(errors.filter((error) => error !== null && !(error instanceof ConfigError))).toEqual([]);
  expect(errors.map(String).join('\n')).toContain('row 1 date: expected Unix milliseconds of the years 2000 to 2099');
});

/** Distance of the damaged bytes. It shares no factor with 8, so that each byte of the aligned 8-byte lengths is damaged in some case. */
const STEP_BYTES = 19;

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
    const faults: string[] = [];
    for (let position = 0; position < whole.length; position += STEP_BYTES) {
      const bytes = RealArray.from(whole);
      bytes[position] = bytes[position]! | 0x7f;
      maxBytes = 0;
      const error = await errorOf(bytes);
      if (error !== null && !(error instanceof ConfigError))
        faults.push(`byte ${position}: ${error instanceof Error ? error.message : typeof error}`);
      if (maxBytes > 2 ** 20) faults.push(`byte ${position}: ${maxBytes} bytes of memory`);
    }
    expect(faults).toEqual([]);
  } finally {
    globalThis.Uint8Array = RealArray;
  }
});
