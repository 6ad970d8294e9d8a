// Tests report.html with a million bars in a real browser: its size, the time to its first picture, and its zoom.

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type CDPSession, type Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { writeReport } from '../../src/report/run/report.ts';
import { BROWSER, hasBrowser, openReport } from '../fixtures/reportPage.ts';
import { reportInput, reportRecord } from '../fixtures/reportRun.ts';

/** Rows of a real file of one-minute bars: nearly two years. */
const REAL_ROWS = 1_025_708;

it.skipIf(!hasBrowser)(
  'a report of a million one-minute bars has at most 15 MB, its first picture in 4 s, and a zoom step in 250 ms',
  async ({ onTestFinished }) => {
    const folder = mkdtempSync(join(tmpdir(), 'isobar-report-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const pageProblems: string[] = [];
    const path = join(folder, 'large.html');
    const record = reportRecord({ rows: REAL_ROWS, trades: 20_000, hasIndicators: true });
    const start = process.cpuUsage();
    await writeReport(reportInput(record), path);
    const { user, system } = process.cpuUsage(start);
    const megabytes = statSync(path).size / 1e6;
    const browser = await chromium.launch({ executablePath: BROWSER });
    onTestFinished(() => browser.close());
    const page = await openReport(browser, path, { viewport: { width: 1280, height: 900 } }, pageProblems);
    const firstDrawMs = Number(await page.evaluate('performance.getEntriesByName("isobar-drawn")[0].startTime'));
    const readyMs = Number(await page.evaluate('performance.getEntriesByName("isobar-ready")[0].startTime'));
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    // Measured by the clock, or by CPU time if other processes used the processor. The page's thread has done all the work since the page
    // was opened.
    const drawnMs = Math.min(firstDrawMs, await cpuMs(session));
    const slowestMs = await slowestZoomMs(page, session);
    console.log(
      `report of ${REAL_ROWS} bars: ${megabytes.toFixed(2)} MB, summary and page ${((user + system) / 1000).toFixed(0)} ms of CPU; ` +
        `drawn after ${firstDrawMs.toFixed(0)} ms, unpacked after ${readyMs.toFixed(0)} ms, slowest zoom step ${slowestMs.toFixed(0)} ms`,
    );
    expect(megabytes).toBeLessThanOrEqual(15);
    expect(drawnMs).toBeLessThanOrEqual(4000);
    expect(slowestMs).toBeLessThanOrEqual(250);
    expect(pageProblems).toEqual([]);
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
async function cpuMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN);
}

/**
 * Zooms in and out over the whole page. Returns the duration of the slowest step in ms: the time of the clock or the CPU time, whichever is
 * shorter, because other processes may use the processor.
 */
async function slowestZoomMs(page: Page, session: CDPSession): Promise<number> {
  let slowestMs = 0;
  for (const key of '++++++++++++------0') {
    const before = await cpuMs(session);
    const tookMs = await page.evaluate(zoomStep, key);
    slowestMs = Math.max(slowestMs, Math.min(tookMs, (await cpuMs(session)) - before));
  }
  return slowestMs;
}
