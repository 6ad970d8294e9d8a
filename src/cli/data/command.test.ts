// Tests the output of `isobar data`: the text for people, the last line for scripts, and the errors.

import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import yargs from 'yargs';
import { barsPath } from '../../adapters/catalog/files/paths.ts';
import { dataCommand } from './command.ts';
import { progressText } from '../terminal/progressLine.ts';

const folder = mkdtempSync(join(tmpdir(), 'isobar-data-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => void (process.exitCode = undefined));

const catalog = join(folder, 'data');
/** Runs the command in this process, and returns its output. */
async function isobar(...args: string[]): Promise<string> {
  const writtenTexts: string[] = [];
  const out = vi.spyOn(process.stdout, 'write').mockImplementation((text) => (writtenTexts.push(String(text)), true));
  try {
    await yargs([])
      .command(dataCommand)
      .strict()
      .exitProcess(false)
      .fail(false)
      .parseAsync(['data', ...args, ...(args.includes('--catalog') ? [] : ['--catalog', catalog])]);
  } finally {
    out.mockRestore();
  }
  return writtenTexts.join('');
}
const plainText = (text: string) => text.replaceAll('\u2009', ' ').replaceAll(catalog, 'data').trimEnd();

describe('isobar data', () => {
  it('isobar data list of a missing folder names the command that imports bars', async () =>
    expect(plainText(await isobar('list'))).toBe('  data has no bars yet: there is no such folder; isobar data import FILE'));

  it('isobar data import ends with a line for scripts, and prints only JSON with --json', async () => {
    // A gap of 60 bars follows row 700, and each second bar has no volume.
    const minuteOf = (row: number) => (row < 700 ? row : row + 60);
    const rows = Array.from(
      { length: 1200 },
      (_, row) => `${Date.UTC(2024, 0, 1) + minuteOf(row) * 60_000},100.5,101,100,100.25,${row % 2}`,
    );
    const file = join(folder, 'BTCUSDT-1m.csv');
    writeFileSync(file, ['open_time_ms,open,high,low,close,volume'].concat(rows).join('\n'));
    expect(plainText(await isobar('import', file))).toBe(
      `  BTCUSDT 1m spot  1 200 bars  2024-01-01 00:00 – 2024-01-01 20:59 UTC
    from        BTCUSDT-1m.csv  (1 200 rows, 1 200 of them new)
    gaps        1  (60 bars missing, longest 60)
    no volume   600 bars
    instrument  BTC/USDT, price 2 and quantity 0 digits, minimum 1, fees 0.1 % / 0.1 %
                proposed from the data; to change it, edit data/spot/BTCUSDT/instrument.json
    written     data/spot/BTCUSDT/1m.arrow
1200 rows, 1 gaps, 60 missing bars`,
    );
    const parsed: unknown = JSON.parse(await isobar('import', file, '--json', '--interval', '1min'));
    expect(parsed).toMatchObject([
      { symbol: 'BTCUSDT', interval: '1m', rows: 1200, gaps: 1, missingBars: 60, newRows: 0, instrumentFrom: 'catalog' },
    ]);
  });

  it('isobar data list and check show the bars of generate and resample', async () => {
    expect(
      plainText(
        await isobar(
          'generate',
          '--symbol',
          'SYNUSDT',
          '--interval',
          '1m',
          '--from',
          '2024-01-01',
          '--bars',
          '5000',
          '--seed',
          '7',
          '--gap-share',
          '0.1',
        ),
      ),
    ).toContain('synthetic, seed 7');
    const resampleText = plainText(await isobar('resample', '--symbol', 'SYNUSDT', '--interval', '60min', '--min-coverage', '0.85'));
    expect(resampleText).toMatch(/resampled from 1m[^]*coverage {4}\d+ thin bars kept, \d+ left out/);
    const list = plainText(await isobar('list')).split('\n');
    expect(list.map((line) => line.split(/ {2,}/).slice(1, 4).join(' '))).toEqual([
      'market symbol interval',
      'spot BTCUSDT 1m',
      'spot SYNUSDT 1m',
      'spot SYNUSDT 1h',
    ]);
    expect(list[3]).toMatch(/synthetic$/);
    const check = plainText(await isobar('check'));
    expect(Math.max(...`${list.join('\n')}\n${check}\n${resampleText}`.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
    expect(check.split('\n').filter((line) => / ok /.test(line))).toHaveLength(3);
    expect(process.exitCode).toBeUndefined();
    expect(JSON.parse(await isobar('check', '--symbol', 'SYNUSDT', '--json'))).toMatchObject([
      { interval: '1m', unchanged: true },
      { interval: '1h', source: 'resampled' },
    ]);
  });

  it('isobar data check ends with exit code 1 for a file that another program changed', async () => {
    const { openSync, writeSync, closeSync } = await import('node:fs');
    const file = openSync(barsPath(catalog, { market: 'spot', symbol: 'SYNUSDT', interval: '1m' }), 'r+');
    writeSync(file, Buffer.alloc(8, 1), 0, 8, 30_000);
    closeSync(file);
    expect(plainText(await isobar('check', '--symbol', 'SYNUSDT', '--interval', '1m'))).toMatch(
      /CHANGED[^]*changed by another program since isobar wrote it/,
    );
    expect(process.exitCode).toBe(1);
  });

  it('isobar data check ends with exit code 1 for a truncated file, and checks the other files too', async () => {
    const broken = join(folder, 'broken');
    const bars = ['--interval', '1h', '--from', '2024-01-01', '--bars', '5', '--seed', '1', '--catalog', broken];
    await isobar('generate', '--symbol', 'CUTUSDT,SOUNDUSDT', ...bars);
    await isobar('generate', '--symbol', 'CONTRACTUSDT', '--market', 'futures', ...bars);
    truncateSync(barsPath(broken, { market: 'spot', symbol: 'CUTUSDT', interval: '1h' }), 300);
    truncateSync(join(broken, 'futures', 'CONTRACTUSDT', 'funding.arrow'), 300);
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    expect(await isobar('check', '--catalog', broken)).toMatch(/^(?![^]*CUTUSDT)[^]*SOUNDUSDT .* ok /);
    for (const file of ['CUTUSDT/1h.arrow', 'CONTRACTUSDT/funding.arrow'])
      expect(stderr).toHaveBeenCalledWith(expect.stringContaining(`${file}: not a whole Arrow file`));
    expect(process.exitCode).toBe(1);
    stderr.mockRestore();
  });

  it.each([
    [['check', '--symbol', 'NONE'], 'the catalog has no such bars'],
    [['check', '--catalog', '/none/data'], '/none/data: there is no such folder'],
    [['list', '--catalog', import.meta.filename], 'expected a folder, got a file'],
    [['check', '--catalog', import.meta.filename], 'expected a folder, got a file'],
    [
      ['resample', '--symbol', 'SYNUSDT', '--interval', '7s'],
      '--interval: expected a length such as 15s, 1m, 3h, 1d, 1w or 1M (seconds divide a minute, weeks at most a year), got "7s"',
    ],
    [
      ['resample', '--symbol', 'SYNUSDT', '--interval', '4h', '--min-coverage', '90'],
      '--min-coverage: expected a fraction from 0 to 1, got 90',
    ],
    [
      ['generate', '--symbol', 'SYNUSDT', '--interval', '1m', '--from', '2024-13-01', '--bars', '5', '--seed', '1'],
      '--from: expected a date',
    ],
    [['generate', '--symbol', 'BTCUSDT', '--interval', '1m', '--from', '2024-01-01', '--bars', '5', '--seed', '1'], 'there are real bars'],
    [
      ['generate', '--symbol', 'SYNUSDT', '--interval', '1m', '--from', '2024-01-01', '--bars', '5', '--seed', '-1'],
      'seed: expected a whole number from 0 to 2147483647, got -1',
    ],
    [
      ['generate', '--symbol', 'SYNUSDT', '--interval', '1m', '--from', '2024-01-01', '--bars', '5', '--seed', ''],
      "--seed: expected a number, got ''",
    ],
    [
      ['generate', '--symbol', 'SYNUSDT', '--interval', '1m', '--from', '2024-01-01', '--bars', 'many', '--seed', '1'],
      "--bars: expected a number, got 'many'",
    ],
    [['import', '/none/BTCUSDT-1m.csv'], 'there is no such file'],
    [['import'], 'Not enough non-option arguments'],
    [['import', '/none/nosuch.csv', '--as', 'funding'], '/none/nosuch.csv: cannot be read: there is no such file'],
    [['import', '/none/BTCUSDT.csv', '--as', 'funding', '--interval', '8h'], '--interval: expected not to be given with --as funding'],
    [
      ['import', '/none/BTCUSDT.csv', '--as', 'funding', '--instrument', 'x.json'],
      '--instrument: expected only with --as bars, got it with --as funding',
    ],
    [['import', '/none/BTCUSDT-1h.csv', '--as', 'mark', '--skip-bad'], '--skip-bad: expected only with --as bars, got it with --as mark'],
    [['list', '--symbl', 'X'], 'Unknown argument'],
  ])('isobar data %j fails with %s', async (args, message) => expect(isobar(...args)).rejects.toThrow(message));

  /** Half of the rows after half a second. */
  const HALF = { unit: 'rows', doneCount: 600_000, doneShare: 0.5, elapsedMs: 500 };

  it('isobar data shows progress as share, rate and time left', () => {
    expect(progressText({ name: 'BTCUSD-1m.csv.gz', ...HALF }).replaceAll('\u2009', ' ')).toBe(
      'BTCUSD-1m.csv.gz  50 %  ▇▇▇▇▇▁▁▁▁▁  1.2 M rows/s  0:01 left',
    );
    expect(
      progressText({ name: 'x'.repeat(90), unit: 'rows', doneCount: 60_000, doneShare: 0.01, elapsedMs: 2000 }).length,
    ).toBeLessThanOrEqual(100);
  });

  it('a progress line that is too long for the terminal omits the start of its name first, then the bar, then the rate', () => {
    const line = (columns: number, name = 'klines/binance-spot/BTCUSDT-1h.csv.gz') =>
      progressText({ name, ...HALF }, columns).replaceAll('\u2009', ' ');
    expect(line(99)).toBe('klines/binance-spot/BTCUSDT-1h.csv.gz  50 %  ▇▇▇▇▇▁▁▁▁▁  1.2 M rows/s  0:01 left');
    expect(line(59)).toBe('...SDT-1h.csv.gz  50 %  ▇▇▇▇▇▁▁▁▁▁  1.2 M rows/s  0:01 left');
    expect(line(49)).toBe('...CUSDT-1h.csv.gz  50 %  1.2 M rows/s  0:01 left');
    expect(line(30)).toBe('...-1h.csv.gz  50 %  0:01 left');
    for (let columns = 0; columns < 120; columns++) {
      expect(line(columns).length).toBeLessThanOrEqual(columns);
      expect(line(columns, 'a').length).toBeLessThanOrEqual(columns);
    }
  });

  it('isobar data import prints the number of files when their names are too long for a line of 100 columns', async () => {
    const row = (minute: number) => `${Date.UTC(2024, 0, 1) + minute * 60_000},100.5,101,100,100.25,1`;
    const files = [0, 1, 2].map((index) => {
      const file = join(folder, `LONGUSDT-1m-2024-0${index + 1}-of-three.csv`);
      writeFileSync(file, ['open_time_ms,open,high,low,close,volume', row(index)].join('\n'));
      return file;
    });
    const text = plainText(await isobar('import', ...files));
    expect(text).toContain('    from        3 files  (3 rows, 3 of them new)');
    expect(text.split('\n').filter((line) => line.length > 100)).toEqual([]);
    expect(plainText(await isobar('import', ...files.slice(0, 1)))).toContain('LONGUSDT-1m-2024-01-of-three.csv  (the catalog has');
  });

  it('isobar data import uses the singular for one bar and one row', async () => {
    const file = join(folder, 'ONEUSDT-1m.csv');
    const row = (minute: number) => `${Date.UTC(2024, 0, 1) + minute * 60_000},100.5,101,100,100.25,${minute}`;
    writeFileSync(file, ['open_time_ms,open,high,low,close,volume', row(0), row(2)].join('\n'));
    expect(plainText(await isobar('import', file))).toMatch(
      /gaps {8}1 {2}\(1 bar missing, longest 1\)\n {4}no volume {3}1 bar\n[^]*\n2 rows, 1 gaps, 1 missing bars$/,
    );
    writeFileSync(file, ['open_time_ms,open,high,low,close,volume', row(3)].join('\n'));
    expect(plainText(await isobar('import', file))).toContain('(1 row, 1 of them new)');
  });
});
