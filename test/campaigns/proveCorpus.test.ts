// Tests `isobar prove` on every strategy of the four corpora: npm run campaign -- proveCorpus. test/e2e/prove.test.ts proves a few.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StrategyVerdict } from '../../src/model/run/proof.ts';
import { commandIn } from '../fixtures/inProcess.ts';
import { strategiesOf, writeCorpora } from '../fixtures/purityCorpus.ts';

const isCampaign = process.env['ISOBAR_CASES'] !== undefined;
/** A prime number of bars: with another one, a cyclic counter of a strategy could begin the second run with the value of the first. */
const ROW_COUNT = 2399;
/** Strategies that import what they do not use, or fail to reach the engine. The proofs neither accept nor refute them. */
const UNDECIDED = new Set(['handlerThis.ts', 'host.ts', 'http.ts', 'outsideImport.ts', 'symbols.ts', 'walk.ts', 'workerThreads.ts']);
/** A strategy with a counter in its module. It is clean within one run, and only a second run in the process sees the state. */
const MODULE_COUNTER = 'state.ts';
/** Strategies of `reaching` that read what an indicator has computed ahead. The proof of purity refutes all others. */
const READS_AHEAD = new Set([
  'blockMax.ts',
  'rowsClosure.ts',
  'sampledWindow.ts',
  'twoCustoms.ts',
  'weakAhead.ts',
  'legacyRegExp.ts',
  'atomicCell.ts',
  'eventAhead.ts',
  'twoReaders.ts',
  'throwAhead.ts',
  'boundFormat.ts',
]);
/** A strategy that reads the load of the computer, which differs from run to run. Proofs that compare runs may refute it too. */
const LOAD_READER = 'loadavg.ts';
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'isobar-prove-'));
  writeCorpora(folder, ROW_COUNT);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs `isobar prove`, and returns the names of the proofs that refute the strategy. */
async function prove(file: string): Promise<{ readonly code: number | null; readonly refuted: readonly string[] }> {
  const args = ['prove', file, '--data', 'BTCUSDT-1h.csv', '--cash', '100000', '--json', '--quick', '--quiet', '--ledger', 'ledger'];
  const { code, stdout } = await commandIn(folder, args);
  const { proofs } = JSON.parse(stdout) as StrategyVerdict;
  return { code: code ?? null, refuted: proofs.filter(({ verdict }) => verdict === 'refuted').map(({ name }) => name) };
}

/** The suite proves a few strategies of each corpus, a campaign all of them. */
const biased = isCampaign ? strategiesOf('biased').filter((name) => !UNDECIDED.has(name)) : ['weakmap.ts'];
const clean = isCampaign ? strategiesOf('clean').filter((name) => name !== MODULE_COUNTER) : ['weakmap.ts'];

const reaching = isCampaign
  ? strategiesOf('reaching')
  : ['regexpState.ts', 'compactTable.ts', 'resetWindow.ts', 'stack.ts', 'codeName.ts', 'newestFirst.ts'];
const honest = isCampaign ? strategiesOf('honest') : ['scratchArray.ts', 'loggedNumbers.ts', 'resolvedInput.ts', 'debugOnly.ts'];

describe('biased', () => {
  test.each(biased)('biased: %s is refuted', { timeout: 120_000 }, async (name) => {
    expect((await prove(`biased/${name}`)).code).toBe(3);
  });
});
describe('reaching', () => {
  test.each(reaching)('reaching: only the proof for its kind of bias refutes %s', { timeout: 120_000 }, async (name) => {
    const { code, refuted } = await prove(`reaching/${name}`);
    expect(code).toBe(3);
    // With { pure: true } an indicator that reads ahead is filled ahead, and every proof about the future sees it.
    if (name === 'pureLate.ts') expect(refuted).toEqual(['blocks', 'prefix', 'poison']);
    else if (name === LOAD_READER) expect(refuted).toContain('purity');
    else expect(refuted).toEqual([READS_AHEAD.has(name) ? 'blocks' : 'purity']);
  });
});
describe('clean', () => {
  test.each(clean)('clean: %s is proved', { timeout: 120_000 }, async (name) => {
    expect((await prove(`clean/${name}`)).code).toBe(0);
  });
  test.each(honest)('honest: %s is proved', { timeout: 120_000 }, async (name) => {
    expect((await prove(`honest/${name}`)).code).toBe(0);
  });
});
