// Tests report.html with a million bars in a real browser: its size, the time to its first picture, and its zoom.

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type CDPSession, type Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { writeReport } from '../../src/report/run/report.ts';
import { BROWSER, hasBrowser, openReport } from '../fixtures/reportPage.ts';
import { reportInput, reportRecord } from '../fixtures/reportRun.ts';

const REAL_ROWS = 1_025_708;

it.skipIf(!hasBrowser)(
  'a report of a million one-minute bars has at most 15 MB, its first picture in 4 s, and a zoom step in 250 ms',
  async ({ onTestFinished }) => {
    const folder = mkdtempSync(join(tmpdir(), 'isobar-report-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const causes: string[] = [];
    const path = join(folder, 'large.html');
    const record = reportRecord({ rows: REAL_ROWS, trades: 20_000, isWithIndicators: true });
    const start = process.cpuUsage();
    await writeReport(reportInput(record), path);
    const { user, system } = process.cpuUsage(start);
    const megabytes = statSync(path).size / 1e6;
    const browser = await chromium.launch({ executablePath: BROWSER });
    onTestFinished(() => browser.close());
    const page = await openReport(browser, path, { viewport: { width: 1280, height: 900 } }, causes);
    const firstDrawMs = Number(await page.evaluate('performance.getEntriesByName("isobar-drawn")[0].startTime'));
    const readyMs = Number(await page.evaluate('performance.getEntriesByName("isobar-ready")[0].startTime'));
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    // Measured by the clock, or by CPU time if other processes used the processor. The page's thread has done all the work since the page
    // was opened.
    const drawnMs = Math.min(firstDrawMs, await workMs(session));
    const slowest = await slowestStep(page, session);
    console.log(
      `report of ${REAL_ROWS} bars: ${megabytes.toFixed(2)} MB, summary and page ${((user + system) / 1000).toFixed(0)} ms of CPU; ` +
        `drawn after ${firstDrawMs.toFixed(0)} ms, unpacked after ${readyMs.toFixed(0)} ms, slowest zoom step ${slowest.toFixed(0)} ms`,
    );
    expect(megabytes).toBeLessThanOrEqual(15);
    expect(drawnMs).toBeLessThanOrEqual(4000);
    expect(slowest).toBeLessThanOrEqual(250);
    expect(causes).toEqual([]);
  },
);

/** Presses a key on the price chart, and waits until the browser has painted the result. Returns the time in ms. */
async function zoomStep(key: string): Promise<number> {
  const start = performance.now();
  document.getElementById('price-chart')?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))));
  return performance.now() - start;
}

/** Returns the CPU time of the page's main thread in ms. */
async function workMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN);
}

/** Zooms in and out over the whole page. Returns the slowest step in ms, by the clock, or by the processor if other processes used it. */
async function slowestStep(page: Page, session: CDPSession): Promise<number> {
  let slowest = 0;
  for (const key of '++++++++++++------0') {
    const before = await workMs(session);
    const tookMs = await page.evaluate(zoomStep, key);
    slowest = Math.max(slowest, Math.min(tookMs, (await workMs(session)) - before));
  }
  return slowest;
}
