// Tests `isobar backtest` on two corpora of strategies: it warns about every biased one and about no clean one.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { warningClass, type Warning } from '../../src/model/warning.ts';
import { backtestOnFileIn, commandIn, commandInKeptThread } from '../fixtures/inProcess.ts';
import { endKeptThread } from '../fixtures/keptThread.ts';
import { ROOT } from '../fixtures/packed.ts';
import { KINDS, strategiesOf, writeCorpora, type CorpusKind } from '../fixtures/purityCorpus.ts';

const HOUR = 3_600_000;
let folder = '';

/** The strategy files of one kind. */
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
const NEED_OWN_THREAD = new Set(
  [
    'abortTimeout', 'asyncGen', 'asyncHelper', 'asyncNoAwait', 'constructorPromise', 'fetch', 'immediate', 'micro', 'promise', 'timeout',
    'child', 'ctorThis', 'decimalMethod', 'decimalSettings', 'globalThis', 'host', 'inspector', 'patchMap', 'patchMath', 'putBack', 'setter', 'subtle', 'symbols', 'walk', 'workerThreads',
  ].map((name) => `biased/${name}.ts`),
); // prettier-ignore

/** The outcome of a run, with its warnings about look-ahead, state and impure calls only. */
interface RunOutcome {
  readonly code: number;
  readonly stderr: string;
  readonly warnings: readonly Warning[];
}

/** Runs the command in this process. The strategy still runs in a thread. */
async function runInThread(file: string): Promise<RunOutcome> {
  const args = [
    'backtest',
    file,
    '--data',
    'BTCUSDT-1h.csv',
    '--cash',
    '10000',
    '--json',
    '--quiet',
    '--no-report',
    '--out',
    `runs-${file.replaceAll(/\W/g, '-')}`,
  ];
  const runCommand = NEED_OWN_THREAD.has(file) ? commandIn : commandInKeptThread;
  const { code, stdout, stderr } = await runCommand(folder, args);
  const { warnings = [] } = (stdout === '' ? {} : JSON.parse(stdout)) as Partial<RunOutcome>;
  return { code: code ?? NaN, stderr, warnings: suspicions(warnings) };
}

/** Returns the warnings about look-ahead, state and impure calls. */
const suspicions = (warnings: readonly Warning[]): readonly Warning[] =>
  warnings.filter((warning) => ['lookahead', 'state', 'impure'].includes(warningClass(warning)));

/** Clean strategies that need a thread of their own: its streams, or built-ins that are fixed. */
const CLEAN_WITH_THREAD = new Set(['console.ts', 'functionMembers.ts', 'packageLoad.ts']);
/** The other clean strategies leave nothing behind. */
const isRunHere = (kind: Corpus['kind'], name: string): boolean => kind === 'clean' && !CLEAN_WITH_THREAD.has(name);

/** Does in this thread what the command does in a worker. */
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
      const { code, stderr, warnings } = await (isRunHere(kind, name) ? runHere : runInThread)(join(kind, name));
      if (kind === 'clean') expect({ code, stderr: code === 0 ? '' : stderr, warnings }).toEqual({ code: 0, stderr: '', warnings: [] });
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

test('a warning names the file and the line of the call', async () => {
  const { warnings } = await runInThread('biased/mathRandom.ts');
  expect(warnings).toMatchObject([{ code: 'IMPURE_RANDOM', file: 'biased/mathRandom.ts', line: 2 }]);
});

test('strategy code run from code is watched from its first line, and sees nothing of an earlier run of its process', async () => {
  const data = JSON.stringify(join(folder, 'BTCUSDT-1h.csv'));
  writeFileSync(
    join(folder, 'inCode.ts'),
    `import { Strategy } from 'isobar';
const seen = new Map<number, number>(); const { random } = Math; const t = Date.now();
export default class A extends Strategy { at = performance.now(); override onBar() { seen.set(this.nowMs, this.bars.close.value); if ((seen.get(this.nowMs + ${HOUR}) ?? 0) > this.bars.close.value) this.buy(); else this.exit(); if (t < 0) random(); } override onStop() { random(); } }
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
