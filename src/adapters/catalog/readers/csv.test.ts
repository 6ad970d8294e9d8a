// Tests the reader of bar files: which are accepted, which are rejected with which message, and that every number is exact.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Decimal } from 'decimal.js';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { ConfigError } from '../../../base/errors.ts';
import { CsvFile } from './csvFile.ts';
import { BAR_CSV_HEADER } from './csvLayout.ts';
import { readBarFile, type ReadRules } from './readBars.ts';
import type { ParsedFile } from '../rows/rowCollector.ts';

const folder = mkdtempSync(join(tmpdir(), 'isobar-csv-'));
afterAll(() => rmSync(folder, { recursive: true }));

const START_MS = 1_704_067_200_000;

/** Returns a line of minute `i`: its time, open, high, low, close and volume. */
const row = (i: number, figures = '10,12,9,11,5') => `${START_MS + i * 60_000},${figures}`;
const csv = (...rows: string[]) => [BAR_CSV_HEADER, ...rows].join('\n');

let fileCount = 0;
/** Writes a file, and returns its path. */
function fileOf(content: string | Uint8Array): string {
  const path = join(folder, `f${fileCount++}.csv`);
  writeFileSync(path, content);
  return path;
}
const RULES: ReadRules = {
  file: 'bars.csv',
  interval: '1m',
  priceDigits: null,
  roundToTick: false,
  skipBad: false,
  baseAsset: 'BTC',
  format: null,
};
const read = (content: string | Uint8Array, rules: Partial<ReadRules> = {}) => readBarFile(fileOf(content), { ...RULES, ...rules });
/** Parses lines as if they were a file. */
function parse(lines: readonly string[], rules: Partial<ReadRules> = {}): ParsedFile {
  const file = new CsvFile({ ...RULES, ...rules });
  file.addChunk(Buffer.from([BAR_CSV_HEADER, ...lines].join('\n')));
  return file.finish();
}
/** Returns the error of reading a file with this content. */
async function readError(content: string | Uint8Array, rules: Partial<ReadRules> = {}): Promise<ConfigError> {
  const error: unknown = await read(content, rules).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ConfigError)) throw new Error(`expected a ConfigError, got ${String(error)}`);
  expect(error.remedy).not.toBe('');
  return error;
}

describe('a bar file', () => {
  const good = csv(row(0), row(1, '11,11.5,10.25,10.5,0'), row(3, '10.50,10.5000,10.5,10.5,0.00000001'));

  it.each([
    ['plain', good],
    ['with a last end of line', `${good}\n`],
    ['with the ends of line of Windows', good.replaceAll('\n', '\r\n')],
    ['with returns alone at the ends of its lines', good.replaceAll('\n', '\r')],
    ['with a last return', `${good}\n`.replaceAll('\n', '\r')],
    ['gzipped, whatever its name', gzipSync(good)],
    ['gzipped in two members', Buffer.concat([gzipSync(good.slice(0, 60)), gzipSync(good.slice(60))])],
    ['gzipped, filled up with zeros', Buffer.concat([gzipSync(good), Buffer.alloc(512)])],
  ])('a bar file is read %s', async (_, content) => {
    const { columns, seen } = await read(content);
    expect([...columns.openMs]).toEqual([START_MS, START_MS + 60_000, START_MS + 180_000]);
    expect([...columns.low]).toEqual([9, 10.25, 10.5]);
    expect([...columns.volume]).toEqual([5, 0, 1e-8]);
    expect(seen).toEqual({ priceDigits: 2, volumeDigits: 8, lowest: 9, highest: 12 });
  });

  it.each(['\n', '\r\n', '\r'])('a bar file with lines that end in %j is rejected with the number of its bad line', async (end) => {
    const { message } = await readError([BAR_CSV_HEADER, row(0), row(1, '1,2,3')].join(end));
    expect(message).toBe('bars.csv:3: expected 6 columns, got 4');
  });

  it('a bar file that is read in several pieces keeps every row', async () => {
    const rows = Array.from({ length: 150_000 }, (_, i) => row(i, `${i + 1}.5,${i + 2},${i + 1},${i + 1.25},${i % 7}`));
    const shares: number[] = [];
    const path = fileOf(gzipSync([BAR_CSV_HEADER].concat(rows).join('\n'), { level: 1 }));
    const { columns } = await readBarFile(path, RULES, (_, share) => shares.push(share));
    expect(columns.length).toBe(150_000);
    for (const i of [0, 65_535, 65_536, 131_071, 131_072, 149_999]) {
      expect([columns.openMs[i], columns.open[i], columns.close[i]]).toEqual([START_MS + i * 60_000, i + 1.5, i + 1.25]);
    }
    expect(shares.length).toBeGreaterThan(5);
    expect(shares.at(-1)).toBe(1);
  });

  it('a bar file gives the double nearest to each decimal, for any number of digits', () => {
    const digits = fc.stringMatching(/^[0-9]{1,24}$/);
    const decimal = fc.tuple(fc.stringMatching(/^[1-9][0-9]{0,8}$/), fc.option(digits)).map(([a, b]) => (b === null ? a : `${a}.${b}`));
    // Prices must stay exact as whole ticks too.
    const price = fc.tuple(fc.integer({ min: 1, max: 2_000_000 }), fc.stringMatching(/^[0-9]{1,9}0{0,9}$/)).map(([a, b]) => `${a}.${b}`);
    const property = fc.property(fc.array(fc.tuple(price, decimal), { minLength: 1, maxLength: 20 }), (rows) => {
      const { columns, seen } = parse(rows.map(([p, v], i) => row(i, `${p},${p},${p},${p},${v}`)));
      expect([...columns.open]).toEqual(rows.map(([p]) => Number(p)));
      expect([...columns.volume]).toEqual(rows.map(([, v]) => Number(v)));
      const maxDecimals = (texts: string[]) => Math.max(...texts.map((text) => (text.split('.')[1] ?? '').replace(/0+$/, '').length));
      expect(seen).toMatchObject({ priceDigits: maxDecimals(rows.map(([p]) => p)), volumeDigits: maxDecimals(rows.map(([, v]) => v)) });
    });
    fc.assert(property, { numRuns: 300 });
  });
});

describe('a bar file is refused, with file, line, column and reason:', () => {
  it.each<[string, string | Uint8Array, string]>([
    ['zero bytes', '', 'the file is empty'],
    ['a header alone', BAR_CSV_HEADER, 'there are no rows in it'],
    ['another header', `time,o,h,l,c,v\n${row(0)}`, `bars.csv:1: expected the header ${BAR_CSV_HEADER}, got "time,o,h,l,c,v"`],
    [
      'mark-price klines',
      `open_time_ms,open,high,low,close\n${START_MS},1,1,1,1`,
      'bars.csv:1: mark-price klines without volume are not bars',
    ],
    ['too few columns', csv(row(0), row(1, '10,12,9,11')), 'bars.csv:3: expected 6 columns, got 5'],
    ['too many columns', csv(row(0, '10,12,9,11,5,6')), 'bars.csv:2: expected 6 columns, got 7'],
    ['an empty line', csv(row(0), '', row(1)), 'bars.csv:3: expected 6 columns, got an empty line'],
    ['NaN', csv(row(0), row(1, '10,12,NaN,11,5')), 'bars.csv:3 low: expected a plain decimal, got "NaN"'],
    ['an exponent', csv(row(0, '10,12,9,11,2.9e-7')), 'bars.csv:2 volume: expected a plain decimal, got "2.9e-7"'],
    ['a sign', csv(row(0, '+10,12,9,11,5')), 'bars.csv:2 open: expected a plain decimal, got "+10"'],
    ['a space', csv(row(0, ' 10,12,9,11,5')), 'bars.csv:2 open: expected a plain decimal, got " 10"'],
    ['quotes', csv(row(0, '"10",12,9,11,5')), String.raw`bars.csv:2 open: expected a plain decimal, got "\"10\""`],
    ['a point alone', csv(row(0, '10.,12,9,11,5')), 'bars.csv:2 open: expected a plain decimal, got "10."'],
    ['an empty field', csv(row(0, '10,12,9,,5')), 'bars.csv:2 close: expected a number, got nothing'],
    ['a negative volume', csv(row(0, '10,12,9,11,-5')), 'bars.csv:2 volume: expected 0 or more, got "-5"'],
    ['an endless volume', csv(row(0, `10,12,9,11,1${'0'.repeat(320)}`)), 'bars.csv:2 volume: expected a finite number, got "1000'],
    ['a price of 0', csv(row(0, '10,12,0,11,5')), 'bars.csv:2 low: expected a price above 0, got "0"'],
    ['a negative price', csv(row(0, '-10,12,9,11,5')), 'bars.csv:2 open: expected a price above 0, got "-10"'],
    [
      'a price too high to be exact',
      csv(row(0, `10,9${'0'.repeat(15)},9,11,5`)),
      'bars.csv:2 high: expected a price below 2251799813685248',
    ],
    [
      'a price too fine to be exact',
      csv(row(0), row(1, '10,12000.1234567890123,9,11,5')),
      'bars.csv:3: prices of 13 digits behind the point',
    ],
    [
      'a price of noise',
      csv(row(0, '0.3,0.30000000000000004,0.3,0.3,5')),
      'bars.csv:2: prices of 17 digits behind the point, up to 0.30000000000000004,',
    ],
    [
      'a low above the close',
      csv(row(0, '10,12,9,8,5')),
      'bars.csv:2 low: expected low <= open and close, got low 9, open 10, close 8, high 12',
    ],
    ['a high below the open', csv(row(0, '13,12,9,11,5')), 'bars.csv:2 high: expected high >= open and close, got'],
    [
      'a time twice, otherwise',
      csv(row(0), row(0, '10,12,9,11,6')),
      'bars.csv:3 open_time_ms: the same time as bars.csv:2, 2024-01-01T00:00:00.000Z, with other figures',
    ],
    [
      'a time going back',
      csv(row(2), row(1)),
      'bars.csv:3 open_time_ms: expected a time after 2024-01-01T00:02:00.000Z, got 2024-01-01T00:01',
    ],
    [
      'a time off the grid',
      csv(`${START_MS + 1},10,12,9,11,5`),
      'bars.csv:2 open_time_ms: 2024-01-01T00:00:00.001Z is not the open of a 1m bar',
    ],
    ['seconds', csv(`${START_MS / 1000},10,12,9,11,5`), 'of the years 2000 to 2099, got "1704067200" (seconds?)'],
    ['microseconds', csv(`${START_MS}000,10,12,9,11,5`), 'of the years 2000 to 2099, got "1704067200000000" (finer than ms?)'],
    ['a date', csv('2024-01-01,10,12,9,11,5'), 'bars.csv:2 open_time_ms: expected Unix milliseconds, got "2024-01-01"'],
    ['a time with a fraction', csv(`${START_MS}.0,10,12,9,11,5`), 'open_time_ms: expected Unix milliseconds, got "1704067200000.0"'],
    ['a line of 10 MB', csv(row(0), 'x'.repeat(10_000_000)), 'bars.csv:3: a line of more than 65536 bytes'],
    ['a long line inside one piece', csv(row(0), 'x'.repeat(70_000), row(1)), 'bars.csv:3: a line of more than 65536 bytes'],
    ['text that is not a table', 'hello\nworld\n', 'bars.csv:1: expected the header'],
    [
      'gzip data cut short',
      gzipSync(csv(...Array.from({ length: 9999 }, (_, i) => row(i)))).subarray(0, 9000),
      'the gzip data is damaged or ends early, after line',
    ],
    [
      'gzip data of which a later member lost its first byte',
      Buffer.concat([gzipSync(csv(row(0))), Buffer.alloc(1), gzipSync(row(1)).subarray(1)]),
      'the gzip data is damaged: other bytes follow its end',
    ],
    ['a price of forty digits', csv(row(0), row(1, `10.${'1'.repeat(40)},12,9,11,5`)), 'bars.csv:3: prices of 40 digits behind the point'],
    ['damaged gzip data', Buffer.concat([gzipSync(csv(row(0))).subarray(0, 30), Buffer.alloc(40, 7)]), 'the gzip data is damaged'],
  ])('a bar file is refused, with file, line, column and reason: %s', async (_, content, message) => {
    expect((await readError(content)).message).toContain(message);
  });

  it('a missing file and a folder are rejected', async () => {
    await expect(readBarFile(join(folder, 'none.csv'), RULES)).rejects.toThrow('cannot be read: there is no such file');
    await expect(readBarFile(folder, RULES)).rejects.toThrow('cannot be read: it is a folder');
  });

  it('a price finer than the precision of the instrument is rejected', async () => {
    const content = csv(row(0, '10.10,12,9,11,5'), row(1, '10,12.345,9,11,5'));
    expect((await readError(content, { priceDigits: 2 })).message).toBe(
      `bars.csv:3 high: "12.345" is finer than the instrument's precision of 2 digits`,
    );
    expect((await read(content, { priceDigits: 3 })).columns.high[1]).toBe(12.345);
  });

  it('any line either gives a valid bar or is rejected with a ConfigError', () => {
    const field = fc.oneof(
      fc.constantFrom(
        '',
        '0',
        '-0',
        '-0.0',
        '.5',
        '5.',
        '1e5',
        'NaN',
        '00.10',
        '12.345678',
        '9007199254740993',
        '1'.repeat(400),
        '10\r',
        '0.049999999999999999',
        `10.${'1'.repeat(40)}`,
      ),
      fc.stringMatching(/^[0-9.,-]{0,20}$/),
      fc.string({ maxLength: 5 }),
    );
    const line = fc
      .tuple(fc.oneof(field, fc.constant(String(START_MS))), fc.array(field, { minLength: 4, maxLength: 6 }))
      .map(([a, b]) => [a, ...b].join(','));
    const property = fc.property(line, fc.constantFrom(null, 0, 2), fc.boolean(), (text, priceDigits, roundToTick) => {
      try {
        const { open, high, low, close, volume } = parse([text], { priceDigits, roundToTick }).columns;
        expect(
          low[0]! > 0 && low[0]! <= Math.min(open[0]!, close[0]!) && high[0]! >= Math.max(open[0]!, close[0]!) && volume[0]! >= 0,
        ).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigError);
      }
    });
    fc.assert(property, { numRuns: 3000 });
  });
});

describe('--round-to-tick', () => {
  it('--round-to-tick rounds a half upwards, exactly, as decimal.js does', () => {
    const price = fc.tuple(fc.nat(99_999), fc.stringMatching(/^[0-9]{1,22}$/)).map(([a, b]) => `${a + 1}.${b}`);
    const property = fc.property(price, fc.integer({ min: 0, max: 8 }), (text, priceDigits) => {
      const { columns, roundedMs } = parse([row(0, `${text},${text},${text},${text},1`)], { priceDigits, roundToTick: true });
      const isRounded = new Decimal(text).decimalPlaces() > priceDigits;
      expect(columns.open[0]).toBe(new Decimal(text).toDecimalPlaces(priceDigits, Decimal.ROUND_HALF_UP).toNumber());
      expect(roundedMs.length).toBe(isRounded ? 4 : 0);
    });
    fc.assert(property, {
      numRuns: 1000,
      examples: [
        ['1.005', 2],
        ['2.675', 2],
        ['1.4999999999999999999', 0],
      ],
    });
  });

  it('--round-to-tick counts prices and refuses one that becomes 0', async () => {
    const { roundedMs, seen } = await read(csv(row(0, '10.004,12.006,9.5,11,5')), { priceDigits: 2, roundToTick: true });
    expect([...roundedMs]).toEqual([START_MS, START_MS]);
    expect(seen.priceDigits).toBe(2);
    const error = await readError(csv(row(0, '10,12,0.0049,11,5')), { priceDigits: 2, roundToTick: true });
    expect(error.message).toBe('bars.csv:2 low: "0.0049" rounds to 0 at 2 digits');
  });
});
