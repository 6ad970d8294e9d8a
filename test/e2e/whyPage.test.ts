// Tests in a real browser that a click on a bar of report.html lists the orders and fills of that bar.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeReport } from '../../src/report/run/report.ts';
import { BROWSER, hasBrowser, openReport, DESKTOP, PHONE } from '../fixtures/reportPage.ts';
import { reportInput, reportRecord } from '../fixtures/reportRun.ts';

describe.skipIf(!hasBrowser)('a click on a bar', () => {
  const folder = mkdtempSync(join(tmpdir(), 'isobar-why-page-'));
  const path = join(folder, 'report.html');
  let browser: Browser;
  /** Errors and requests of the open page. None are expected. */
  const pageProblems: string[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: BROWSER });
    await writeReport(reportInput(reportRecord({ rows: 3_000, trades: 40, hasIndicators: true })), path);
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });

  /** Clicks across the chart until the clicked bar has a fill. Returns the text about the bar, or an empty text if no bar has one. */
  async function clickFill(page: Page): Promise<string> {
    await page.locator('#trade-table tbody tr').first().click();
    await page.waitForTimeout(300);
    const chart = page.locator('#price-chart');
    await chart.scrollIntoViewIfNeeded();
    const box = (await chart.boundingBox())!;
    for (let step = 1; step < 200; step++) {
      await page.mouse.click(box.x + ((box.width - 80) * step) / 200, box.y + 12);
      const text = await page.locator('#bar-panel').innerText();
      if (text.includes('Filled in it')) return text;
    }
    return '';
  }

  it.each([
    ['dark', { ...DESKTOP, colorScheme: 'dark' }],
    ['on a phone', PHONE],
  ] as const)('a click on a bar lists its fills and names the command, %s', async (_, options) => {
    pageProblems.length = 0;
    const page = await openReport(browser, path, options, pageProblems);
    const text = await clickFill(page);
    expect(text).toMatch(/Bar \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
    expect(text).toMatch(/open [\d ]+/);
    // A narrow chart may show longer bars than those of the run.
    expect(text).toMatch(/isobar why \. --at \d{4}-\d\d-\d\dT\d\d:\d\d --symbol \w+|zoom in to see one of them/);
    expect(pageProblems).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(options.viewport.width);
    await page.locator('#bar-panel button').click();
    expect(await page.locator('#bar-panel table').count()).toBe(0);
    await page.context().close();
  });
});
