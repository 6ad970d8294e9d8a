// Every strategy of both corpora by `isobar prove`: npm run campaign -- proveCorpus. The suite proves a few: test/e2e/prove.test.ts.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandIn } from '../fixtures/inProcess.ts';
import { strategiesOf, writeCorpora } from '../fixtures/purityCorpus.ts';

const isCampaign = process.env['ISOBAR_CASES'] !== undefined;
/** No multiple of a small number: a counter would begin a second run as it began the first. */
const ROWS = 2399;
/** They import what they do not use, or throw: nothing proves them, and nothing refutes them. */
const UNDECIDED = new Set(['handlerThis.ts', 'host.ts', 'http.ts', 'outsideImport.ts', 'symbols.ts', 'walk.ts', 'workerThreads.ts']);
/** A counter in its module is no bias of one run, but state of a second one. */
const COUNTER = 'state.ts';
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'isobar-prove-'));
  writeCorpora(folder, ROWS);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function codeOf(file: string): Promise<number | null> {
  const words = ['prove', file, '--data', 'BTCUSDT-1h.csv', '--cash', '100000', '--json', '--quick', '--quiet'];
  return (await commandIn(folder, words)).code ?? null;
}

const biased = isCampaign ? strategiesOf('biased').filter((name) => !UNDECIDED.has(name)) : ['weakmap.ts'];
const clean = isCampaign ? strategiesOf('clean').filter((name) => name !== COUNTER) : ['weakmap.ts'];

describe('biased', () => {
  test.each(biased)('%s is refuted', { timeout: 120_000 }, async (name) => {
    expect(await codeOf(`biased/${name}`)).toBe(3);
  });
});
describe('clean', () => {
  test.each(clean)('%s is proved', { timeout: 120_000 }, async (name) => {
    expect(await codeOf(`clean/${name}`)).toBe(0);
  });
});
