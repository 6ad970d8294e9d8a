// Every shipped definition runs on the bars that its own comment generates, gives the figures that are checked in beside this file, and is
// identical when it is verified.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { backtest } from 'isobar/run';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verify } from '../fixtures/verified.ts';
import { definitionsIn, goldenOf, isobar, placed } from './definitions.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const SHIPPED = definitionsIn('backtests');
const folder = mkdtempSync(join(tmpdir(), 'isobar-golden-'));
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(() => {
  for (const command of new Set(SHIPPED.flatMap(({ bars }) => bars))) isobar(folder, command);
});

test.each(SHIPPED)('$name gives its golden summary (ISOBAR_UPDATE=1 writes it), and is identical', async ({ name, file }) => {
  const golden = `${HERE}${name}.json`;
  const result = await backtest({ definition: file, set: placed(file, folder) });
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
});

test('a definition and a golden summary for each strategy, and no summary without its definition', () => {
  const strategies = readdirSync(new URL('../../strategies', import.meta.url)).filter((file) => !file.endsWith('.test.ts'));
  const used = SHIPPED.map(({ file }) => /^strategy: strategies\/(\S+)$/m.exec(readFileSync(file, 'utf8'))?.[1]);
  // The second form of the SMA cross gives the trades of the first one: strategies/smaCross.test.ts.
  expect(strategies.filter((file) => !used.includes(file))).toEqual(['smaCrossOnBar.ts']);
  const summaries = readdirSync(HERE).filter((file) => file.endsWith('.json'));
  expect(summaries.toSorted()).toEqual(SHIPPED.map(({ name }) => `${name}.json`));
});
