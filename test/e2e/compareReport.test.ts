// Tests `isobar report` for one past run, and for two runs side by side: in the terminal, in JSON, and as a page in a real browser.

import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { backtest } from 'isobar/run';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliFixture, STRATEGIES, type CommandOutput } from '../fixtures/cliFixture.ts';
import { commandIn } from '../fixtures/inProcess.ts';
import { DESKTOP, PHONE, BROWSER, hasBrowser } from '../fixtures/reportPage.ts';

/** Limit on the size of the page of these runs, which have at most 3000 bars. */
const MAX_PAGE_BYTES = 1_000_000;
/** Least size of the PDF, so that it cannot be empty. */
const MIN_PDF_BYTES = 40_000;

const fixture = new CliFixture();
let firstRunFolder = '';
/** Folder of a run like the first one, but with another parameter. */
let otherParamFolder = '';
/** Folder of a run like the first one, but over other times and with other cash. */
let otherTimesFolder = '';
/** What the backtest of the first run printed. */
let backtestOutput: CommandOutput;

beforeAll(async () => {
  fixture.bars('ABCUSDT', '1h', 3000);
  const definition = `strategy: ${STRATEGIES}/smaCross.ts\nfeeds: { bars: { symbol: ABCUSDT, interval: 1h } }\ncash: { USDT: '10000' }\n`;
  fixture.write('run.yaml', `${definition}params: { fast: 5, slow: 20 }\n`);
  backtestOutput = await commandIn(fixture.folder, ['backtest', 'run.yaml']);
  [firstRunFolder = ''] = fixture.runs().map((name) => `runs/${name}`);
  const startFolder = process.cwd();
  process.chdir(fixture.folder);
  const writeRun = async (...set: readonly string[]) => (await backtest({ definition: 'run.yaml', set })).write('runs');
  otherParamFolder = await writeRun('params.fast=8', 'name=slower');
  otherTimesFolder = await writeRun('from=2024-02-01', 'cash.USDT=5000', 'name=later');
  process.chdir(startFolder);
});
afterAll(() => fixture.remove());

describe('the report of a run', () => {
  it('isobar report prints what the backtest of the run printed', async () => {
    const { code, stdout } = await fixture.run('report', firstRunFolder);
    expect(code).toBe(0);
    expect(stdout).toBe(backtestOutput.stdout);
  });

  it('isobar report --quiet prints only the path of the page', async () => {
    expect((await commandIn(fixture.folder, ['report', firstRunFolder, '--quiet'])).stdout).toBe(`${firstRunFolder}/report.html\n`);
  });

  it('isobar report --json prints the summary of the run', async () => {
    expect((await commandIn(fixture.folder, ['report', firstRunFolder, '--json'])).stdout).toBe(
      readFileSync(join(fixture.folder, firstRunFolder, 'summary.json'), 'utf8'),
    );
  });

  it('isobar report ends with code 2 for a folder that is not a run folder', async () => {
    expect(await commandIn(fixture.folder, ['report', 'runs'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^runs: expected a run folder/),
    });
  });

  it('isobar report ends with code 2 if a run is to be compared with itself', async () => {
    expect(await commandIn(fixture.folder, ['report', firstRunFolder, firstRunFolder])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/expected another run than the first/),
    });
  });
});

describe('the comparison of two runs', () => {
  it('isobar report prints two runs beside each other, at most 100 columns wide', async () => {
    const { code, stdout } = await commandIn(fixture.folder, ['report', firstRunFolder, otherParamFolder]);
    expect(code).toBe(0);
    // Such as: Net return   +12.34 %   -5.67 %   -18.01 pp ▼. The number and its unit are joined by a narrow space.
    expect(stdout).toMatch(/Net return +[+−]\S+\s% +[+−]\S+\s% +[+−]\S+\spp [▲▼]/);
    expect(stdout).toMatch(/params\.fast +definition +5 +8/);
    expect(stdout).toMatch(/The first fill that differs is number \d+\n {4}A {2}2024-/);
    expect(stdout).toContain(`Report   runs/compare-${firstRunFolder.slice(5)}-${otherParamFolder.slice(5)}.html`);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  });

  it('isobar report --json has the figures of both runs, their differences and the warnings', async () => {
    const { stdout } = await commandIn(fixture.folder, ['report', firstRunFolder, otherTimesFolder, '--json', '--out', 'pages']);
    const json = JSON.parse(stdout) as {
      figures: Record<string, { a: number; b: number; difference: number }>;
      warnings: string[];
      report: string;
    };
    const summaries = [firstRunFolder, otherTimesFolder].map(
      (run) => JSON.parse(readFileSync(join(fixture.folder, run, 'summary.json'), 'utf8')) as { metrics: { sharpe: number } },
    );
    const sharpe = json.figures['sharpe'];
    expect([sharpe?.a, sharpe?.b]).toEqual(summaries.map(({ metrics }) => metrics.sharpe));
    expect(sharpe?.difference).toBe((sharpe?.b ?? NaN) - (sharpe?.a ?? NaN));
    expect(json.warnings).toEqual([
      'they cover different times',
      'they start with 10\u2009000.00 and 5\u2009000.00 USDT',
      'the data are synthetic',
    ]);
    expect(statSync(join(fixture.folder, json.report)).size).toBeLessThan(MAX_PAGE_BYTES);
  });
});

describe.skipIf(!hasBrowser)('the page of two runs', () => {
  let browser: Browser;
  /** Console messages, errors and requests of the open page. None are expected. */
  const pageProblems: string[] = [];
  /** Path of the page that compares the first run with another run, by name of the other run. */
  const pagePaths = new Map<string, string>();
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: BROWSER });
    for (const [name, otherFolder] of [
      ['otherParam', otherParamFolder],
      ['otherTimes', otherTimesFolder],
    ] as const) {
      const { stdout } = await commandIn(fixture.folder, ['report', firstRunFolder, otherFolder, '--quiet']);
      pagePaths.set(name, join(fixture.folder, stdout.trim()));
    }
  });
  afterAll(async () => {
    await browser?.close();
    for (const path of pagePaths.values()) rmSync(path);
  });

  /** Opens the page of `pagePaths` with this name, and waits until it is drawn. */
  async function openPage(name: string, options: BrowserContextOptions = DESKTOP): Promise<Page> {
    const page = await (await browser.newContext(options)).newPage();
    pageProblems.length = 0;
    page.on('console', (message) => pageProblems.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => pageProblems.push(error.message));
    page.on('request', (request) => {
      if (/^(https?|wss?):/.test(request.url())) pageProblems.push(request.url());
    });
    await page.goto(`file://${pagePaths.get(name)}`);
    await page.waitForFunction('document.documentElement.dataset.state === "ready"');
    return page;
  }

  it.each([
    ['light', { ...DESKTOP, colorScheme: 'light' }],
    ['dark', { ...DESKTOP, colorScheme: 'dark' }],
    ['on a phone', PHONE],
  ] as const)('the page of two runs opens %s without an error, a request or a sideways scroll', async (_, options) => {
    for (const name of pagePaths.keys()) {
      const page = await openPage(name, options);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(options.viewport.width);
      expect(await page.locator('#curve-plots canvas').count()).toBe(3);
      expect(await page.evaluate('document.body.innerText')).not.toMatch(/NaN|undefined|Infinity|\de[+-]\d/);
      expect(pageProblems).toEqual([]);
      await page.context().close();
    }
  });

  it('the page of two runs shows the definitions and the first fills that differ', async () => {
    const page = await openPage('otherParam');
    expect(await page.locator('h1').textContent()).toContain('SmaCross, two runs');
    expect(await page.locator('.answer').textContent()).toMatch(/^B ends .* (above|below) A: /);
    expect(await page.locator('#differs tbody tr').allTextContents()).toEqual([
      expect.stringMatching(/^\s*name\s+smaCross\s*slower\s*$/),
      expect.stringMatching(/^\s*params\.fast\s+5\s*8\s*$/),
    ]);
    expect(await page.locator('.first tbody tr').count()).toBe(2);
    expect(pageProblems).toEqual([]);
    await page.context().close();
  });

  it('the page of two runs shows the values of both curves at the cursor, at first those at the end', async () => {
    const page = await openPage('otherParam');
    const readout = await page.locator('#curves-read').textContent();
    const netReturns = await page.locator('.cards .card').first().locator('.value').allTextContents();
    for (const percentText of netReturns) {
      const netPercent = Number(percentText.replace('−', '-').replace(/[^\d.-]/g, ''));
      // Both curves start at 100.
      expect(readout).toContain(` ${(100 + netPercent).toFixed(2)}, drawdown`);
    }
    await page.locator('#plot-growth').hover({ position: { x: 300, y: 100 } });
    expect(await page.locator('#curves-read').textContent()).not.toBe(readout);
    expect(pageProblems).toEqual([]);
    await page.context().close();
  });

  it('the page of two runs explains a figure under the cursor, also after the scale and the zoom have changed', async () => {
    const page = await openPage('otherParam');
    await page.locator('#log').check();
    await page.locator('#curve-plots').focus();
    await page.keyboard.press('+');
    await page.locator('#figures-table th[data-tip]').first().hover();
    expect(await page.locator('#tip').textContent()).toContain('Equity at the end over equity at the start');
    expect(pageProblems).toEqual([]);
    await page.context().close();
  });

  it('the page of two runs warns if they are not comparable', async () => {
    const page = await openPage('otherTimes');
    expect(await page.locator('.doubts').textContent()).toContain('they cover different times; they start with');
    expect(await page.locator('.chip.warn').allTextContents()).toEqual([expect.stringContaining('time different')]);
    expect(pageProblems).toEqual([]);
    await page.context().close();
  });

  it('the page of two runs can be printed as a PDF of A4 pages', async () => {
    const page = await openPage('otherParam', { ...DESKTOP, colorScheme: 'dark' });
    expect((await page.pdf({ format: 'A4', preferCSSPageSize: true })).length).toBeGreaterThan(MIN_PDF_BYTES);
    expect(pageProblems).toEqual([]);
    await page.context().close();
  });
});
