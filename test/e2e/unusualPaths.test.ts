// Tests paths that no user means: empty words, FIFOs, devices and links in a circle. Each command ends at once and names the path.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CliFixture, STRATEGIES } from '../fixtures/cliFixture.ts';
import { commandIn } from '../fixtures/inProcess.ts';

const fixture = new CliFixture();
const { folder } = fixture;
/** A name that no file system takes. */
const LONG_NAME = 'x'.repeat(300);
let runFolder = '';

beforeAll(async () => {
  fixture.bars('TESTUSDT', '1h', 300);
  cpSync(join(STRATEGIES, 'smaCross.ts'), join(folder, 'smaCross.ts'));
  const definition = "strategy: smaCross.ts\nfeeds: { bars: { symbol: TESTUSDT, interval: 1h } }\ncash: { USDT: '1000' }\n";
  fixture.write('run.yaml', definition);
  fixture.write('latin.yaml', Buffer.from('# Schl\u00FCssel\nstrategy: s.ts\n', 'latin1'));
  fixture.write('wide.yaml', Buffer.from(`\uFEFF${definition}`, 'utf16le'));
  execFileSync('mkfifo', [join(folder, 'fifo')]);
  symlinkSync('circle', join(folder, 'circle'));
  mkdirSync(join(folder, 'empty'));
  mkdirSync(join(folder, 'bot', 'journal'), { recursive: true });
  execFileSync('mkfifo', [join(folder, 'bot', 'journal', 'journal-000001.jsonl')]);
  const { stdout } = await commandIn(folder, ['backtest', 'run.yaml', '--quiet']);
  runFolder = stdout.trim();
});
afterAll(() => fixture.remove());

/** Runs a command that must end with code 2, and returns the first line of its error. */
async function errorOf(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await commandIn(folder, args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/\n {2}[a-z-]/);
  return stderr.split('\n')[0]!;
}

it('an empty name and a dash are refused before a command takes them for the current folder', async () => {
  const before = readdirSync(folder);
  expect(await errorOf('init', '')).toBe("'': expected a name or a path, got an empty text");
  expect(await errorOf('init', '-')).toBe('-: expected a name or a path, got a dash');
  expect(await errorOf('data', 'import', '-', '--json')).toBe('-: expected a name or a path, got a dash');
  expect(await errorOf('backtest', '--json', '')).toBe("'': expected a name or a path, got an empty text");
  expect(readdirSync(folder)).toEqual(before);
});

it.each([
  ['a definition', ['backtest', 'fifo'], 'fifo: expected a file, got a FIFO'],
  ['a definition on a device', ['sweep', '/dev/zero', '--grid', 'fast=5'], '/dev/zero: expected a file, got a device'],
  ['a strategy', ['strategy', 'show', 'fifo'], 'fifo: expected a strategy file, got a FIFO'],
  ['a definition in UTF-16', ['backtest', 'wide.yaml'], 'wide.yaml: expected text in UTF-8, got text in another encoding, or no text'],
  ['a definition in Latin-1', ['backtest', 'latin.yaml'], 'latin.yaml: expected text in UTF-8, got text in another encoding, or no text'],
  [
    'an instrument record',
    ['data', 'import', 'run.yaml', '--symbol', 'A', '--interval', '1h', '--instrument', 'fifo'],
    'fifo: cannot be read: it is a folder, a FIFO, a socket or a device',
  ],
  ['the output folder', ['backtest', 'run.yaml', '--out', LONG_NAME], `--out ${LONG_NAME}: cannot be used: the name is too long`],
  ['the folder of a journal', ['journal', 'check', 'run.yaml/x'], 'run.yaml/x: no such file or folder'],
  ['a journal in a circle of links', ['journal', 'check', 'circle'], 'circle: no such file or folder'],
  ['a file of a journal', ['journal', 'check', 'bot'], 'bot/journal/journal-000001.jsonl: cannot be used (ENOFILE)'],
  ['a journal that is a file', ['replay', 'run.yaml'], 'run.yaml: expected a folder, got a file'],
  ['a bot without files', ['parity', 'empty'], 'empty: expected the data folder of a bot, or its journal, got another folder'],
])('a command names %s that it cannot use', async (_title, args, line) => {
  expect(await errorOf(...args)).toBe(line);
});

it('isobar verify --in names a file', async () => {
  expect(await errorOf('verify', runFolder, '--in', 'run.yaml')).toBe('--in run.yaml: expected a folder, got a file');
});

it('a ledger that is a FIFO is not waited for: the run says that it is not counted', async () => {
  mkdirSync(join(folder, 'trials'));
  execFileSync('mkfifo', [join(folder, 'trials', 'runs.jsonl')]);
  const { code, stdout } = await commandIn(folder, ['backtest', 'run.yaml', '--ledger', 'trials']);
  expect([code, stdout]).toEqual([0, expect.stringContaining('the run is not counted as a trial')]);
});

it.each(['summary.json', 'trades.csv'])('a run folder whose %s is a FIFO is not waited for', async (name) => {
  const copy = join(folder, 'copy');
  cpSync(join(folder, runFolder), copy, { recursive: true });
  rmSync(join(copy, name));
  execFileSync('mkfifo', [join(copy, name)]);
  expect(await errorOf('report', 'copy', '--as', 'freqtrade')).toBe(
    `copy/${name}: cannot be read: it is a folder, a FIFO, a socket or a device`,
  );
  rmSync(copy, { recursive: true });
});

it.each([
  [
    'without its last rows',
    (text: string) => text.split('\n').slice(0, -3).join('\n'),
    /trades\.csv: expected \d+ trades, as in summary\.json, got \d+ rows$/,
  ],
  ['with a row that is cut', (text: string) => text.trimEnd().slice(0, -20), /trades\.csv:\d+: expected \d+ cells, as in the header$/],
  [
    'with a number out of range',
    (text: string) => text.replace(/,\d{13},/, ',1e400,'),
    /trades\.csv:2 entry_ms: expected a number, got 1e400$/,
  ],
])('isobar report --as refuses trades.csv %s', async (_title, change, line) => {
  const path = join(folder, runFolder, 'trades.csv');
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, change(text));
  expect(await errorOf('report', runFolder, '--as', 'freqtrade', '--json')).toMatch(line);
  writeFileSync(path, text);
});
