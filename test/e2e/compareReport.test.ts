// Tests `isobar report`: a past run again, and two runs beside each other in the terminal, in JSON and in a real browser.

import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { backtest } from 'isobar/run';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliFixture, STRATEGIES, type CommandOutput } from '../fixtures/cliFixture.ts';
import { commandIn } from '../fixtures/inProcess.ts';

const BROWSER = process.env['ISOBAR_CHROMIUM'] ?? '/usr/bin/chromium';
const hasBrowser = existsSync(BROWSER);
if (!hasBrowser) console.log(`skipped: there is no ${BROWSER} (ISOBAR_CHROMIUM names a browser for the checks of the page)`);
const DESKTOP = { viewport: { width: 1280, height: 900 } } as const;
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true } as const;

const fixture = new CliFixture();
/** Run folders: the first run, one with another parameter, and one over other times and cash. */
let firstRun = '';
let slowerRun = '';
let laterRun = '';
/** What the backtest of the first run printed. */
let backtestOutput: CommandOutput;

beforeAll(async () => {
  fixture.bars('ABCUSDT', '1h', 3000);
  const base = `strategy: ${STRATEGIES}/smaCross.ts\nfeeds: { bars: { symbol: ABCUSDT, interval: 1h } }\ncash: { USDT: '10000' }\n`;
  fixture.write('run.yaml', `${base}params: { fast: 5, slow: 20 }\n`);
  backtestOutput = await commandIn(fixture.folder, ['backtest', 'run.yaml']);
  [firstRun = ''] = fixture.runs().map((name) => `runs/${name}`);
  const startFolder = process.cwd();
  process.chdir(fixture.folder);
  const run = async (...set: readonly string[]) => (await backtest({ definition: 'run.yaml', set })).write('runs');
  slowerRun = await run('params.fast=8', 'name=slower');
  laterRun = await run('from=2024-02-01', 'cash.USDT=5000', 'name=later');
  process.chdir(startFolder);
});
afterAll(() => fixture.remove());

describe('the report of a run', () => {
  it('isobar report shows a run again as its backtest printed it', async () => {
    const { code, stdout } = await fixture.run('report', firstRun);
    expect(code).toBe(0);
    expect(stdout).toBe(backtestOutput.stdout);
    expect((await commandIn(fixture.folder, ['report', firstRun, '--quiet'])).stdout).toBe(`${firstRun}/report.html\n`);
    expect((await commandIn(fixture.folder, ['report', firstRun, '--json'])).stdout).toBe(
      readFileSync(join(fixture.folder, firstRun, 'summary.json'), 'utf8'),
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
    expect(await commandIn(fixture.folder, ['report', firstRun, firstRun])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/expected another run than the first/),
    });
  });
});

describe('the comparison of two runs', () => {
  it('isobar report prints two runs beside each other, at most 100 columns wide', async () => {
    const { code, stdout } = await commandIn(fixture.folder, ['report', firstRun, slowerRun]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/Net return +[+−]\S+\s% +[+−]\S+\s% +[+−]\S+\spp [▲▼]/);
    expect(stdout).toMatch(/params\.fast +definition +5 +8/);
    expect(stdout).toMatch(/The first fill that differs is number \d+\n {4}A {2}2024-/);
    expect(stdout).toContain(`Report   runs/compare-${firstRun.slice(5)}-${slowerRun.slice(5)}.html`);
    for (const textLine of stdout.split('\n')) expect(textLine.length).toBeLessThanOrEqual(100);
  });

  it('isobar report --json has the figures of both runs, their differences and the warnings', async () => {
    const { stdout } = await commandIn(fixture.folder, ['report', firstRun, laterRun, '--json', '--out', 'pages']);
    const json = JSON.parse(stdout) as {
      figures: Record<string, { a: number; b: number; difference: number }>;
      warnings: string[];
      report: string;
    };
    const summaries = [firstRun, laterRun].map(
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
    expect(statSync(join(fixture.folder, json.report)).size).toBeLessThan(1_000_000);
  });
});

describe.skipIf(!hasBrowser)('the page of two runs', () => {
  let browser: Browser;
  /** Console messages, errors and requests of the open page. None are expected. */
  const pageProblems: string[] = [];
  /** The file of each page, by name. */
  const pages = new Map<string, string>();
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: BROWSER });
    for (const [name, otherFolder] of [
      ['same', slowerRun],
      ['later', laterRun],
    ] as const) {
      const { stdout } = await commandIn(fixture.folder, ['report', firstRun, otherFolder, '--quiet']);
      pages.set(name, join(fixture.folder, stdout.trim()));
    }
  });
  afterAll(async () => {
    await browser?.close();
    for (const path of pages.values()) rmSync(path);
  });

  /** Opens the page of `pages` with this name, and waits until it is drawn. */
  async function openPage(name: string, options: BrowserContextOptions = DESKTOP): Promise<Page> {
    const page = await (await browser.newContext(options)).newPage();
    pageProblems.length = 0;
    page.on('console', (message) => pageProblems.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => pageProblems.push(error.message));
    page.on('request', (request) => {
      if (/^(https?|wss?):/.test(request.url())) pageProblems.push(request.url());
    });
    await page.goto(`file://${pages.get(name)}`);
    await page.waitForFunction('document.documentElement.dataset.state === "ready"');
    return page;
  }

  it.each([
    ['light', { ...DESKTOP, colorScheme: 'light' }],
    ['dark', { ...DESKTOP, colorScheme: 'dark' }],
    ['on a phone', PHONE],
  ] as const)('the page of two runs opens %s without an error, a request or a sideways scroll', async (_, options) => {
    for (const name of pages.keys()) {
      const page = await openPage(name, options);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(options.viewport.width);
      expect(await page.locator('#curve-plots canvas').count()).toBe(3);
      expect(await page.evaluate('document.body.innerText')).not.toMatch(/NaN|undefined|Infinity|\de[+-]\d/);
      expect(pageProblems).toEqual([]);
      await page.context().close();
    }
  });

  it('the page of two runs shows what differs, and reads its curves at the cursor', async () => {
    const page = await openPage('same');
    expect(await page.locator('h1').textContent()).toContain('SmaCross, two runs');
    expect(await page.locator('.answer').textContent()).toMatch(/^B ends .* (above|below) A: /);
    expect(await page.locator('#differs tbody tr').allTextContents()).toEqual([
      expect.stringMatching(/^\s*name\s+smaCross\s*slower\s*$/),
      expect.stringMatching(/^\s*params\.fast\s+5\s*8\s*$/),
    ]);
    expect(await page.locator('.first tbody tr').count()).toBe(2);
    const netReturns = await page.locator('.cards .card').first().locator('.value').allTextContents();
    const readout = await page.locator('#curves-read').textContent();
    for (const text of netReturns) {
      const endValue = (100 + Number(text.replace('−', '-').replace(/[^\d.-]/g, ''))).toFixed(2);
      expect(readout).toContain(` ${endValue}, drawdown`);
    }
    await page.locator('#plot-growth').hover({ position: { x: 300, y: 100 } });
    expect(await page.locator('#curves-read').textContent()).not.toBe(readout);
    await page.locator('#log').check();
    await page.locator('#curve-plots').focus();
    await page.keyboard.press('+');
    await page.locator('#figures-table th[data-tip]').first().hover();
    expect(await page.locator('#tip').textContent()).toContain('Equity at the end over equity at the start');
    expect(pageProblems).toEqual([]);
    await page.context().close();
  });

  it('the page of two runs warns if they are not comparable', async () => {
    const page = await openPage('later');
    expect(await page.locator('.doubts').textContent()).toContain('they cover different times; they start with');
    expect(await page.locator('.chip.warn').allTextContents()).toEqual([expect.stringContaining('time different')]);
    expect(pageProblems).toEqual([]);
    await page.context().close();
  });

  it('the page of two runs prints on A4', async () => {
    const page = await openPage('same', { ...DESKTOP, colorScheme: 'dark' });
    expect((await page.pdf({ format: 'A4', preferCSSPageSize: true })).length).toBeGreaterThan(40_000);
    expect(pageProblems).toEqual([]);
    await page.context().close();
  });
});
