// Tests bad input to the real command: it exits with its documented code, names the cause, and leaves no run folder.

import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CliFixture, COMMAND, type CommandOutput } from '../fixtures/cliFixture.ts';
import { backtestIn, backtestOnFileIn, commandIn } from '../fixtures/inProcess.ts';

const fixture = new CliFixture();
const HEADER = 'open_time_ms,open,high,low,close,volume\n';

/** Returns one line of a file of bars. */
const csvRow = (minute: number, close = '101') => `${Date.UTC(2024, 0, 1) + minute * 60_000},100,105,95,${close},2\n`;
/** Returns the lines of the minutes from `fromMinute` on, below `toMinute`. */
const csvRows = (fromMinute: number, toMinute: number) =>
  Array.from({ length: toMinute - fromMinute }, (_, index) => csvRow(fromMinute + index)).join('');

/** Returns a strategy file with this body. */
const strategyWith = (body: string) => `import { sma, Strategy } from 'isobar';
export default class Culprit extends Strategy {
  average = this.use(sma(this.bars.close, 3));
  ${body}
}
`;

/** Returns code that blocks its thread for `ms` without using the processor. */
const blockThread = (ms: number) => `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${ms})`;

const STRATEGIES: Readonly<Record<string, string>> = {
  good: strategyWith('override onBar() {}'),
  throws: strategyWith("n = 0;\n  override onBar() {\n    if (++this.n === 5) throw new Error('five is enough');\n  }"),
  throwsEarly: strategyWith("x = (() => { throw new Error('not yet'); })();\n  override onBar() {}"),
  promise: strategyWith('override onBar() { return Promise.resolve(); }'),
  async: strategyWith('override async onBar() {}'),
  throwsInTimer: strategyWith("override onBar() { setTimeout(() => { throw new Error('too late'); }, 0); }"),
  throwsWithoutText: strategyWith("override onBar() { throw { toString() { throw new Error('no text'); } }; }"),
  loops: strategyWith('n = 0;\n  override onBar() { if (++this.n === 40) for (;;); }'),
  interrupted: `import { writeSync } from 'node:fs';\n${strategyWith(`override onBar() { writeSync(2, 'at work'); for (;;) ${blockThread(20)}; }`)}`,
  loopsOnLoad: `for (;;) ${blockThread(20)};\n${strategyWith('override onBar() {}')}`,
  slow: strategyWith(`override onBar() { ${blockThread(3)}; }`),
  exitsProcess: strategyWith('override onBar() { process.exit(0); }'),
  noCallback: strategyWith(''),
  negative: strategyWith('override onBar() { this.buy({ base: -1 }); }'),
  badImport: "import { smaa, Strategy } from 'isobar';\nexport default class A extends Strategy { s = smaa; override onBar() {} }\n",
  noClass: 'export const a = 1;\n',
};

const FILES: Readonly<Record<string, string>> = {
  'good-1m.csv': HEADER + csvRows(0, 100),
  'header-1m.csv': `time,o,h,l,c,v\n${csvRows(0, 5)}`,
  'nan-1m.csv': HEADER + csvRows(0, 3) + csvRow(3, 'NaN') + csvRows(4, 6),
  'unsorted-1m.csv': HEADER + csvRows(0, 3) + csvRow(1) + csvRows(4, 6),
  'empty-1m.csv': '',
  'long-1m.csv': HEADER + csvRows(0, 3) + '9'.repeat(10_000_000),
};

beforeAll(() => {
  for (const [name, text] of Object.entries(STRATEGIES)) fixture.write(`${name}.ts`, text);
  for (const [name, text] of Object.entries(FILES)) fixture.write(name, text);
  fixture.bars('TESTUSDT', '1m', 500);
});
afterAll(() => fixture.remove());

/** Returns the definition of a run of one of the strategies above. */
function definition(name: string, extraKeys = '', file = `${name}.yaml`): string {
  const text = `strategy: ${name}.ts\nfeeds: { bars: { symbol: TESTUSDT, interval: 1m } }\ncash: { USDT: '1000' }\n${extraKeys}`;
  fixture.write(file, text);
  return file;
}

/** Texts that must occur on stderr. */
type ErrorTexts = readonly (string | RegExp)[];

/** Runs the command in this process and expects it to fail. The checks are the same as in a new process. */
async function expectFailureHere(args: readonly string[], code: number, ...texts: ErrorTexts): Promise<void> {
  expectFailed(await commandIn(fixture.folder, args), code, texts);
}

/** Runs the command in a new process and expects it to fail. */
async function expectFailure(args: readonly string[], code: number, ...texts: ErrorTexts): Promise<void> {
  expectFailed(await fixture.run(...args), code, texts);
}

/** Expects an exit code, texts on stderr, nothing on stdout, and no run folder. */
function expectFailed(finished: CommandOutput, code: number, texts: ErrorTexts): void {
  for (const text of texts) expect(finished.stderr).toMatch(text);
  expect(finished.stderr).not.toContain('fault of isobar');
  expect([finished.code, finished.stdout]).toEqual([code, '']);
  expect(fixture.runs()).toEqual([]);
}

describe('a file of bars that cannot be read', () => {
  const files = [
    ['a name that no file has', 'none-1m.csv', [/none-1m\.csv/, /no such file/]],
    ['a NaN', 'nan-1m.csv', [/nan-1m\.csv:5/, /close/, /NaN/]],
    ['a wrong header', 'header-1m.csv', [/header-1m\.csv:1/, /open_time_ms/]],
    ['unsorted rows', 'unsorted-1m.csv', [/unsorted-1m\.csv:5/]],
    ['no bytes', 'empty-1m.csv', [/empty-1m\.csv/, /empty/]],
    ['a line of 10 MB', 'long-1m.csv', [/long-1m\.csv:5/]],
  ] as const;

  test.concurrent.each(files.slice(0, 2))(
    'isobar backtest in a new process ends with code 2 for a file of bars with %s',
    async (_, file, texts) => expectFailure(['backtest', 'good.ts', '--data', file, '--cash', '1000', '--symbol', 'TESTUSDT'], 2, ...texts),
  );

  test.each(files)('isobar backtest ends with code 2 for a file of bars with %s', async (_, file, texts) =>
    expectFailed(await backtestOnFileIn({ folder: fixture.folder, strategy: 'good.ts', data: file, symbol: 'TESTUSDT' }), 2, texts),
  );

  test('isobar data import ends with code 2 if two files have different bars of one minute', async () => {
    fixture.write('AUSDT-1m.csv', HEADER + csvRows(0, 10));
    fixture.write('BUSDT-1m.csv', HEADER + csvRow(5, '102') + csvRows(6, 20));
    await expectFailureHere(
      ['data', 'import', 'AUSDT-1m.csv', 'BUSDT-1m.csv', '--symbol', 'XUSDT', '--catalog', 'other'],
      2,
      /BUSDT-1m\.csv/,
      /2024-01-01T00:05/,
    );
  });
});

describe('an invalid definition', () => {
  const unknownSymbol = /--set feeds\.bars\.symbol: unknown symbol TESTUSD, the nearest in the catalog is TESTUSDT/;

  test('isobar backtest in a new process ends with code 2 for an unknown symbol', async () => {
    await expectFailure(['backtest', definition('good'), '--set', 'feeds.bars.symbol=TESTUSD'], 2, unknownSymbol);
  });

  // The same functions refuse the others, so these need no process of their own.
  test.each([
    ['an unknown symbol', 'feeds.bars.symbol=TESTUSD', [unknownSymbol]],
    ['no bars in the range', 'from=2025-01-01', [/no bars from 2025-01-01/]],
    ['a missing catalog', 'catalog=nowhere', [/--set catalog: expected a catalog folder, got 'nowhere'/, /isobar data import/]],
    ['cash in another asset', 'cash={ EUR: "5" }', [/--set cash: expected some USDT/]],
    ['a missing strategy file', 'strategy=gone.ts', [/--set strategy: expected a strategy file, got 'gone.ts'/]],
    ['an unknown parameter', 'params.fast=1', [/--set params\.fast: no such parameter/]],
    ['an unknown key', 'sede=1', [/--set sede: unknown key sede, the nearest valid one is seed/]],
  ])('isobar backtest ends with code 2 for a definition with %s', async (_, setting, texts) =>
    expectFailed(await backtestIn(fixture.folder, definition('good'), [setting]), 2, texts),
  );

  test('isobar backtest rejects options that would have no effect', async () => {
    await expectFailureHere(['backtest', definition('good'), '--cash', '5'], 2, /^--cash: expected a strategy file \(\.ts\) with --data/);
    await expectFailureHere(['backtest', '--demo', '--interval', '1h'], 2, /^--interval: expected not to be given with --demo/);
    await expectFailureHere(['backtest', 'x.ts', '--demo', '--data', 'x.csv'], 2, /^--data: expected not to be given with --demo/);
    await expectFailureHere(
      ['backtest', definition('good'), '--demo'],
      2,
      /^--demo: expected a strategy file \(\.ts\) or nothing with it, got /,
    );
  });

  test('a command ends with code 2 before anything runs if its folder is a file or cannot be written', async () => {
    fixture.write('afile', '');
    const sweep = ['sweep', definition('good'), '--grid', 'fast=3,4'];
    await expectFailureHere(['backtest', definition('good'), '--out', 'afile'], 2, /^--out afile: expected a folder, got a file\n/);
    await expectFailureHere(
      ['backtest', definition('good'), '--out', 'afile/x'],
      2,
      /^--out afile\/x: expected a folder, got a file, .*afile\n/,
    );
    await expectFailureHere(['backtest', 'afile/x.yaml'], 2, /^afile\/x\.yaml: no such file\n/);
    await expectFailureHere(['report', 'afile/x'], 2, /^afile\/x: no such run folder\n/);
    await expectFailureHere([...sweep, '--out', 'afile'], 2, /^--out afile: expected a folder, got a file\n/);
    // A system folder in which even root cannot write. Node would try forever to create a subfolder.
    await expectFailureHere(
      ['backtest', definition('good'), '--out', '/proc/isobar/runs'],
      2,
      /^--out \/proc\/isobar\/runs: \/proc may not be written to/,
    );
    const generate = 'data generate --symbol AAAUSDT --interval 1h --from 2024-01-01 --bars 9 --seed 1 --catalog /proc/x';
    await expectFailureHere(generate.split(' '), 2, /^--catalog \/proc\/x: \/proc may not be written to/);
    await expectFailureHere([...sweep, '--ledger', 'afile'], 2, /^--ledger afile: expected a folder, got a file\n/);
  });

  test('an invalid value in a definition is reported with its line', async () => {
    const wrong = definition('good', 'fees: { taker: 0.001 }\n', 'unquoted.yaml');
    expectFailed(await backtestIn(fixture.folder, wrong), 2, [
      /^unquoted\.yaml:4 fees\.taker: expected a quoted decimal .*, got 0\.001\n {2}put the number in quotes: taker: '0\.001'\n$/,
    ]);
  });
});

describe('a file that is not a strategy', () => {
  test.each([
    ['async', [/async\.ts: expected a synchronous onBar/]],
    ['noCallback', [/Culprit/]],
    ['noClass', [/noClass\.ts: expected a default export, got none/]],
  ])('isobar backtest ends with code 2 for the file %s, which is not a strategy', async (name, texts) =>
    expectFailed(await backtestIn(fixture.folder, definition(name)), 2, texts),
  );
});

describe.concurrent('a faulty strategy', () => {
  test.each([
    ['throws', 1, [/Culprit threw at 2024-01-01 00:\d\d UTC: five is enough/, /\/throws\.ts:6:/, /^(?![^]*blockLoop)/]],
    ['throwsEarly', 1, [/Culprit threw while it was constructed: not yet/, /\/throwsEarly\.ts:4:/]],
    ['promise', 1, [/Culprit: onBar returned a promise/]],
    ['throwsWithoutText', 1, [/^Culprit threw at .* UTC: a value of type object that has no text\n/]],
    ['exitsProcess', 1, [/Culprit/, /process\.exit/]],
    ['negative', 1, [/Culprit: an order of a negative size, -1 base, at 2024-01-01 00:\d\d UTC/]],
    ['badImport', 2, [/badImport\.ts: isobar exports no 'smaa', the nearest is sma/]],
  ])('a run of the strategy %s ends with code %i', async (name, code, texts) =>
    (name === 'throws' ? expectFailure : expectFailureHere)(['backtest', definition(name)], code, ...texts),
  );

  test('an added comment moves the reported line, although the code is the same', async () => {
    const text = STRATEGIES['throws']!;
    fixture.write('commented.ts', text);
    await expectFailureHere(['backtest', definition('commented')], 1, /commented\.ts:6:/);
    fixture.write('commented.ts', `// one line more\n${text}`);
    await expectFailureHere(['backtest', definition('commented')], 1, /commented\.ts:7:/);
  });

  test('a strategy that loops without end is ended, and the error names its bar', async () => {
    await expectFailure(
      ['backtest', definition('loops'), '--bar-timeout', '1'],
      1,
      /Culprit: no answer for 1 s on the bar that closed at 2024-01-01 00:\d\d UTC/,
    );
  });

  test('an interrupted run leaves no folder, and ends with the exit code of the signal', async () => {
    const { code } = await fixture.interrupt('at work', 'backtest', definition('interrupted'), '--bar-timeout', '0');
    expect(code).toBe(130);
    expect(fixture.runs()).toEqual([]);
  });

  test('a slow strategy is not treated as a stalled one', async () => {
    const { code, stderr } = await fixture.run('backtest', definition('slow'), '--bar-timeout', '1', '--quiet', '--out', 'slow');
    expect([code, stderr]).toEqual([0, '']);
  });

  test('a file that loops without end while it is loaded is ended', async () => {
    await expectFailure(['backtest', definition('loopsOnLoad'), '--bar-timeout', '1'], 1, /no answer for 1 s while its file was loaded/);
  });
});

// Node itself needs some twenty files before it runs any code.
test.each([28, 34, 44])('isobar backtest ends with code 2 and names the limit if it may open only %i files', (limit) => {
  const limited = ['-c', `ulimit -n ${limit}; exec "$0" "$@"`, process.execPath, COMMAND, 'backtest', definition('good')];
  const { status, stdout, stderr } = spawnSync('sh', limited, { cwd: fixture.folder, encoding: 'utf8' });
  const remedy = 'raise the limit of open files: ulimit -n 1024';
  expectFailed({ code: status, stdout, stderr }, 2, [`isobar: too many files are open\n  ${remedy}`, /^(?![^]*\n    at )/]);
});

// These run alone: they end while a run is written, and other tests check that no run folder exists.
test('an error in a timer or promise of a strategy is attributed to the strategy, and leaves no run folder', async () => {
  const texts = [/^Culprit threw in a timer or a promise of its own: too late\n/, /\/throwsInTimer\.ts:4:/, /^(?![^]*node:internal)/];
  await expectFailure(['backtest', definition('throwsInTimer')], 1, ...texts);
});
