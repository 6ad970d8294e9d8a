// Tests that the same bars give the same columns in every format that isobar reads, and that other files are rejected with a reason.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import {
  barsFrom,
  binanceCsv,
  downloadedCsv,
  feather,
  featherOf,
  klinesJson,
  plainCsv,
  zipOf,
  type FileBar,
} from '../../../../test/fixtures/barFiles.ts';
import { seededRng } from '../../../base/number/rng.ts';
import { ConfigError } from '../../../base/errors.ts';
import type { Interval } from '../../../model/interval.ts';
import { RAW } from '../files/columns.ts';
import type { BarFormat } from './formats.ts';
import { readBarFile, type BarFile, type ReadRules } from '../readers/readBars.ts';

const folder = mkdtempSync(join(tmpdir(), 'isobar-formats-'));
afterAll(() => rmSync(folder, { recursive: true }));

const START_MS = Date.UTC(2025, 0, 1);
const RULES: ReadRules = {
  file: 'bars',
  interval: '1h',
  priceDigits: null,
  roundToTick: false,
  skipBad: false,
  baseAsset: 'BTC',
  format: null,
};
let fileCount = 0;
/** Reads a file with this content. */
function readContent(content: string | Uint8Array, rules: Partial<ReadRules> = {}): Promise<BarFile> {
  const path = join(folder, String(fileCount++));
  writeFileSync(path, content);
  return readBarFile(path, { ...RULES, ...rules });
}
/** Returns the message of the error for a file with this content. */
async function readError(content: string | Uint8Array, rules: Partial<ReadRules> = {}): Promise<string> {
  const error: unknown = await readContent(content, rules).catch((reason: unknown) => reason);
  if (!(error instanceof ConfigError)) throw new Error(`expected a ConfigError, got ${String(error)}`);
  expect(error.remedy).not.toBe('');
  return error.message;
}
/** Returns the columns as plain numbers, and the figures seen in them. */
const contentOf = ({ columns, seen }: BarFile) => ({ seen, rows: RAW.map((name) => [...columns[name]]) });

type Writer = (bars: readonly FileBar[], interval: Interval) => string | Uint8Array;
const WRITERS: readonly (readonly [string, BarFormat, Writer])[] = [
  ['Binance without a header, ms', 'binance', (bars, interval) => binanceCsv(bars, interval)],
  ['Binance without a header, us', 'binance', (bars, interval) => binanceCsv(bars, interval, { us: true })],
  [
    'Binance without a header, ns',
    'binance',
    (bars, interval) => binanceCsv(bars, interval, { us: true }).replaceAll(/^\d{16}|(?<=,)\d{16}(?=,)/gm, '$&000'),
  ],
  ['Binance with a header, ms', 'binance', (bars, interval) => binanceCsv(bars, interval, { header: true })],
  ['Binance with a header, us', 'binance', (bars, interval) => binanceCsv(bars, interval, { header: true, us: true })],
  ['CryptoDataDownload, Unix s', 'cryptodatadownload', (bars) => downloadedCsv(bars, 's')],
  ['CryptoDataDownload, Unix ms', 'cryptodatadownload', (bars) => downloadedCsv(bars, 'ms')],
  ['CryptoDataDownload, dates', 'cryptodatadownload', (bars) => downloadedCsv(bars, 'date')],
  ['CryptoDataDownload, dates with AM and PM', 'cryptodatadownload', (bars) => downloadedCsv(bars, 'date AM/PM')],
  ['klines of spot, ms', 'json', (bars) => klinesJson(bars, 'spot')],
  ['klines of spot, s', 'json', (bars) => klinesJson(bars, 'spot in s')],
  ['klines of futures', 'json', (bars) => klinesJson(bars, 'futures')],
  [
    'lists as freqtrade and Binance have them',
    'json',
    (bars) => JSON.stringify(bars.map((bar) => [bar.ms, bar.open, bar.high, bar.low, bar.close, bar.volume])),
  ],
  ['feather', 'feather', (bars) => feather(bars, 'none')],
  ['feather packed by LZ4', 'feather', (bars) => feather(bars, 'lz4')],
  ['feather packed by LZ4, in batches', 'feather', (bars) => feather(bars, 'lz4', 7)],
];

describe('the same bars are read from', () => {
  const bars = barsFrom(START_MS, 60, '1h');

  it.each(WRITERS)('the same bars are read from: %s', async (_, format, write) => {
    const expected = contentOf(await readContent(plainCsv(bars)));
    const content = write(bars, '1h');
    const readFile = await readContent(content);
    expect(contentOf(readFile)).toEqual(expected);
    expect(readFile.format).toBe(format);
    expect(contentOf(await readContent(content, { format }))).toEqual(expected);
    const other = format === 'json' ? 'feather' : 'json';
    expect(await readError(content, { format: other })).toMatch(`expected the format ${other}, got what looks like`);
  });

  it.each(WRITERS.filter(([, format]) => format !== 'feather'))('the same bars are read from: %s, packed', async (_, __, write) => {
    const expected = contentOf(await readContent(plainCsv(bars)));
    const content = write(bars, '1h');
    expect(contentOf(await readContent(gzipSync(content)))).toEqual(expected);
    expect(contentOf(await readContent(zipOf({ 'BTCUSDT-1h-2025-01.csv': content })))).toEqual(expected);
    expect(contentOf(await readContent(zipOf({ 'folder/': '', 'folder/b.csv': content }, false)))).toEqual(expected);
    expect(contentOf(await readContent(Buffer.concat([Buffer.from('\uFEFF'), Buffer.from(content)])))).toEqual(expected);
  });

  it('the same bars are read from: any table with a header that names the columns', async () => {
    const expected = contentOf(await readContent(plainCsv(bars)));
    const table = (header: string, row: (bar: FileBar) => string, end = '') => readContent([header, ...bars.map(row)].join('\r\n') + end);
    const isoTime = (ms: number) => new Date(ms).toISOString();
    const expectSameBars = async (file: Promise<BarFile>) => expect(contentOf(await file)).toEqual(expected);
    await expectSameBars(
      table(
        'Close,Low,High,Open,Volume,Timestamp',
        (bar) => `${bar.close},${bar.low},${bar.high},${bar.open},${bar.volume},${bar.ms / 1000}.0`,
      ),
    );
    await expectSameBars(
      table(
        ',open,high,low,close,volume',
        (bar) => `${isoTime(bar.ms)},${bar.open},${bar.high},${bar.low},${bar.close},${bar.volume}`,
        '\n\n',
      ),
    );
    await expectSameBars(
      table(
        'Open time,Open,High,Low,Close,Volume,x',
        (bar) => `"${isoTime(bar.ms).slice(0, 16)}", ${bar.open},${bar.high},${bar.low},${bar.close},${bar.volume},"y"`,
      ),
    );
    await expectSameBars(
      table(
        'date,open,high,low,close,vol',
        (bar) => `${isoTime(bar.ms + 7_200_000).slice(0, 19)}+02:00,${bar.open},${bar.high},${bar.low},${bar.close},${bar.volume}`,
      ),
    );
    await expectSameBars(
      table(
        'time,open,high,low,close,volume',
        (bar) => `${bar.ms},${bar.open}0,${bar.high},${bar.low},${(bar.close / 10).toFixed(5)}e1,${bar.volume}`,
      ),
    );
  });

  it('the same bars are read from: a file with the newest row first and with repeated rows', async () => {
    const rows = bars.flatMap((bar, i) => (i % 10 === 3 ? [bar, bar] : [bar]));
    const readFile = await readContent(downloadedCsv(rows, 's'));
    expect(contentOf(readFile)).toEqual(contentOf(await readContent(plainCsv(bars))));
    expect(readFile.repeats).toBe(6);
    // Lines count from the start of the file. The address and the header are lines 1 and 2, and the newest bar is line 3.
    expect([readFile.lines[59], readFile.lines[0]]).toEqual([3, 68]);
  });

  it('the same bars are read from: a table with a symbol in each row, in different notations', async () => {
    const readFile = await readContent(tableOf(bars.map((bar, i) => symbolRow(i < 9 ? 'BTC/USDT' : 'btcusdt')(bar))));
    expect(contentOf(readFile)).toEqual(contentOf(await readContent(plainCsv(bars))));
  });

  it('the same bars are read from: a table with volumes in quote and base, by the name of the base asset', async () => {
    const content = downloadedCsv(bars, 's');
    const swapped = await readContent(content.replace('"Volume BTC","Volume USDT"', '"Volume USDT","Volume BTC"'));
    expect([...swapped.columns.volume]).not.toEqual([...(await readContent(content)).columns.volume]);
    expect(await readError(content, { baseAsset: 'ETH' })).toBe('bars:2: expected the volume of ETH, got "Volume BTC", "Volume USDT"');
  });
});

/** Returns a function that writes the row of a bar with this symbol. */
const symbolRow = (symbol: string) => (bar: FileBar) => `${bar.ms},${symbol},${bar.open},${bar.high},${bar.low},${bar.close},${bar.volume}`;
const tableOf = (rows: readonly string[]) => ['time,Symbol,open,high,low,close,volume', ...rows].join('\n');

describe('is refused:', () => {
  const bars = barsFrom(START_MS, 5, '1h');
  const firstLines = (text: string, lineCount: number) => text.split('\n').slice(0, lineCount).join('\n');

  it.each<[string, () => string | Uint8Array, Partial<ReadRules>, string]>([
    [
      'rows without a header, of no known layout',
      () => firstLines(plainCsv(bars).split('\n').slice(1).join('\n'), 9),
      {},
      "bars:1: expected a header, or the 12 columns of Binance's public data, got a row of 6",
    ],
    [
      'a header without prices',
      () => 'date,price\n2024-01-01,5',
      {},
      'bars:1: expected the header open_time_ms,open,high,low,close,volume, got "date,price": no column open',
    ],
    ['semicolons', () => 'date;open;high;low;close;volume\n1;2;3;4;5;6', {}, 'bars:1: expected commas between the columns, got semicolons'],
    ['tabs', () => 'date\topen\thigh\tlow\tclose\tvolume', {}, 'bars:1: expected commas between the columns, got tabs'],
    ['two columns of one name', () => 'time,open,high,low,close,volume,Close', {}, 'bars:1: expected one column close, got several'],
    ['a header without volume', () => 'date,open,high,low,close\n2024-01-01,5,5,5,5', {}, 'no column volume'],
    ['a header alone', () => firstLines(binanceCsv(bars, '1h', { header: true }), 1), {}, 'bars: there are no rows in it'],
    ['an address alone', () => 'https://www.CryptoDataDownload.com\n', {}, 'bars: there are no rows in it'],
    ['a row that is short', () => `${binanceCsv(bars, '1h')}1,2,3`, {}, 'bars:6: expected 12 columns, got 3'],
    [
      'picoseconds',
      () => binanceCsv(bars, '1h', { us: true }).replaceAll('000,', '000000000,'),
      {},
      'expected a Unix time in s, ms, us or ns',
    ],
    [
      'a date of which the order is not known',
      () => 'date,open,high,low,close,volume\n01/02/2024,1,1,1,1,1',
      {},
      'bars:2 date: expected a Unix time in s, ms, us or ns, or a date',
    ],
    [
      'an offset from UTC that no place has',
      () => 'date,open,high,low,close,volume\n2024-01-02 00:00+24:00,1,1,1,1,1',
      {},
      'bars:2 date: expected a Unix time in s, ms, us or ns, or a date',
    ],
    [
      'rows of another symbol, however their times go on',
      () => tableOf([...bars.slice(0, 3).map(symbolRow('BTC/USDT')), ...bars.slice(3).map(symbolRow('ETH/USDT'))]),
      {},
      'bars:5 Symbol: expected the symbol of the rows before it, BTCUSDT, got "ETH/USDT"',
    ],
    [
      'another interval',
      () => binanceCsv(barsFrom(START_MS + 300_000, 5, '5m'), '5m'),
      {},
      'bars:1 open_time: 2025-01-01T00:05:00.000Z is not the open of a 1h bar',
    ],
    ['JSON that is cut', () => klinesJson(bars, 'spot').slice(0, -9), {}, 'bars: no valid JSON'],
    ['JSON of something else', () => '{"code":-1121,"msg":"Invalid symbol."}', {}, 'bars: expected a list of klines, got {"code":-1121'],
    [
      'a list of something else',
      () => '[{"price":"5"}]',
      {},
      'bars[0]: expected an object with idx, open, high, low, close, vol, got {"price":"5"}',
    ],
    [
      'lists in lists, deeper than the stack',
      () => `[${'['.repeat(50_000)}${']'.repeat(50_000)}]`,
      {},
      'bars[0]: expected an object with idx, open, high, low, close, vol, got ["..."]',
    ],
    ['an object as deep', () => `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, {}, 'bars: expected a list of klines, got {"a":"..."}'],
    ['an empty list', () => '[]', {}, 'bars: there are no rows in it'],
    [
      'a kline whose price is not a number',
      () => klinesJson(bars, 'futures').replace('"100.', '"x100.'),
      {},
      'bars[0] open: expected a plain decimal, got "x100.',
    ],
    [
      'a table that is none of bars',
      () => featherOf('x', [1]),
      {},
      'bars: expected the columns date (timestamp), open, high, low, close, volume (float64), got x (float64)',
    ],
    ['a table that is cut', () => feather(bars, 'lz4').subarray(0, 900), {}, 'its end is missing'],
    ['a zip of two files', () => zipOf({ a: plainCsv(bars), b: plainCsv(bars) }), {}, 'expected a zip of one file, got 2'],
    ['a zip of nothing', () => zipOf({}), {}, 'expected a zip of one file, got 0'],
    ['a zip of an empty file', () => zipOf({ a: '' }, false), {}, 'the file is empty'],
    ['a zip that is cut', () => zipOf({ a: plainCsv(bars) }).subarray(0, 200), {}, 'the zip data is damaged or ends early'],
    [
      'a zip whose stated length is wrong',
      () => {
        const zip = zipOf({ a: plainCsv(bars) });
        const directory = zip.lastIndexOf('PK\x01\x02');
        zip.writeUInt32LE(zip.readUInt32LE(directory + 24) + 1, directory + 24);
        return zip;
      },
      {},
      'the zip data is damaged',
    ],
    [
      'a zip whose content was changed',
      () =>
        Buffer.from(
          zipOf({ a: plainCsv(bars) }, false)
            .toString('latin1')
            .replace(/,\d(?=\.\d*\n)/, ',9'),
          'latin1',
        ),
      {},
      'the zip data is damaged',
    ],
    ['damaged Parquet', () => 'PAR1....PAR1', {}, 'not a whole Parquet file'],
    ['encrypted Parquet', () => 'PARE....PARE', {}, 'an encrypted Parquet file'],
    ['UTF-16', () => Buffer.from('\uFEFFdate,open', 'utf16le'), {}, 'text in UTF-16'],
    ['an Arrow stream', () => Uint8Array.of(255, 255, 255, 255, 0, 1, 0, 0), {}, 'an Arrow stream, which isobar does not read'],
    ['bytes', () => new Uint8Array(5000), {}, 'neither text nor an Arrow or Parquet file'],
  ])('is refused: %s', async (_, content, rules, message) => expect(await readError(content(), rules)).toContain(message));

  it('is refused: a computed price that is not a decimal, with its row', async () => {
    const noisy = (price: number) => bars.map((bar, i) => (i === 2 ? { ...bar, high: price } : bar));
    expect(await readError(feather(noisy(2000 / 3), 'none'))).toMatch(/^bars row 3: prices of \d+ digits behind the point, up to 666\.66/);
    const small = bars.map((bar, i) => ({ ...bar, open: 0.25, high: i === 2 ? 0.1 + 0.2 : 0.5, low: 0.25, close: 0.25 }));
    expect(await readError(feather(small, 'none'))).toMatch(/^bars row 3: prices of 16 digits behind the point, up to 0.30000000000000004/);
    const rounded = await readContent(feather(small, 'none'), { priceDigits: 2, roundToTick: true });
    expect([rounded.columns.high[2], ...rounded.roundedMs]).toEqual([0.3, START_MS + 2 * 3_600_000]);
    expect(await readError(feather(noisy(101.005), 'none'), { priceDigits: 2 })).toBe(
      `bars row 3 high: "101.005" is finer than the instrument's precision of 2 digits`,
    );
  });
});

describe('--skip-bad', () => {
  it.each(WRITERS.filter(([, format]) => format === 'binance' || format === 'cryptodatadownload'))(
    '--skip-bad sets bad lines of %s aside',
    async (_, __, write) => {
      const bars = barsFrom(START_MS, 12, '1h');
      const lines = String(write(bars, '1h')).trimEnd().split('\n');
      const badIndex = lines.length - 4;
      const wholeFile = await readContent(lines.join('\n'));
      lines[badIndex] = lines[badIndex]!.replaceAll('0', 'o');
      lines.splice(-1, 0, 'so,not');
      const readFile = await readContent(lines.join('\n'), { skipBad: true });
      expect(readFile.rejects).toMatchObject([
        { line: badIndex + 1, text: lines[badIndex], reason: expect.stringContaining('expected') },
        { line: lines.length - 1, text: 'so,not', reason: expect.stringContaining('columns, got 2') },
      ]);
      expect(readFile.columns.length).toBe(11);
      expect(wholeFile.columns.length).toBe(12);
      expect(await readError(lines.join('\n'))).toMatch(new RegExp(`^bars:${badIndex + 1} `));
    },
  );

  it('--skip-bad rejects a file in which every row is bad', async () =>
    expect(await readError('date,open,high,low,close,volume\nx,1,1,1,1,1\ny,1,1,1,1,1', { skipBad: true })).toMatch(
      /^bars:2: date: expected .* got "x"; as all 2 rows, it is bad$/,
    ));

  it('--skip-bad sets rows of tables and lists aside', async () => {
    const bars = [...barsFrom(START_MS, 9, '1h')];
    bars[4] = { ...bars[4]!, low: bars[4]!.high + 1 };
    bars[6] = { ...bars[6]!, volume: NaN };
    const table = await readContent(feather(bars, 'lz4'), { skipBad: true });
    expect(table.rejects.map(({ line, reason }) => [line, reason.slice(0, 20)])).toEqual([
      [5, 'low: expected low <='],
      [7, 'volume: expected a p'],
    ]);
    const list = await readContent(klinesJson(bars, 'futures'), { skipBad: true });
    expect(list.rejects.map(({ line }) => line)).toEqual([5, 7]);
    expect(contentOf(list)).toEqual(contentOf(table));
  });
});

it('a file with any bytes is read, or rejected with a reason', () => {
  const bars = barsFrom(START_MS, 20, '1h');
  const contents = [
    ...WRITERS.map(([, , write]) => Buffer.from(write(bars, '1h'))),
    zipOf({ a: binanceCsv(bars, '1h') }),
    gzipSync(plainCsv(bars)),
  ];
  const property = fc.asyncProperty(
    fc.nat(contents.length - 1),
    fc.nat(1_000_000),
    fc.boolean(),
    fc.boolean(),
    async (contentIndex, seed, skipBad, isCut) => {
      const content = Buffer.from(contents[contentIndex]!);
      const rng = seededRng(seed);
      for (let i = 0; i < 1 + rng.next() * 4; i++) content[Math.floor(rng.next() * content.length)] = Math.floor(rng.next() * 256);
      const end = isCut ? Math.floor(rng.next() * content.length) : content.length;
      const readFile: unknown = await readContent(content.subarray(0, end), { skipBad }).catch((error: unknown) => error);
      if (readFile instanceof Error) expect(readFile).toBeInstanceOf(ConfigError);
    },
  );
  return fc.assert(property, { numRuns: 600 });
});
