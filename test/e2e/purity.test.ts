// Tests `isobar backtest` on two corpora of strategies: it warns about every biased one and about no clean one.

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { warningClass, type Warning } from '../../src/model/warning.ts';
import { backtestOnFileIn, commandIn, commandInKeptThread } from '../fixtures/inProcess.ts';
import { endKeptThread } from '../fixtures/keptThread.ts';
import { ROOT } from '../fixtures/packed.ts';
import { KINDS, strategiesOf, writeBars, writeCorpora, type CorpusKind } from '../fixtures/purityCorpus.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
let folder = '';

/** The names of the strategy files of one corpus. */
interface Corpus {
  readonly kind: CorpusKind;
  readonly names: readonly string[];
}

const corpora: readonly Corpus[] = KINDS.map((kind) => ({ kind, names: strategiesOf(kind) }));

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'isobar-purity-'));
  writeCorpora(folder, 3000);
});
afterAll(async () => {
  await endKeptThread();
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Biased strategies that change state shared by all code of their thread, or whose callbacks may come after the run. Each gets its own
 * thread. The others leave nothing behind, and share a reused thread.
 */
const NEED_OWN_THREAD = new Set([
  // It adds members to built-ins.
  'clean/packageLocal.ts',
  ...[
    'abortTimeout', 'asyncGen', 'asyncHelper', 'asyncNoAwait', 'constructorPromise', 'fetch', 'immediate', 'micro', 'promise', 'timeout',
    'child', 'ctorThis', 'decimalMethod', 'decimalSettings', 'fixedStackLimit', 'globalSwap', 'globalThis', 'host', 'inspector', 'iteratorSwap', 'listenerLimit', 'lockedStack', 'lockedStackLimit', 'redefinedIterator', 'requireCache', 'patchMap', 'patchMath', 'promisesMark', 'putBack', 'quietIterator', 'setter', 'subtle', 'symbols', 'walk', 'lateGetter', 'lateGlobal', 'lateIterator', 'lateSpecies', 'packageGetHours', 'workerThreads',
  ].map((name) => `biased/${name}.ts`),
]); // prettier-ignore

/** The outcome of a run, with its warnings about look-ahead, state and impure calls only. */
interface RunOutcome {
  readonly code: number;
  readonly stderr: string;
  readonly warnings: readonly Warning[];
}

const OPTIONS = ['--data', 'BTCUSDT-1h.csv', '--cash', '1000000', '--json', '--quiet', '--no-report'];

/** Runs the command in this process. The strategy still runs in a thread. */
async function runInThread(file: string): Promise<RunOutcome> {
  const args = ['backtest', file, ...OPTIONS, '--out', `runs-${file.replaceAll(/\W/g, '-')}`];
  const runCommand = NEED_OWN_THREAD.has(file) ? commandIn : commandInKeptThread;
  const { code, stdout, stderr } = await runCommand(folder, args);
  const { warnings = [] } = (stdout === '' ? {} : JSON.parse(stdout)) as Partial<RunOutcome>;
  return { code: code ?? NaN, stderr, warnings: suspicions(warnings) };
}

/** Returns the warnings about look-ahead, state and impure calls. */
const suspicions = (warnings: readonly Warning[]): readonly Warning[] =>
  warnings.filter((warning) => ['lookahead', 'state', 'impure'].includes(warningClass(warning)));

/** Clean strategies that need a thread of their own: its streams, built-ins that are fixed, or a sample with orders that have filled. */
const CLEAN_WITH_THREAD = new Set([
  'sessionHours.ts',
  'console.ts',
  'functionMembers.ts',
  'guardedGlobals.ts',
  'hashedTimes.ts',
  'iteratorMembers.ts',
  'moonPhase.ts',
  'ownDates.ts',
  'ownRolls.ts',
  'ownIterator.ts',
  'packageClock.ts',
  'packageLateClean.ts',
  'packageLoad.ts',
  'packageLocal.ts',
  'packageMixin.ts',
  'packageParent.ts',
  'packageSettings.ts',
  'packageWait.ts',
  'packageWaitsAtLoad.ts',
  'requiredModules.ts',
  'weekScores.ts',
]);

/** The other clean strategies leave nothing behind. */
const isRunHere = (kind: Corpus['kind'], name: string): boolean => kind === 'clean' && !CLEAN_WITH_THREAD.has(name);

/** Runs the strategy in this thread, as the command does in a worker. */
async function runHere(file: string): Promise<RunOutcome> {
  let warnings: readonly Warning[] = [];
  const read = (summary: Pick<RunOutcome, 'warnings'>): void => void (warnings = suspicions(summary.warnings));
  const { code, stderr } = await backtestOnFileIn({ folder, strategy: file, data: 'BTCUSDT-1h.csv', symbol: 'BTCUSDT' }, read);
  return { code: code ?? NaN, stderr, warnings };
}

describe.each(corpora)('the $kind corpus', ({ kind, names }) => {
  test.each(names)(
    `%s ${kind === 'clean' ? 'runs without a warning' : 'gets a warning, or ends with an error of its own'}`,
    async (name) => {
      const run = isRunHere(kind, name) ? runHere : runInThread;
      const { code, stderr, warnings } = await run(join(kind, name));
      // A run without an error may report other things on stderr.
      const errorText = code === 0 ? '' : stderr;
      if (kind === 'clean') expect({ code, errorText, warnings }).toEqual({ code: 0, errorText: '', warnings: [] });
      else if (code === 0) expect(warnings).not.toEqual([]);
      else expect(stderr).not.toMatch(/fault of isobar/);
    },
  );
});

test('a declared custom indicator that is not pure ends the run with exit code 3 and names call, indicator, file and line', async () => {
  const { code, stderr } = await runInThread('biased/closurePure.ts');
  expect(code).toBe(3);
  expect(stderr).toMatch(/^A: \w+\(.*\) at 20\d\d-.*custom#1\(close, pure\) \(biased\/closurePure\.ts:4\) is not pure/);
});

test('a declared custom indicator that is not pure in the last rows of a run of 70,000 bars alone ends the run', async () => {
  writeFileSync(
    join(folder, 'lateCustom.ts'),
    `import { custom, Strategy } from 'isobar';
export default class A extends Strategy {
  later = 0; rows = 0;
  seen = this.use(custom(this.bars.close, () => { let n = 0; return (x) => { if (++n > 69_900) this.later = x; return x; }; }, { pure: true }));
  override onBar() { this.rows++; if (this.rows > 69_900 ? this.later > this.seen.value : this.rows % 100 === 0) this.buy({ quote: '50' }); else if (this.rows % 100 === 50) this.exit(); }
}
`,
  );
  mkdirSync(join(folder, 'long'), { recursive: true });
  writeBars(join(folder, 'long/BTCUSDT-1m.csv'), 70_000, MINUTE_MS);
  const { code, stderr } = await commandInKeptThread(folder, [
    'backtest',
    'lateCustom.ts',
    '--data',
    'long/BTCUSDT-1m.csv',
    '--cash',
    '1000000',
    '--quiet',
    '--no-report',
  ]);
  expect({ code, stderr }).toEqual({
    code: 3,
    stderr: expect.stringMatching(/custom#1\(close, pure\) \(lateCustom\.ts:4\) is not pure/) as string,
  });
});

test('a warning names the file and the line of the call', async () => {
  const { warnings } = await runInThread('biased/mathRandom.ts');
  expect(warnings).toMatchObject([{ code: 'IMPURE_RANDOM', file: 'biased/mathRandom.ts', line: 2 }]);
});

test.each([
  ['lockedStack.ts', 'IMPURE_RANDOM', 4],
  ['fixedStackLimit.ts', 'IMPURE_CLOCK', 4],
  ['lockedStackLimit.ts', 'IMPURE_CLOCK', 4],
  ['deepRoll.ts', 'IMPURE_RANDOM', 4],
  ['packageYear.ts', 'IMPURE_CLOCK', 4],
  ['packageElapsed.ts', 'IMPURE_CLOCK', 4],
  ['iteratorSwap.ts', 'STATE_GLOBAL', 6],
  ['listenerLimit.ts', 'STATE_GLOBAL', 4],
  ['lateIterator.ts', 'STATE_GLOBAL', 8],
  ['lateGetter.ts', 'STATE_GLOBAL', 8],
  ['lateSpecies.ts', 'STATE_GLOBAL', 8],
])('a warning names the line of %s, which hides its use of the outside', async (name, code, line) => {
  const { warnings, stderr } = await runInThread(`biased/${name}`);
  expect(stderr).toBe('');
  expect(warnings[0]).toMatchObject({ code, file: `biased/${name}`, line });
});

test.each([
  ['packageFile.ts', /readFileSync\(\) of BTCUSDT-1h\.csv by the package pricedb in strategy code/, 1],
  ['packageFileLater.ts', /readFile\(\) of BTCUSDT-1h\.csv by the package @quant\/prices in strategy code/, 2],
  ['packageProgram.ts', /execSync\(\) by the package shellprices in strategy code/, 1],
  ['packageRequire.ts', /require\(\) of biased\/future\.json by the package jsonprices in strategy code/, 1],
])('a warning names the import of the package that reads while it is loaded: %s', async (name, text, line) => {
  const { stdout } = await commandInKeptThread(folder, ['backtest', `biased/${name}`, ...OPTIONS, '--out', `runs-import-${name}`]);
  const { warnings } = JSON.parse(stdout) as RunOutcome;
  expect(warnings).toContainEqual({ code: 'PROOF_REFUTED', text: expect.stringMatching(text) as string, file: `biased/${name}`, line });
});

test('a strategy that replaces a global class around a call ends with an error that names its line', async () => {
  const { code, stderr } = await runInThread('biased/globalSwap.ts');
  expect(code).not.toBe(0);
  expect(stderr).toMatch(/Cannot assign to read only property 'Map' .*globalSwap\.ts:7:/s);
});

test('a warning names both lines from which a package reads the clock, also where one begins after thousands of reads', async () => {
  const { warnings } = await runInThread('biased/packageTwice.ts');
  expect(new Set(warnings.map(({ line }) => line))).toEqual(new Set([7, 8]));
});

test('a strategy that imports reflect-metadata runs without a warning', async () => {
  cpSync(join(ROOT, 'node_modules/reflect-metadata'), join(folder, 'node_modules/reflect-metadata'), { recursive: true });
  writeFileSync(
    join(folder, 'metadata.ts'),
    `import 'reflect-metadata';
import { Strategy } from 'isobar';
const metadata = Reflect as any;
class A extends Strategy { override onBar() { if (metadata.getMetadata('rule', A) === 'long' && this.bars.close.value > this.bars.open.value) this.buy(); else this.exit(); } }
metadata.defineMetadata('rule', 'long', A);
export default A;
`,
  );
  expect(await runInThread('metadata.ts')).toEqual({ code: 0, stderr: '', warnings: [] });
});

/** Draws random numbers on line 2 after the rows of the sample. */
const RANDOM_LATE = `import { Strategy } from 'isobar';
export default class A extends Strategy { n = 0; onBar() { const chance = ++this.n > 2500 ? Math.random() : 0; if (chance > 0.5 || this.bars.close.value > this.bars.open.value) this.buy(); else this.exit(); } }
`;

test('a strategy file in a folder of node_modules is the code of its author, and so is a file beside it', async () => {
  mkdirSync(join(folder, 'node_modules/@team/strategies/lib'), { recursive: true });
  writeFileSync(join(folder, 'node_modules/@team/strategies/late.ts'), RANDOM_LATE);
  writeFileSync(join(folder, 'node_modules/@team/strategies/lib/chance.ts'), 'export const chance = () =>\n  Math.random();\n');
  const usesOther = RANDOM_LATE.replace('Math.random()', 'roll()').replace(
    'import',
    "import { chance as roll } from './lib/chance.ts'; import",
  );
  writeFileSync(join(folder, 'node_modules/@team/strategies/other.ts'), usesOther);
  const { warnings, stderr } = await runInThread('node_modules/@team/strategies/late.ts');
  expect(stderr).toBe('');
  expect(warnings).toMatchObject([{ code: 'IMPURE_RANDOM', file: 'node_modules/@team/strategies/late.ts', line: 2 }]);
  const { warnings: otherWarnings, stderr: otherStderr } = await runInThread('node_modules/@team/strategies/other.ts');
  expect(otherStderr).toBe('');
  expect(otherWarnings).toMatchObject([{ code: 'IMPURE_RANDOM', file: 'node_modules/@team/strategies/lib/chance.ts', line: 2 }]);
});

test('a package beside the package of a strategy is not the code of its author', async () => {
  mkdirSync(join(folder, 'node_modules/houselib'), { recursive: true });
  mkdirSync(join(folder, 'node_modules/houses'), { recursive: true });
  writeFileSync(join(folder, 'node_modules/houselib/package.json'), '{ "name": "houselib", "version": "1.0.0", "main": "index.js" }');
  writeFileSync(
    join(folder, 'node_modules/houselib/index.js'),
    "const { format } = require('util');\nconst startedMs = Date.now();\nexports.text = (value) => format('%d', value, startedMs).slice(0, 3);\n",
  );
  writeFileSync(
    join(folder, 'node_modules/houses/plain.ts'),
    `import { text } from 'houselib';
import { Strategy } from 'isobar';
export default class A extends Strategy { override onBar() { if (Number(text(this.bars.close.value)) % 2 === 0) this.buy(); else this.exit(); } }
`,
  );
  expect(await runInThread('node_modules/houses/plain.ts')).toEqual({ code: 0, stderr: '', warnings: [] });
});

test('a compiled strategy is not a package because its source map names a file of one', async () => {
  const map = { version: 3, sources: ['../node_modules/strategies/src/a.ts'], names: [], mappings: 'AAAA;AACA;AACA' };
  const comment = `//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}`;
  writeFileSync(join(folder, 'mapped.js'), `${RANDOM_LATE}${comment}\n`);
  expect((await runInThread('mapped.js')).warnings).toMatchObject([{ code: 'IMPURE_RANDOM', file: 'mapped.js', line: 2 }]);
});

test('strategy code run from code is watched from its first line, and sees nothing of an earlier run of its process', async () => {
  const data = JSON.stringify(join(folder, 'BTCUSDT-1h.csv'));
  writeFileSync(
    join(folder, 'inCode.ts'),
    `import { Strategy } from 'isobar';
const seen = new Map<number, number>(); const { random } = Math; const t = Date.now();
export default class A extends Strategy { at = performance.now(); override onBar() { seen.set(this.nowMs, this.bars.close.value); if ((seen.get(this.nowMs + ${HOUR_MS}) ?? 0) > this.bars.close.value) this.buy(); else this.exit(); if (t < 0) random(); } override onStop() { random(); } }
`,
  );
  const script = `import { backtest } from ${JSON.stringify(join(ROOT, 'dist/run.js'))};
const run = () => backtest({ strategy: 'inCode.ts', data: ${data}, cash: '10000' });
const [a, b] = [await run(), await run()];
const codes = ({ summary }) => summary.warnings.filter(({ code }) => /^IMPURE/.test(code)).map(({ code, file, line }) => code + ' ' + file + ':' + line).sort();
console.log(JSON.stringify({ isSame: a.resultHash === b.resultHash, a: codes(a), b: codes(b), isBack: /native/.test(String(Math.random)) && /native/.test(String(Date)) }));`;
  const stdout = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, ['--input-type=module', '--eval', script], { cwd: folder }, (error, output, stderr) =>
      error === null ? resolve(output) : reject(new Error(stderr)),
    );
  });
  const expectedWarnings = ['IMPURE_CLOCK inCode.ts:2', 'IMPURE_CLOCK inCode.ts:3', 'IMPURE_RANDOM inCode.ts:3'];
  expect(JSON.parse(stdout)).toEqual({ isSame: true, a: expectedWarnings, b: expectedWarnings, isBack: true });
});
