// Tests the proof sample of a backtest: what it finds, that it changes nothing, and that a verdict of isobar prove replaces it.

import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunProof } from '../../src/model/run/proof.ts';
import type { Warning } from '../../src/model/warning.ts';
import type { CommandOutput } from '../fixtures/cliFixture.ts';
import { commandIn } from '../fixtures/inProcess.ts';
import { writeCorpora } from '../fixtures/purityCorpus.ts';

const ROW_COUNT = 1500;
/** Rows of the bars for strategies that count this many bars before they order. */
const COUNT_ROWS = 6500;
const COUNTED_BARS = 5000;
/** Rows of a sample from the first row on, and rows before the order in a sample around an order: the numbers of samplePlans.ts. */
const SAMPLE_ROWS = 1021;
const ROWS_BEFORE_ORDER = 127;
/** Rows of a sample around the first order, which reaches to the last row. */
const ROWS_AROUND_ORDER = ROWS_BEFORE_ORDER + COUNT_ROWS - (COUNTED_BARS + 1);
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'isobar-sample-'));
  writeCorpora(folder, ROW_COUNT);
  mkdirSync(join(folder, 'counts'));
  writeCorpora(join(folder, 'counts'), COUNT_ROWS);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A finished backtest with the members of its summary. */
interface FinishedBacktest extends CommandOutput {
  readonly proof: RunProof;
  readonly warnings: readonly Warning[];
  readonly resultHash: string;
  readonly runFolder: string;
}

/** The arguments of a backtest of a strategy file on the bars of this test. */
const dataOptions = (file: string): string[] => [file, '--data', 'BTCUSDT-1h.csv', '--cash', '100000', '--quiet'];

/** Runs a backtest, and reads its summary. */
async function backtest(file: string, ...options: readonly string[]): Promise<FinishedBacktest> {
  const words = options.includes('--data') ? [file, '--cash', '100000', '--quiet'] : dataOptions(file);
  const finished = await commandIn(folder, ['backtest', ...words, '--no-report', ...options]);
  expect(finished.code, finished.stderr).toBe(0);
  const runFolder = finished.stdout.trim();
  const summary = JSON.parse(readFileSync(join(folder, runFolder, 'summary.json'), 'utf8')) as FinishedBacktest;
  return { ...finished, ...summary, runFolder };
}

/** Writes a strategy file with this body, after the code `before`. Returns its name. */
function writeStrategy(name: string, body: string, before = ''): string {
  writeFileSync(
    join(folder, name),
    `import { Strategy } from 'isobar';\n${before}\nexport default class A extends Strategy {\n${body}\n}\n`,
  );
  return name;
}

/** Buys and exits in turn. */
const FLIP_NOW = 'if (this.position().isFlat) this.buy(); else this.exit();';
const FLIP = `override onBar() { ${FLIP_NOW} }`;
/** Counts in the process how often the file was loaded: no proof can see that, because the counter is not in the module. */
const COUNT_LOADS = "const times = Symbol.for('times'); const seen = Reflect.get(Intl, times) ?? 0; Reflect.set(Intl, times, seen + 1);";

test('a strategy that trades only after the first rows is sampled at the rows around its first order', async () => {
  mkdirSync(join(folder, 'late'));
  writeCorpora(join(folder, 'late'), 5200);
  const file = writeStrategy(
    'lateStatic.ts',
    `static best = 0;
  override onBar() {
    if (this.nowMs < Date.UTC(2023, 6, 10)) return;
    A.best = Math.max(A.best, this.bars.high.value);
    if (this.bars.close.value < 0.98 * A.best) this.buy(); else this.exit();
  }`,
  );
  const { warnings, proof } = await backtest(file, '--data', 'late/BTCUSDT-1h.csv');
  expect(warnings.map(({ code }) => code)).toContain('STATE_KEPT');
  expect(proof.verdict).toBe('refuted');
});

test('a clean strategy that counts 5 000 bars before it orders is proved over the rows from the first one to its first order', async () => {
  const file = writeStrategy('counts.ts', `n = 0; override onBar() { if (++this.n > ${COUNTED_BARS}) { ${FLIP_NOW} } }`);
  const { proof } = await backtest(file, '--data', 'counts/BTCUSDT-1h.csv');
  // The greatest prime number up to COUNTED_BARS + SAMPLE_ROWS.
  expect(proof).toMatchObject({ verdict: 'proved', bars: 6011 });
});

describe('a clean strategy that throws where it does not see the first bar', () => {
  /** Assigns the list at one bar, and needs it at each later order. Until then it is a frozen list. */
  const needsList = (fromOrder: string): string =>
    `n = 0; swings: number[] = NONE; override onBar() { if (this.nowMs === ${fromOrder}) this.swings = [];`;
  const NONE = 'const NONE = Object.freeze([]) as unknown as number[];';
  beforeAll(() => {
    mkdirSync(join(folder, 'long'));
    writeCorpora(join(folder, 'long'), 9900);
  });
  test('it is proved over the rows from the first one', async () => {
    const body = `${needsList('Date.UTC(2023, 0, 2)')} if (this.nowMs < Date.UTC(2023, 6, 10)) return; this.swings.push(this.n++); ${FLIP_NOW} }`;
    const { proof } = await backtest(writeStrategy('frozenList.ts', body, NONE), '--data', 'long/BTCUSDT-1h.csv');
    expect(proof).toMatchObject({ verdict: 'proved' });
  });
  test('it is proved over rows before those at which it throws, if it orders there', async () => {
    const body = `${needsList('Date.UTC(2023, 6, 10)')}
      if (this.nowMs < Date.UTC(2023, 6, 10) || (this.n >= 3 && this.nowMs < Date.UTC(2024, 0, 10))) return;
      if (this.nowMs > Date.UTC(2024, 0, 10)) this.swings.push(this.n);
      this.n++; ${FLIP_NOW} }`;
    const { proof } = await backtest(writeStrategy('frozenListLate.ts', body, NONE), '--data', 'long/BTCUSDT-1h.csv');
    expect(proof).toMatchObject({ verdict: 'proved' });
  });
});

test.each(['guardedGlobals.ts', 'iteratorMembers.ts', 'functionMembers.ts'])(
  'the clean strategy %s, which assigns members of shared objects, is proved',
  async (name) => {
    const { proof } = await backtest(`clean/${name}`);
    expect(proof).toMatchObject({ verdict: 'proved' });
  },
);

test.each(['iteratorSwap.ts', 'redefinedIterator.ts', 'quietIterator.ts'])(
  'the strategy %s, which replaces a built-in around a call, is refuted',
  async (name) => {
    const { proof } = await backtest(`biased/${name}`);
    expect(proof.proofs[0]).toMatchObject({ name: 'purity', verdict: 'refuted', file: `biased/${name}` });
  },
);

describe('a strategy that counts 5 000 bars before it orders is sampled at the rows around its first order', () => {
  test('a strategy that computes for a millisecond at each of 900 bars is not sampled from the first row', async () => {
    const file = writeStrategy(
      'trains.ts',
      `n = 0; weight = 0; override onBar() {
    if (++this.n > ${COUNTED_BARS} - 900 && this.n <= ${COUNTED_BARS}) for (let step = 0; step < 12_000; step++) this.weight = Math.sin(this.weight + step);
    if (this.n > ${COUNTED_BARS}) { ${FLIP_NOW} }
  }`,
    );
    const { proof } = await backtest(file, '--data', 'counts/BTCUSDT-1h.csv');
    expect(proof).toMatchObject({ verdict: 'not-proved', bars: ROWS_AROUND_ORDER });
  });
  test('a strategy that orders nothing when it is loaded a second time is not sampled from the first row', async () => {
    const file = writeStrategy(
      'ordersOnce.ts',
      `n = 0; override onBar() { if (++this.n > ${COUNTED_BARS} && seen === 0) { ${FLIP_NOW} } }`,
      COUNT_LOADS,
    );
    const { proof } = await backtest(file, '--data', 'counts/BTCUSDT-1h.csv');
    expect(proof.bars).toBe(ROWS_AROUND_ORDER);
  });
});

describe('a strategy that throws in onStop at the end of the sample alone', () => {
  const THROW = "override onStop() { if (this.nowMs < Date.UTC(2023, 1, 20)) throw new Error('too early'); }";
  test('a strategy with a variable of its module is still refuted', async () => {
    const { proof } = await backtest(
      writeStrategy('throwsLate.ts', `override onBar() { if (bars++ % 5 < 2) this.buy(); else this.exit(); } ${THROW}`, 'let bars = 0;'),
    );
    expect(proof.proofs.map(({ name, verdict }) => `${name} ${verdict}`)).toEqual(['purity refuted', 'blocks not-proved']);
  });
  test('a clean strategy is not proved, and the reason is given', async () => {
    const { proof } = await backtest(writeStrategy('throwsClean.ts', `${FLIP} ${THROW}`));
    expect(proof.verdict).toBe('not-proved');
    for (const { text } of proof.proofs) expect(text).toMatch(/^the strategy throws at the end of the sample: .*too early$/);
  });
});

describe('a clean strategy', () => {
  test('a clean strategy has a proved sample, whose hashes are those of the manifest', async () => {
    const { proof, runFolder, warnings } = await backtest('clean/emaUndeclared.ts');
    expect(proof).toMatchObject({ verdict: 'proved', from: 'sample', why: null, madeAt: null });
    expect(proof.proofs.map(({ name, verdict }) => `${name} ${verdict}`)).toEqual(['purity proved', 'blocks proved']);
    expect(proof.bars).toBe(SAMPLE_ROWS);
    const manifest = JSON.parse(readFileSync(join(folder, runFolder, 'manifest.json'), 'utf8')) as {
      readonly strategies: readonly { readonly sha256: string }[];
      readonly data: readonly { readonly manifestSha256: string }[];
    };
    expect([proof.code, proof.data]).toEqual([manifest.strategies[0]!.sha256, manifest.data[0]!.manifestSha256]);
    expect(warnings.filter(({ code }) => code === 'PROOF_REFUTED')).toEqual([]);
    // A repetition of the run reports the same, although it makes no sample.
    expect((await commandIn(folder, ['verify', runFolder])).stdout).toMatch(/^ {2}identical\n/);
  });

  test('the output of a proved strategy is printed once, and its folder holds nothing more', async () => {
    const file = writeStrategy('prints.ts', `override onStart() { console.log('I begin'); console.error('I began'); }\n${FLIP}`);
    const { stderr, runFolder } = await backtest(file);
    expect(stderr.match(/I begin/g)).toHaveLength(1);
    expect(stderr.match(/I began/g)).toHaveLength(1);
    expect(readdirSync(join(folder, runFolder)).toSorted()).toEqual(
      'definition.yaml equity.arrow fills.csv manifest.json orders.csv run.log summary.json trades.csv'.split(' '),
    );
  });

  test.each([
    ['decides nothing', 'override onBar() {}', '', /places no order in the 1\s500 bars of the sample/],
    [
      'needs more bars than there are',
      'slow = this.use(sma(this.bars.close, 2000)); override onBar() { if (this.slow.value > 0) this.buy(); }',
      "import { sma } from 'isobar';",
      /needs 2\s000 bars of BTCUSDT 1h before its first decision, and the data have 1500/,
    ],
  ])('a clean strategy that %s is not proved', async (name, body, before, why) => {
    const { proof } = await backtest(writeStrategy(`${name.replaceAll(' ', '-')}.ts`, body, before));
    expect(proof.verdict).toBe('not-proved');
    for (const { verdict, text } of proof.proofs) expect([verdict, text]).toEqual(['not-proved', expect.stringMatching(why)]);
  });

  test.each(['events domain', 'trace_events', 'module', 'sqlite', 'test', 'fs wasi punycode sys'])(
    'a clean strategy whose labels are the names of modules of Node (%s) is proved, without a message',
    async (names) => {
      const labels = names.split(' ').map((name) => `'${name}'`);
      const body = `labels = [${labels.join(', ')}]; process() { if (this.labels.length > 0) { ${FLIP_NOW} } } override onBar() { this.process(); }`;
      const { proof, warnings, stderr } = await backtest(writeStrategy(`labels-${names.replaceAll(' ', '-')}.ts`, body));
      expect({ why: proof.why, verdict: proof.verdict, stderr, warnings: warnings.filter(({ code }) => code === 'PROOF_REFUTED') }).toEqual(
        { why: null, verdict: 'proved', stderr: '', warnings: [] },
      );
    },
  );

  test('a clean strategy of several feeds, whose first rows differ, is proved', async () => {
    expect((await commandIn(folder, ['data', 'import', 'BTCUSDT-1h.csv'])).code).toBe(0);
    expect((await commandIn(folder, ['data', 'resample', '--symbol', 'BTCUSDT', '--interval', '1d'])).code).toBe(0);
    writeStrategy(
      'twoFeeds.ts',
      "days = this.feed('days'); slow = this.use(sma(this.days.close, 5)); hours = this.feed('bars'); override onBar() { if (this.hours.close.value > this.slow.value) this.buy({ quote: '100' }, { feed: this.hours }); else this.exit(this.hours); }",
      "import { sma } from 'isobar';",
    );
    const feeds = 'feeds: { bars: { symbol: BTCUSDT, interval: 1h }, days: { symbol: BTCUSDT, interval: 1d } }';
    writeFileSync(join(folder, 'two.yaml'), `strategy: twoFeeds.ts\n${feeds}\ncash: { USDT: '100000' }\ncatalog: data\n`);
    const { stdout, code, stderr } = await commandIn(folder, ['backtest', 'two.yaml', '--json', '--quiet', '--no-report']);
    expect(code, stderr).toBe(0);
    expect((JSON.parse(stdout) as FinishedBacktest).proof).toMatchObject({ verdict: 'proved', from: 'sample' });
  });
});

describe('a refuted strategy', () => {
  test.each([
    ['biased/mathRandom.ts', 'purity', 'biased/mathRandom.ts', 2],
    ['biased/lateHigh.ts', 'blocks', 'biased/lateHigh.ts', 5],
    ['biased/fs.ts', 'purity', 'biased/fs.ts', 3],
    ['clean/state.ts', 'purity', 'clean/state.ts', 3],
    ['biased/promisesMark.ts', 'purity', 'biased/promisesMark.ts', 5],
  ])('the strategy %s is refuted by the proof %s, and a warning names the line', async (name, proofName, file, line) => {
    const { proof, warnings, stderr } = await backtest(name);
    expect(stderr).toBe('');
    expect(proof).toMatchObject({ verdict: 'refuted', from: 'sample' });
    const refuted = proof.proofs.filter(({ verdict }) => verdict === 'refuted');
    expect(refuted.map((failedProof) => failedProof.name)).toEqual([proofName]);
    expect(warnings[0]).toMatchObject({ code: 'PROOF_REFUTED', file, line });
    expect(warnings[0]!.text).toMatch(new RegExp(`^a sample of the bars refutes ${proofName}: `));
  });

  test.each([
    [
      'is set back at each start',
      'override onStart() { bars = 0; } override onBar() { if (bars++ % 5 < 2) this.buy(); else this.exit(); }',
      'let bars = 0;',
    ],
    [
      'is written after the rows of the sample',
      'n = 0; override onBar() { if (++this.n === 1400) isLate = true; if (this.position().isFlat !== isLate) this.buy(); else this.exit(); }',
      'let isLate = false;',
    ],
    [
      'keeps by price what the first bar there has shown',
      'override onBar() { const { value, prev } = this.bars.close; const key = Math.round(value / 50); if (!rises.has(key)) rises.set(key, value > prev); if (rises.get(key)) this.target({ equity: 0.5 }); else this.exit(); }',
      'const rises = new Map<number, boolean>();',
    ],
  ])('a refuted strategy whose variable of a module %s has a warning that names the state', async (name, body, before) => {
    const { proof, warnings } = await backtest(writeStrategy(`${name.replaceAll(' ', '-')}.ts`, body, before));
    expect(proof.verdict).toBe('refuted');
    expect(warnings.slice(0, 2).map(({ code }) => code)).toEqual(['PROOF_REFUTED', 'STATE_KEPT']);
    expect(warnings[1]).toMatchObject({ line: 4 });
  });

  test('a decision on the length of a number in the language of the machine is refuted', async () => {
    const body =
      'n = 0; override onBar() { const isEven = (this.bars.close.value * 100).toLocaleString().length % 2 === this.n++ % 2; if (this.position().isFlat === isEven) this.buy(); else this.exit(); }';
    const { proof, warnings } = await backtest(writeStrategy('numberLength.ts', body));
    expect(proof.verdict).toBe('refuted');
    expect(warnings.slice(0, 2).map(({ code }) => code)).toEqual(['PROOF_REFUTED', 'IMPURE_EXTERNAL']);
  });

  test('a strategy that caches by price what follows only from the price is proved', async () => {
    const body =
      'override onBar() { const { value } = this.bars.close; const key = Math.round(value / 50); if (!known.has(key)) known.set(key, Math.sin(key) > 0); if (known.get(key)) this.target({ equity: 0.5 }); else this.exit(); }';
    const { proof } = await backtest(writeStrategy('memo.ts', body, 'const known = new Map<number, boolean>();'));
    expect(proof.verdict).toBe('proved');
  });

  test('a refuted strategy says so in the terminal and on the first screen of the report, with the first difference', async () => {
    const { stdout, code } = await commandIn(folder, ['backtest', ...dataOptions('clean/state.ts').slice(0, -1)]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/\n {2}Proof {8}refuted on a sample of 1\s021 bars: purity\n/);
    const oneLine = stdout.replace(/\s+/g, ' ');
    expect(oneLine).toMatch(
      /Look here first: a sample of the bars refutes purity: a later run in one process decides otherwise than the first/,
    );
    expect(oneLine).toMatch(/first at 2023-01-\d\d \d\d:\d\d UTC, BTCUSDT 1h: expected [^;]*, got [^;]* \(clean\/state\.ts:3\)/);
    const page = readFileSync(join(folder, / {2}Report {3}(\S+)/.exec(stdout)![1]!), 'utf8');
    expect(page).toMatch(
      /<a class="chip warn" href="#provenance" data-tip\s*><span class="muted">proof<\/span> refuted on a sample of 1.021 bars: purity/,
    );
  });

  test('a refuted strategy has its effects outside of the run only once', async () => {
    const logFile = join(folder, 'own.log');
    const body = `override onBar() { appendFileSync(${JSON.stringify(logFile)}, 'bar\\n'); if (this.position().isFlat) this.buy(); else this.exit(); }`;
    const { proof } = await backtest(writeStrategy('appends.ts', body, "import { appendFileSync } from 'node:fs';"));
    expect(readFileSync(logFile, 'utf8').split('\n')).toHaveLength(ROW_COUNT + 1);
    expect(proof.proofs[0]).toMatchObject({ name: 'purity', verdict: 'refuted', file: 'appends.ts', line: 4 });
    appendFileSync(logFile, 'left as it is');
  });
});

describe('a strategy whose package reads the clock', () => {
  const codesOf = (warnings: readonly Warning[]): readonly string[] => warnings.map(({ code }) => code);

  test.each(['packageClock.ts', 'packageWait.ts', 'packageWaitsAtLoad.ts'])(
    'the clean strategy %s is proved, because the run with other clocks ends and decides alike',
    async (name) => {
      const { proof, warnings, runFolder } = await backtest(`clean/${name}`);
      expect(proof).toMatchObject({ verdict: 'proved', from: 'sample' });
      expect(codesOf(warnings)).not.toContain('IMPURE_CLOCK');
      // A repetition of the run makes no sample, and takes the verdict as recorded.
      expect((await commandIn(folder, ['verify', runFolder])).stdout).toMatch(/^ {2}identical\n/);
    },
  );

  test('a run that is too long to be repeated keeps the warning, and the reason is given', async () => {
    mkdirSync(join(folder, 'clockLong'));
    writeCorpora(join(folder, 'clockLong'), 66_000);
    const { proof, warnings } = await backtest('clean/packageClock.ts', '--data', 'clockLong/BTCUSDT-1h.csv');
    const text = expect.stringMatching(/^a package reads the clock at clean.packageClock\.ts:4, and the run is too long/) as string;
    expect(proof.proofs[0]).toMatchObject({ name: 'purity', verdict: 'not-proved', text });
    expect(codesOf(warnings)).toContain('IMPURE_CLOCK');
  });

  test('the clock is not blamed for what loads of the strategy leave in the process', async () => {
    const file = writeStrategy(
      'clean/countsLoads.ts',
      'override onBar() { if (parse(new Date(this.nowMs).toISOString()).hour % 2 === seen % 2) this.buy(); else this.exit(); }',
      "import { parse } from 'calendars'; const times = Symbol.for('loads'); const seen = Reflect.get(AbortSignal, times) ?? 0; Reflect.set(AbortSignal, times, seen + 1);",
    );
    const { proof } = await backtest(file);
    expect(proof.verdict).toBe('refuted');
    expect(proof.proofs[0]!.text).not.toMatch(/Date/);
  });
});

describe('a strategy that ends its worker when it is loaded a second time', () => {
  test.each([
    ['hangs', 'for (;;) Math.abs(1);', /^the strategy gave no answer for 1 s in the sample$/, ['--bar-timeout', '1']],
    ['exits', 'process.exit(7);', /^the strategy ended the process of the sample \(exit code 7\)$/, []],
  ])(
    'a strategy that %s when it is loaded a second time runs without a sample, and the reason is given',
    async (name, statement, why, options) => {
      const { proof, resultHash } = await backtest(
        writeStrategy(`${name}.ts`, FLIP, `${COUNT_LOADS} if (seen > 0) { ${statement} }`),
        ...options,
      );
      expect(proof).toMatchObject({ verdict: 'not-proved', from: 'sample', proofs: [], why: expect.stringMatching(why) as string });
      expect(resultHash).toBe((await backtest(writeStrategy('plain.ts', FLIP))).resultHash);
    },
  );
});

test('the verdict of isobar prove replaces the sample, without another result, only for the same code, data and settings', async () => {
  const file = 'clean/dow.ts';
  const otherLedger = ['--ledger', 'elsewhere'];
  const sampled = await backtest(file);
  expect((await commandIn(folder, ['prove', ...dataOptions(file), '--times', '2', ...otherLedger])).code).toBe(0);
  expect(existsSync(join(folder, 'elsewhere/proofs.jsonl'))).toBe(true);
  const proved = await backtest(file, ...otherLedger);
  expect(proved.proof).toMatchObject({ verdict: 'proved', from: 'prove', bars: ROW_COUNT });
  expect(proved.proof.proofs.map(({ name }) => name)).toEqual(['purity', 'blocks', 'prefix', 'poison', 'warm-up', 'metamorphic']);
  expect(Date.parse(proved.proof.madeAt!)).toBeGreaterThan(0);
  const { code, data, settings } = sampled.proof;
  expect(proved.proof).toMatchObject({ code, data, settings });
  expect([sampled.proof.from, sampled.resultHash]).toEqual(['sample', proved.resultHash]);
  // A repetition of the run takes its verdict as recorded.
  expect((await commandIn(folder, ['verify', proved.runFolder])).stdout).toMatch(/^ {2}identical\n/);
  expect((await commandIn(folder, ['report', proved.runFolder])).stdout).toMatch(
    /\n {2}Proof {8}proved by isobar prove over 1\s500 bars, \d{4}-\d\d-\d\d\n/,
  );
  const otherSeed = await backtest(file, '--set', 'seed=3', ...otherLedger);
  expect(otherSeed.proof).toMatchObject({ from: 'sample', code, data });
  expect(otherSeed.proof.settings).not.toBe(settings);
  writeFileSync(join(folder, file), `${readFileSync(join(folder, file), 'utf8')}\nexport const more = 1;\n`);
  const otherCode = await backtest(file, ...otherLedger);
  expect(otherCode.proof).toMatchObject({ from: 'sample', data, settings });
  expect(otherCode.proof.code).not.toBe(code);
});
