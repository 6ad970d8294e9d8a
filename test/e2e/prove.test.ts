// Tests isobar prove: the right proof refutes strategies of every kind of bias, and no proof refutes a clean one.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Proof, StrategyVerdict } from '../../src/model/run/proof.ts';
import { commandIn } from '../fixtures/inProcess.ts';
import { writeCorpora } from '../fixtures/purityCorpus.ts';

/** Number of bars in the data of the tests. */
const ROW_COUNT = 2399;
let folder = '';

/** One strategy for each kind of bias, the proof that refutes it, and the line of the first difference; null where the line varies. */
const BIASED: readonly (readonly [file: string, refutedBy: Proof['name'], line: number | null])[] = [
  ['closurePure.ts', 'prefix', null],
  ['closure.ts', 'blocks', null],
  ['lateHigh.ts', 'blocks', null],
  ['mathRandom.ts', 'purity', 2],
  ['now.ts', 'purity', 2],
  ['envStatic.ts', 'purity', 3],
  ['fs.ts', 'purity', 3],
  ['fetch.ts', 'purity', 2],
  ['promise.ts', 'purity', 2],
  ['timeout.ts', 'purity', 2],
  ['globalThis.ts', 'purity', null],
  ['patchMap.ts', 'purity', null],
  ['json.ts', 'purity', 1],
  ['csvText.ts', 'purity', null],
];
const CLEAN = ['config.ts', 'console.ts', 'emaUndeclared.ts', 'memo.ts', 'dow.ts', 'timers.ts', 'random.ts'];
/** Clean strategies for which Node uses raw memory, starts asynchronous work, or prints through a stream. */
const CLEAN_WITH_SYSTEM_CALLS = ['concat.ts', 'zipAtOnce.ts', 'stdoutWrite.ts'];
/** A strategy whose module keeps a counter. One run is unbiased, but a second run in the same process starts with the last count. */
const COUNTER_FILE = 'state.ts';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'isobar-prove-'));
  writeCorpora(folder, ROW_COUNT);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the command returned. */
interface ProveResult {
  readonly exitCode: number | null;
  readonly stderr: string;
  readonly verdict: StrategyVerdict;
}

/** Runs `isobar prove` on a strategy file with five random cut-off times, and returns its verdict. */
async function prove(file: string): Promise<ProveResult> {
  const args = ['prove', file, '--data', 'BTCUSDT-1h.csv', '--cash', '100000', '--json', '--times', '5', '--quiet'];
  const { code, stdout, stderr } = await commandIn(folder, args);
  return { exitCode: code ?? null, stderr, verdict: JSON.parse(stdout === '' ? 'null' : stdout) as StrategyVerdict };
}

const proofIn = ({ proofs }: StrategyVerdict, name: Proof['name']): Proof => proofs.find((proof) => proof.name === name)!;

describe('a biased strategy', () => {
  test.each(BIASED)('the strategy %s is refuted by the proof %s', async (file, name, line) => {
    const { exitCode, stderr, verdict } = await prove(`biased/${file}`);
    expect(exitCode, stderr).toBe(3);
    expect(verdict.verdict).toBe('refuted');
    const proof = proofIn(verdict, name);
    expect(proof.verdict, proof.text).toBe('refuted');
    if (line !== null) expect(proof.line).toBe(line);
  });

  test('the first difference names time, feed, call, both values, and the line of the call', async () => {
    const { verdict } = await prove('biased/closurePure.ts');
    const { first: firstDifference, file, line: differenceLine } = proofIn(verdict, 'prefix');
    expect(firstDifference?.time).toMatch(/^2023-\d\d-\d\dT\d\d:00:00\.000Z$/);
    expect(firstDifference).toMatchObject({ feed: 'BTCUSDT 1h', what: expect.stringMatching(/^(buy|exit)$/) as string });
    expect(firstDifference?.expected).not.toBe(firstDifference?.actual);
    expect(file).toBe('biased/closurePure.ts');
    expect(differenceLine).toBeGreaterThan(4);
  });

  test('the purity proof refutes a strategy whose module keeps a counter between runs', async () => {
    const { exitCode, verdict } = await prove(`clean/${COUNTER_FILE}`);
    expect(exitCode).toBe(3);
    expect(proofIn(verdict, 'purity')).toMatchObject({ verdict: 'refuted', file: `clean/${COUNTER_FILE}`, line: 3 });
    for (const name of ['blocks', 'prefix', 'poison'] as const) expect(proofIn(verdict, name).verdict, name).toBe('proved');
  });
});

describe('a strategy that reaches outside the run without naming what it reads', () => {
  test.each([
    ['the names of environment variables', "import { env } from 'node:process';", 'Object.keys(env).length > 0'],
    ['whether an environment variable exists', "import { env } from 'node:process';", "'HOME' in env"],
    ['a file as a stream', "import * as fs from 'node:fs';", "new fs.ReadStream('BTCUSDT-1h.csv').on('error', () => {}) !== null"],
    ['a random prime', "import { generatePrimeSync } from 'node:crypto';", 'generatePrimeSync(8).byteLength > 0'],
  ])('the purity proof refutes a strategy that reads %s', async (name, importLine, condition) => {
    const file = `${name.replaceAll(' ', '-')}.ts`;
    const sourceCode = `export default class A extends Strategy { override onStart() { if (${condition}) this.buy(); } override onBar() {} }`;
    writeFileSync(join(folder, file), `import { Strategy } from 'isobar';\n${importLine}\n${sourceCode}\n`);
    const { exitCode, verdict } = await prove(file);
    expect(exitCode, JSON.stringify(verdict)).toBe(3);
    expect(proofIn(verdict, 'purity')).toMatchObject({ verdict: 'refuted', file, line: 3 });
  });
});

describe('a strategy that changes shared objects or acts outside its callbacks', () => {
  test.each([
    ['ownNow.ts', 3, 'the strategy replaces Date.now,'],
    ['ownParse.ts', 2, 'the strategy replaces globalThis.parseFloat,'],
    ['consoleCache.ts', 3, 'the strategy adds console.seen,'],
    ['lateKey.ts', 5, 'a callback that comes later'],
    ['pipe.ts', 6, 'a callback that comes later'],
    ['asyncFill.ts', 5, 'an async onFill'],
    ['ownRequire.ts', 4, 'require() of a file'],
    ['userId.ts', 4, 'process.geteuid'],
    ['fileTime.ts', 2, 'File.lastModified'],
    ['packedBits.ts', 2, 'a file of the strategy holds the moves'],
    ['rowCache.ts', 10, 'a run over other bars decides otherwise'],
    ['timeCache.ts', 7, 'a run over other bars decides otherwise'],
  ])('the purity proof refutes %s, and names the line of its effect', async (name, line, text) => {
    const { exitCode, verdict } = await prove(`reaching/${name}`);
    expect(exitCode, JSON.stringify(verdict)).toBe(3);
    expect(verdict.seconds).toBeGreaterThanOrEqual(0);
    const purity = proofIn(verdict, 'purity');
    expect(purity).toMatchObject({ verdict: 'refuted', file: `reaching/${name}`, line });
    expect(purity.text).toContain(text);
  });
});

test('a strategy that writes to its own frozen object is not proved', async () => {
  const lines = [
    "import { Strategy } from 'isobar';",
    'const bars: { slow: number } = Object.freeze({ slow: 5 });',
    'export default class A extends Strategy { override onBar() { bars.slow = 4; this.buy(); } }',
  ];
  writeFileSync(join(folder, 'ownFrozen.ts'), lines.join('\n'));
  const { exitCode, verdict } = await prove('ownFrozen.ts');
  expect(exitCode, JSON.stringify(verdict)).toBe(4);
  expect(proofIn(verdict, 'purity')).toMatchObject({ verdict: 'not-proved', file: 'ownFrozen.ts', line: 3 });
});

describe('a clean strategy', () => {
  const files = [...CLEAN.map((name) => `clean/${name}`), ...CLEAN_WITH_SYSTEM_CALLS.map((name) => `honest/${name}`)];
  test.each(files)('the clean strategy %s is proved', async (file) => {
    const { exitCode, stderr, verdict } = await prove(file);
    expect(exitCode, `${stderr}\n${JSON.stringify(verdict, null, 1)}`).toBe(0);
    expect(verdict.verdict).toBe('proved');
    expect(verdict.bars).toBe(ROW_COUNT);
  });
});

test('the printed verdict on a definition names each proof, within 100 columns', async () => {
  const definition = [
    `strategy: ${join(folder, 'clean/config.ts')}`,
    'feeds: { bars: { symbol: BTCUSDT, interval: 1h } }',
    "cash: { USDT: '100000' }",
    'catalog: data',
  ].join('\n');
  writeFileSync(join(folder, 'run.yaml'), `${definition}\n`);
  expect((await commandIn(folder, ['data', 'import', 'BTCUSDT-1h.csv'])).code).toBe(0);
  const { code, stdout } = await commandIn(folder, ['prove', 'run.yaml', '--times', '2']);
  expect(code).toBe(0);
  for (const name of ['purity', 'blocks', 'prefix', 'poison', 'warm-up', 'metamorphic']) expect(stdout).toContain(`\n  ${name} `);
  expect(Math.max(...stdout.split('\n').map((text) => text.length))).toBeLessThanOrEqual(100);
});

test('a strategy that reads the file of its own bars is refuted', async () => {
  const lines = [
    "import { readFileSync } from 'node:fs';",
    "import { Strategy } from 'isobar';",
    'export default class OwnBars extends Strategy {',
    '  closes: number[] = [];',
    '  override onStart() {',
    "    const bytes = readFileSync('own/spot/BTCUSDT/1h.arrow');",
    '    this.closes = [...new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + 8 * (bytes.length >> 3)))];',
    '  }',
    '  override onBar() {',
    '    const next = this.closes[this.closes.indexOf(this.bars.close.value) + 1] ?? 0;',
    '    if (next > this.bars.close.value) this.buy(); else this.exit();',
    '  }',
    '}',
  ];
  writeFileSync(join(folder, 'ownBars.ts'), `${lines.join('\n')}\n`);
  const definition = [
    'strategy: ownBars.ts',
    'feeds: { bars: { symbol: BTCUSDT, interval: 1h } }',
    "cash: { USDT: '100000' }",
    'catalog: own',
  ];
  writeFileSync(join(folder, 'own.yaml'), `${definition.join('\n')}\n`);
  expect((await commandIn(folder, ['data', 'import', 'BTCUSDT-1h.csv', '--catalog', 'own'])).code).toBe(0);
  const { code, stdout } = await commandIn(folder, ['prove', 'own.yaml', '--times', '2', '--json', '--quiet']);
  expect(code).toBe(3);
  expect(proofIn(JSON.parse(stdout) as StrategyVerdict, 'purity')).toMatchObject({ verdict: 'refuted', file: 'ownBars.ts', line: 6 });
});

test('the error about an import that a Node module does not export names that module', async () => {
  writeFileSync(
    join(folder, 'noExport.ts'),
    "import { on } from 'node:process';\nimport { Strategy } from 'isobar';\nexport default class A extends Strategy { override onBar() { on('x', () => {}); } }\n",
  );
  const { code, stderr } = await commandIn(folder, ['prove', 'noExport.ts', '--data', 'BTCUSDT-1h.csv', '--cash', '1000']);
  expect(code).toBe(2);
  expect(stderr).toContain("noExport.ts: node:process exports no 'on'");
});

test.each([
  [['prove'], 'prove: expected a run definition or a strategy file, got nothing'],
  [['prove', 'none.yaml'], 'none.yaml: no such file'],
  [['prove', 'clean/config.ts'], 'clean/config.ts: expected --data FILE with a strategy file'],
  [
    ['prove', 'clean/config.ts', '--data', 'BTCUSDT-1h.csv', '--cash', '1', '--times', '0'],
    "--times: expected a whole number from 1 to 100000, got '0'",
  ],
])('bad input ends with exit code 2: %j', async (args, message) => {
  const { code, stderr } = await commandIn(folder, args);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});
