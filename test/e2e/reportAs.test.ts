// Tests `isobar report --as`: the figures of other tools as a table and as JSON, and which options it rejects.

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { backtest, generateBars } from 'isobar/run';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadBars } from '../../src/adapters/catalog/bars/catalog.ts';
import { generateInto } from '../../dist/adapters/catalog/generate/generateInto.js';
import type { FigureProfile } from '../../src/report/profiles/profile.ts';
import { PROFILE_NAMES } from '../../src/report/profiles/names.ts';
import { commandIn } from '../fixtures/inProcess.ts';

const STRATEGY = fileURLToPath(new URL('../../strategies/smaCross.ts', import.meta.url));
const PRICE_FIGURES = ['Buy & Hold Return [%]', 'Beta', 'Alpha [%]'];

/** The JSON of the command. */
interface PrintedProfile extends FigureProfile {
  readonly run: string;
  readonly resultHash: string;
  readonly note: string | null;
}

describe('isobar report --as', () => {
  const folder = mkdtempSync(join(tmpdir(), 'isobar-as-'));
  const catalog = join(folder, 'data');
  let run: string;
  /** A run that starts at 12:00 of its first daily bar. */
  let midBarRun: string;
  /** A run made in code, whose bars are in no catalog. */
  let codeRun: string;

  /** Returns what `isobar report --as` prints as JSON. */
  const printedProfile = async (runFolder: string, name: string) => {
    const { code, stdout, stderr } = await commandIn(folder, ['report', runFolder, '--as', name, '--json']);
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout) as PrintedProfile;
  };

  beforeAll(async () => {
    generateInto(catalog, { symbol: 'SYNUSDT', market: 'spot', interval: '1h', fromMs: Date.UTC(2024, 0, 1), bars: 900, seed: 3 });
    const options = { strategy: STRATEGY, params: { fast: 5, slow: 20 }, cash: '10000' };
    const result = await backtest({ ...options, feeds: { bars: { symbol: 'SYNUSDT', interval: '1h' } }, catalog });
    run = await result.write(join(folder, 'runs'));
    const daily = { bars: { symbol: 'SYNUSDT', interval: '1d' } };
    const midBar = await backtest({
      ...options,
      params: { fast: 2, slow: 3 },
      feeds: daily,
      catalog,
      from: '2024-01-10T12:00',
      to: '2024-02-01',
    });
    midBarRun = await midBar.write(join(folder, 'midBarRun'));
    codeRun = await (await backtest({ ...options, data: generateBars({ bars: 300, seed: 4 }) })).write(join(folder, 'inCode'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(PROFILE_NAMES)('isobar report --as %s prints a table within 100 columns, and the same figures as JSON', async (name) => {
    const { code, stdout } = await commandIn(folder, ['report', run, '--as', name]);
    expect(code).toBe(0);
    expect(stdout.split('\n').filter((line) => line.length > 100)).toEqual([]);
    const { as, figures, note, resultHash, input } = await printedProfile(run, name);
    expect({ as, note }).toEqual({ as: name, note: null });
    expect(resultHash).toMatch(/^[0-9a-f]{64}$/);
    expect(input).not.toBe('');
    for (const figure of figures) {
      expect(stdout).toContain(`  ${figure.name}  `);
      expect(stdout).toContain(`  ${figure.name}: `);
      expect(Object.keys(figure)).toEqual(['name', 'unit', 'original', 'corrected', 'reason', 'equal', 'isobar', 'formula', 'differs']);
      expect(typeof figure.original === 'number' || ['inf', '-inf', 'nan', 'error'].includes(figure.original)).toBe(true);
    }
    expect(figures.some(({ equal }) => equal)).toBe(true);
  });

  it('isobar report --as reads the bars of a run again for the figures of prices', async () => {
    const { figures } = await printedProfile(run, 'backtesting.py');
    const priceFigures = figures.filter(({ name }) => PRICE_FIGURES.includes(name));
    expect(priceFigures.map(({ name }) => name)).toEqual(PRICE_FIGURES);
    for (const { original, corrected } of priceFigures) expect([typeof original, typeof corrected]).toEqual(['number', 'number']);
  });

  it.each(['quantstats', 'empyrical', 'vectorbt', 'nautilus'])('isobar report --as %s has the benchmark of the summary', async (name) => {
    for (const runFolder of [run, midBarRun]) {
      const { figures } = await printedProfile(runFolder, name);
      const beta = figures.find(({ isobar }) => isobar === 'metrics.beta');
      expect(beta).toMatchObject({ equal: true });
      expect(figures.some(({ isobar }) => isobar === 'metrics.alpha')).toBe(true);
    }
  });

  it('isobar report --as backtesting.py takes the close of the bar inside which a run starts', async () => {
    const { figures } = await printedProfile(midBarRun, 'backtesting.py');
    const { bars } = loadBars(catalog, { market: 'spot', symbol: 'SYNUSDT', interval: '1h' });
    const closeBefore = (day: number) => bars.close[bars.closeMs.indexOf(day)]!;
    const holdingReturn = (closeBefore(Date.UTC(2024, 1, 1)) / closeBefore(Date.UTC(2024, 0, 11)) - 1) * 100;
    expect(figures.find(({ name }) => name === 'Buy & Hold Return [%]')!.original).toBeCloseTo(holdingReturn, 9);
  });

  it('isobar report --as leaves out the figures of prices for a run made in code, and says why', async () => {
    const { figures, note } = await printedProfile(codeRun, 'backtesting.py');
    expect(figures.filter(({ name }) => PRICE_FIGURES.includes(name))).toEqual([]);
    expect(note).toMatch(/^the figures of prices and benchmark are missing: the run was made in code/);
  });

  it('isobar report --as with a second run, with --open or with an unknown tool ends with code 2', async () => {
    const failureOf = async (...args: readonly string[]) => {
      const { code, stderr } = await commandIn(folder, ['report', run, ...args]);
      return `${code} ${stderr}`;
    };
    expect(await failureOf(run, '--as', 'vectorbt')).toMatch(/^2 .*--as: expected one run, got two/s);
    expect(await failureOf('--as', 'vectorbt', '--open')).toMatch(/^2 .*--as: expected not to be given with --open/s);
    expect(await failureOf('--as', 'pyfolio')).toMatch(/^2 .*quantstats/s);
  });

  // The last test, because it changes the bars.
  it('isobar report --as leaves out the figures of prices when the bars have changed', async () => {
    const barsFile = readdirSync(catalog, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith('.arrow'))!;
    writeFileSync(join(catalog, barsFile), 'other bytes');
    expect((await printedProfile(run, 'backtesting.py')).note).toMatch(
      /^the figures of prices and benchmark are missing: .* has changed since the run$/,
    );
    expect((await printedProfile(run, 'freqtrade')).note).toBeNull();
  });
});
