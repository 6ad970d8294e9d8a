// Tests report.html in a real browser: no error, no request, and the numbers of the summary.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeReport } from '../../src/report/run/report.ts';
import { tradesOf } from '../../src/report/trades/trades.ts';
import { linearContract } from '../fixtures/futuresVenue.ts';
import { BROWSER, hasBrowser, openReport, DESKTOP, PHONE } from '../fixtures/reportPage.ts';
import { reportInput, reportRecord } from '../fixtures/reportRun.ts';

describe.skipIf(!hasBrowser)('report.html', () => {
  const folder = mkdtempSync(join(tmpdir(), 'isobar-report-'));
  let browser: Browser;
  /** Errors and requests of the open page. None are expected. */
  const pageProblems: string[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: BROWSER });
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });

  function openPage(path: string, options: BrowserContextOptions = DESKTOP): Promise<Page> {
    pageProblems.length = 0;
    return openReport(browser, path, options, pageProblems);
  }

  describe('of a small run', () => {
    const path = join(folder, 'small.html');
    const input = reportInput(
      reportRecord({
        rows: 30_000,
        trades: 120,
        instruments: 2,
        hasIndicators: true,
        quality: { gaps: 5, missingBars: 600, synthetic: true },
      }),
    );
    beforeAll(() => writeReport(input, path));

    it.each([
      ['light', { ...DESKTOP, colorScheme: 'light' }],
      ['dark', { ...DESKTOP, colorScheme: 'dark' }],
      ['on a phone', PHONE],
    ] as const)('report.html opens %s without an error, a request or a sideways scroll', async (_, options) => {
      const page = await openPage(path, options);
      expect(pageProblems).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(options.viewport.width);
      expect(await page.locator('canvas').count()).toBeGreaterThan(3);
      await close(page);
    });

    it('report.html has the figures of the summary in its cards, its head and its tables', async () => {
      const page = await openPage(path);
      const { metrics, trades, resultHash } = input.summary;
      const cards = (await page.locator('.cards').textContent()) ?? '';
      expect(cards).toContain(`Net return${metrics.totalReturn! > 0 ? '+' : ''}${shownNumber(metrics.totalReturn! * 100)}`);
      expect(cards).toContain(`Sharpe${shownNumber(metrics.sharpe)}`);
      expect(cards).toContain(`Max drawdown${shownNumber(metrics.maxDrawdown! * 100)}`);
      expect(cards).toContain(`Trades${trades.trades}`);
      expect(cards).toContain(`Win rate${shownNumber(trades.winRate! * 100)}`);
      expect(cards).toContain(`Profit factor${shownNumber(trades.profitFactor)}`);
      const head = (await page.locator('.head').textContent()) ?? '';
      expect(head).toContain(resultHash.slice(0, 12));
      expect(head).toContain('synthetic data');
      expect(await page.locator('.trust').textContent()).toContain('10 gaps');
      expect(await page.locator('#provenance pre').textContent()).toBe(input.provenance.definition);
      const text = await page.evaluate('document.body.innerText');
      expect(text).not.toMatch(/NaN|undefined|Infinity|\de[+-]\d/);
      await close(page);
    });

    it('report.html shows the definition of the figure that has the focus, and the list of keys', async () => {
      const page = await openPage(path);
      await page.locator('.card').nth(3).focus();
      expect(await page.locator('#tip').textContent()).toContain('Mean over standard deviation');
      await page.keyboard.press('?');
      expect(await page.locator('#keys-list').isVisible()).toBe(true);
      await close(page);
    });

    it('report.html sorts, filters and pages its trades, and exports what is shown', async () => {
      const page = await openPage(path);
      const shownRows = () =>
        page.locator('#trade-table tbody tr').evaluateAll((rows) => rows.map((row) => Number(row.getAttribute('data-row'))));
      expect(await page.locator('#trade-table tbody tr').count()).toBe(50);
      await page.getByRole('button', { name: 'result, USD' }).click();
      const { closed } = tradesOf(input.record);
      const byResult = Array.from(closed.pnlUnits, (pnl, row) => ({ pnl, row })).toSorted((a, b) => b.pnl - a.pnl || a.row - b.row);
      expect(await shownRows()).toEqual(byResult.slice(0, 50).map(({ row }) => row));
      await page.selectOption('#filter-result', { label: 'won' });
      expect(await page.locator('#trade-count').textContent()).toBe(`${input.summary.trades.wins} of ${input.summary.trades.trades}`);
      const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#export').click()]);
      const lines = readFileSync(await download.path(), 'utf8')
        .trim()
        .split('\n');
      expect(lines.length).toBe(input.summary.trades.wins + 1);
      expect(lines[0]).toContain('result_fraction');
      expect(pageProblems).toEqual([]);
      await close(page);
    });

    it('report.html assigns each trade to its instrument, whatever the order of the feeds', async () => {
      const record = reportRecord({ rows: 500, trades: 4, instruments: 2 });
      const reportPath = join(folder, 'turned.html');
      await writeReport(reportInput({ ...record, feeds: record.feeds.toReversed() }), reportPath);
      const page = await openPage(reportPath);
      expect(await page.locator('#instrument option').allTextContents()).toEqual(['AB1USD', 'ABCUSD']);
      const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#export').click()]);
      const [, ...rows] = readFileSync(await download.path(), 'utf8')
        .trim()
        .split('\n');
      const { closed } = tradesOf(record);
      const names = Array.from(closed.instrument, (instrumentIndex) => record.instruments[instrumentIndex]!.wireName);
      expect(rows.map((row) => row.split(',')[1])).toEqual(names);
      await page.locator('#trade-table tbody tr').first().click();
      expect(await page.locator('#instrument option:checked').textContent()).toBe(names[0]);
      await close(page);
    });

    it('report.html zooms into hourly bars by keys, also in a run that is shorter than one bar', async () => {
      const record = reportRecord({ rows: 300, trades: 1 });
      const hours = (ms: Float64Array) => ms.map((timeMs) => record.fromMs + (timeMs - record.fromMs) * 60);
      const feeds = record.feeds.map(({ bars, ...feed }) => {
        return { ...feed, bars: { ...bars, interval: '1h' as const, openMs: hours(bars.openMs), closeMs: hours(bars.closeMs) } };
      });
      for (const length of [300 * 3_600_000, 1_200_000]) {
        const reportPath = join(folder, 'hours.html');
        await writeReport(reportInput({ ...record, feeds, toMs: record.fromMs + length }), reportPath);
        const page = await openPage(reportPath);
        for (let press = 0; press < 30; press++) {
          await page.keyboard.press('+');
          await page.evaluate('new Promise(requestAnimationFrame)');
        }
        expect(await page.locator('#price-read').textContent()).toContain('1h bars');
        expect(pageProblems).toEqual([]);
        await close(page);
      }
    });

    it('report.html shows quantities of futures as contracts', async () => {
      const record = reportRecord({ rows: 500, trades: 3 });
      const { contract } = linearContract();
      const instrument = { ...record.instruments[0]!, contract: contract! };
      const feeds = record.feeds.map((feed) => ({ ...feed, bars: { ...feed.bars, instrument } }));
      const reportPath = join(folder, 'contracts.html');
      await writeReport(reportInput({ ...record, instruments: [instrument], feeds }), reportPath);
      const page = await openPage(reportPath);
      expect(await page.locator('#trade-table thead').textContent()).toContain('quantity, contracts');
      const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#export').click()]);
      expect(readFileSync(await download.path(), 'utf8').split('\n')[0]).toContain(',quantity_contracts,');
      await close(page);
    });

    it('a click on a row moves the chart of report.html to its trade and its instrument', async () => {
      const page = await openPage(path);
      const chartNote = () => page.locator('#price-read').textContent();
      const before = await chartNote();
      const row = page.locator('#trade-table tbody tr').nth(1);
      await row.click();
      await expect.poll(chartNote).not.toBe(before);
      expect(await chartNote()).toMatch(/^\d+m bars.* trades? in viewtrade 2: long/);
      expect(await row.getAttribute('aria-selected')).toBe('true');
      expect(await page.locator('#instrument').inputValue()).toBe('1');
      await page.keyboard.press('j');
      expect(await page.locator('#trade-table tbody tr').nth(2).getAttribute('aria-selected')).toBe('true');
      expect(pageProblems).toEqual([]);
      await close(page);
    });

    it('a click on a trade that is already visible in report.html zooms to it again', async () => {
      const page = await openPage(path);
      const chartNote = () => page.locator('#price-read').textContent();
      await page.locator('#trade-table tbody tr').nth(6).click();
      await expect.poll(chartNote).toContain('trade 7');
      const noteOfTrade7 = await chartNote();
      await page.keyboard.press('-');
      await page.keyboard.press('-');
      await expect.poll(chartNote).not.toBe(noteOfTrade7);
      await page.locator('#trade-table tbody tr').nth(6).click();
      await expect.poll(chartNote).toBe(noteOfTrade7);
      await close(page);
    });

    it('report.html lists only the trades of a clicked group, until the filter is removed', async () => {
      const page = await openPage(path);
      const { breakdowns, openTrades } = input.summary.trades;
      const count = () => page.locator('#trade-count').textContent();
      for (const [grouping, rows] of [
        ['exitReason', breakdowns.exitReason],
        ['holdTime', breakdowns.holdTime],
        ['side', breakdowns.side],
        ['hour', breakdowns.hour],
      ] as const) {
        const row = rows.at(-1)!;
        await page.locator(`#breakdowns button[data-by="${grouping}"][data-key="${row.key}"]`).click();
        const tradeCount = input.summary.trades.trades;
        expect(await count(), grouping).toBe(row.trades === tradeCount ? String(tradeCount) : `${row.trades} of ${tradeCount}`);
      }
      await page.locator('#filter-group').click();
      expect(await count()).toBe(String(input.summary.trades.trades));
      expect(await page.locator('#filter-group').isVisible()).toBe(false);
      const text = (await page.locator('#breakdowns').textContent()) ?? '';
      expect(text).toContain('By symbol');
      expect(text.includes('still open')).toBe(openTrades > 0);
      await close(page);
    });

    it('report.html shows the volume of the bar under the cursor', async () => {
      const page = await openPage(path);
      await page.keyboard.press('0');
      await page.locator('#price-chart').scrollIntoViewIfNeeded();
      const box = await page.locator('#price-chart').boundingBox();
      await page.mouse.move(box!.x + box!.width / 3, box!.y + 60);
      await expect.poll(() => page.locator('#price-legend').textContent()).toMatch(/ {2}V [\d.]/);
      expect(await page.locator('#price-legend').textContent()).not.toContain('V –');
      await close(page);
    });

    it('a click on a marker in report.html selects the row of its trade', async () => {
      const page = await openPage(path);
      await page.locator('#trade-table tbody tr').nth(4).click();
      await expect.poll(() => page.locator('#price-read').textContent()).toContain('trade 5');
      // The selected trade is in the middle of the chart, so its markers are searched there.
      expect(await page.evaluate(clickMarkers)).toBe('4');
      await close(page);
    });

    it('report.html keeps the chosen theme after a reload', async () => {
      const page = await openPage(path);
      const theme = page.locator('#theme');
      // A browser on a busy machine may lose a command just before a reload. Then it is sent again.
      const themeAfterReload = async () => {
        for (let click = 0; click < 3 && (await theme.textContent()) !== 'theme: dark'; click++) await theme.click();
        expect(await theme.textContent()).toBe('theme: dark');
        await page.reload();
        await page.waitForFunction('document.documentElement.dataset.state === "ready"');
        return page.evaluate('document.documentElement.dataset.theme');
      };
      await expect.poll(themeAfterReload).toBe('dark');
      await close(page);
    });

    it('report.html prints on A4 with its charts', async () => {
      const page = await openPage(path, { ...DESKTOP, colorScheme: 'dark' });
      const pdf = await page.pdf({ format: 'A4', preferCSSPageSize: true });
      expect(pdf.length).toBeGreaterThan(50_000);
      expect(await page.evaluate('document.documentElement.hasAttribute("data-print")')).toBe(false);
      expect(pageProblems).toEqual([]);
      await close(page);
    });
  });

  it('report.html fits the width of a phone with more trades than it draws lines for, and with a very long strategy name', async () => {
    const path = join(folder, 'many.html');
    const record = reportRecord({ rows: 20_000, trades: 400 });
    const strategies = record.strategies.map((strategy) => ({ ...strategy, name: 'StrategyOf'.repeat(8) }));
    await writeReport(reportInput({ ...record, strategies }), path);
    const page = await openPage(path, PHONE);
    expect(await page.locator('#price-read').textContent()).toContain('several to a marker');
    expect(await page.locator('h1').textContent()).toContain('StrategyOfStrategyOf');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.viewport.width);
    await close(page);
  });

  it('report.html of a run without a trade opens and says so', async () => {
    const path = join(folder, 'none.html');
    const record = reportRecord({ rows: 3000, trades: 1 });
    const recordWithoutTrades = {
      ...record,
      fills: { ...record.fills, length: 0 },
      orders: { ...record.orders, length: 0 },
      equity: { ...record.equity, units: record.equity.units.map(() => record.startUnits) },
    };
    await writeReport(reportInput(recordWithoutTrades), path);
    const page = await openPage(path, PHONE);
    expect(pageProblems).toEqual([]);
    expect(await page.locator('#trades').textContent()).toContain('No trade was closed');
    expect(await page.locator('.cards').textContent()).toContain('Win rate–');
    await close(page);
  });
});

/** Closes a page with its browser context. */
function close(page: Page): Promise<void> {
  return page.context().close();
}

/** Returns a number as the page shows it: two decimals, and a minus sign instead of a hyphen. */
function shownNumber(value: number | null): string {
  return value!.toFixed(2).replace('-', '−');
}

/** Clicks across the middle of the price chart until another row is selected. Returns its number. */
function clickMarkers(): string | null {
  const chart = document.getElementById('price-chart');
  const selected = '#trade-table tr[aria-selected=true]';
  document.querySelector(selected)?.setAttribute('aria-selected', 'false');
  if (!chart) return null;
  const box = chart.getBoundingClientRect();
  for (let y = 4; y < box.height; y += 8) {
    for (let x = box.width * 0.3; x < box.width * 0.7; x += 8) {
      const at = { clientX: box.left + x, clientY: box.top + y, pointerId: 1, button: 0, bubbles: true };
      chart.dispatchEvent(new PointerEvent('pointerdown', at));
      chart.dispatchEvent(new PointerEvent('pointerup', at));
      const row = document.querySelector(selected);
      if (row) return row.getAttribute('data-row');
    }
  }
  return null;
}
