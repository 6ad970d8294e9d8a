// Tests every shipped definition on the bars that its comment generates: it gives its golden summary and is verified as identical.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { backtest } from 'isobar/run';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verify } from '../fixtures/verified.ts';
import { definitionsIn, goldenOf, isobar, placementSettings } from './definitions.ts';

const GOLDEN_FOLDER = fileURLToPath(new URL('.', import.meta.url));
const SHIPPED_DEFINITIONS = definitionsIn('backtests');
const folder = mkdtempSync(join(tmpdir(), 'isobar-golden-'));
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(() => {
  for (const command of new Set(SHIPPED_DEFINITIONS.flatMap(({ bars }) => bars))) isobar(folder, command);
});

test.each(SHIPPED_DEFINITIONS)(
  'the run of $name has its golden summary (ISOBAR_UPDATE=1 writes it), and is verified as identical',
  async ({ name, file }) => {
    const golden = `${GOLDEN_FOLDER}${name}.json`;
    const result = await backtest({ definition: file, set: placementSettings(file, folder) });
    const figures = goldenOf(result);
    if (process.env['ISOBAR_UPDATE'] === '1') writeFileSync(golden, `${JSON.stringify(figures, null, 2)}\n`);
    expect(existsSync(golden), `there is no ${golden}: ISOBAR_UPDATE=1 writes it`).toBe(true);
    expect(figures).toEqual(JSON.parse(readFileSync(golden, 'utf8')));
    expect(Number(figures['trades'])).toBeGreaterThan(10);

    const verdict = await verify(await result.write(join(folder, 'runs')));
    expect(verdict).toMatchObject({ outcome: 'identical', changed: [], differences: [], notes: [], isFolderAltered: false, failure: null });
    expect(verdict.inputs).toBeGreaterThanOrEqual(5);
    expect(verdict.rows.orders).toBeGreaterThan(10);
    expect(verdict.resultHash.now).toBe(verdict.resultHash.recorded);
  },
);

test('each strategy has a definition and a golden summary, and no summary is without its definition', () => {
  const strategies = readdirSync(new URL('../../strategies', import.meta.url)).filter((file) => !file.endsWith('.test.ts'));
  const usedStrategies = SHIPPED_DEFINITIONS.map(({ file }) => /^strategy: strategies\/(\S+)$/m.exec(readFileSync(file, 'utf8'))?.[1]);
  // smaCrossOnBar has the trades of smaCross, as strategies/smaCross.test.ts checks.
  expect(strategies.filter((file) => !usedStrategies.includes(file))).toEqual(['smaCrossOnBar.ts']);
  const summaries = readdirSync(GOLDEN_FOLDER).filter((file) => file.endsWith('.json'));
  expect(summaries.toSorted()).toEqual(SHIPPED_DEFINITIONS.map(({ name }) => `${name}.json`));
});
