// Tests the report of a sweep in a real browser: no error, no request, the map under pointer and keys, and its figures.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findingsOf, paramsText } from '../../src/report/sweep/findings.ts';
import { writeSweepReport } from '../../src/report/sweep/report.ts';
import { sweepRecord, type SweepRecordOptions } from '../fixtures/sweepRecord.ts';
import { DESKTOP, PHONE, BROWSER, hasBrowser } from '../fixtures/reportPage.ts';

/** Returns an axis of this many ordered values. */
const orderedAxis = (size: number) => ({ size, isOrdered: true });
/** Sweeps by the number of their parameters, and a large one. `missing`: sets without a result. */
const SHAPES: Readonly<Record<string, SweepRecordOptions>> = {
  one: { shapes: [orderedAxis(40)], missing: 2, seed: 1 },
  two: { shapes: [orderedAxis(12), orderedAxis(20)], missing: 9, seed: 2 },
  three: { shapes: [orderedAxis(6), { size: 3, isOrdered: false }, orderedAxis(9)], missing: 5, seed: 3 },
  large: { shapes: [orderedAxis(60), orderedAxis(60), orderedAxis(5)], missing: 50, seed: 4 },
};

describe.skipIf(!hasBrowser)('the report of a sweep', () => {
  const folder = mkdtempSync(join(tmpdir(), 'isobar-sweep-'));
  let browser: Browser;
  /** Console messages, errors and requests of the open page. None are expected. */
  const pageProblems: string[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: BROWSER });
    for (const [name, options] of Object.entries(SHAPES)) {
      const record = sweepRecord(options);
      const provenance = {
        sweepHash: 'ab'.repeat(32), command: 'isobar sweep hill.yaml --grid p0=10..60:5', setCommand: 'isobar backtest hill.yaml', definition: 'a: </script><b>&\n',
        parts: [{ name: 'hill.ts', value: 'cd'.repeat(32) }], ledger: 'ledger/hill.jsonl', versions: { isobar: '0.0.0-test' }, writtenMs: Date.UTC(2026, 0, 2),
      }; // prettier-ignore
      await writeSweepReport({ record, findings: findingsOf(record), provenance }, join(folder, `${name}.html`));
    }
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });

  async function openPage(name: string, options: BrowserContextOptions = DESKTOP): Promise<Page> {
    const page = await (await browser.newContext(options)).newPage();
    pageProblems.length = 0;
    page.on('console', (message) => pageProblems.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => pageProblems.push(error.message));
    page.on('request', (request) => {
      if (!/^(file|data|blob):/.test(request.url())) pageProblems.push(`request: ${request.url()}`);
    });
    await page.goto(`file://${join(folder, `${name}.html`)}`, { waitUntil: 'commit' });
    await page.waitForFunction('document.documentElement.dataset.state === "ready"');
    return page;
  }

  it.each([
    ['two', 'light', { ...DESKTOP, colorScheme: 'light' }],
    ['three', 'dark', { ...DESKTOP, colorScheme: 'dark' }],
    ['one', 'on a phone', PHONE],
    ['two', 'on a phone', PHONE],
    ['large', 'light', DESKTOP],
  ] as const)('the report of a sweep: of shape %s opens %s without an error, a request or a sideways scroll', async (name, _, options) => {
    const page = await openPage(name, options);
    expect(pageProblems).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(options.viewport.width);
    expect(await page.evaluate('document.body.innerText')).not.toMatch(/NaN|undefined|Infinity|\de[+-]\d/);
    await page.context().close();
  });

  it('the report of a sweep says what was found, and chooses sets by keys, pointer and table', async () => {
    const page = await openPage('two');
    const record = sweepRecord(SHAPES['two']!);
    const { best, plateau, ranking } = findingsOf(record);
    const text = async (selector: string) => (await page.locator(selector).textContent()) ?? '';
    expect(await text('.answer')).toContain(paramsText(record, plateau!));
    expect(await text('#map-read')).toContain(paramsText(record, best!));
    expect(await text('#set-command')).toBe(
      `isobar backtest hill.yaml --set params.p0=${valueOf(record, best!, 0)} --set params.p1=${valueOf(record, best!, 1)}`,
    );
    await page.locator('#best tbody tr').nth(2).click();
    expect(await text('#map-read')).toContain(paramsText(record, ranking[2]!));
    await page.locator('#map').focus();
    await page.keyboard.press('ArrowRight');
    const before = paramsText(record, ranking[2]!);
    const after = await text('#map-read');
    expect(after).not.toContain(`${before}Sharpe`);
    await page.keyboard.press('ArrowLeft');
    expect(await text('#map-read')).toContain(before);
    const box = (await page.locator('#map').boundingBox())!;
    await page.mouse.click(box.x + box.width / 2, box.y + 60);
    expect(await text('#set-command')).not.toContain('undefined');
    await page.keyboard.press('?');
    expect(await page.locator('#keys-list').isVisible()).toBe(true);
    expect(pageProblems).toEqual([]);
    await page.context().close();
  });

  it('the report of a sweep shows any two of three parameters, holds the third, and smooths', async () => {
    const page = await openPage('three');
    expect(await page.locator('#hold-1').isVisible()).toBe(true);
    expect(await page.locator('#hold-0').isVisible()).toBe(false);
    await page.selectOption('#pick-across', { label: 'p1' });
    expect(await page.locator('#hold-1').isVisible()).toBe(false);
    await page.selectOption('#pick-down', { label: 'p1' });
    expect(await page.locator('#pick-across').inputValue()).not.toBe(await page.locator('#pick-down').inputValue());
    for (const choice of ['best', 'mean']) await page.locator('select[id^=hold-]:visible').selectOption(choice);
    await page.selectOption('#pick-figure', { label: 'Max drawdown' });
    await page.locator('#smooth').check();
    await page.locator('#map').focus();
    await page.keyboard.press('ArrowUp');
    expect(await page.locator('#map-read').textContent()).toMatch(/p0 \d+, p1 kind\d, p2 \d+/);
    await page.locator('#best tbody tr').first().click();
    await page.emulateMedia({ media: 'print' });
    expect(pageProblems).toEqual([]);
    await page.context().close();
  });
});

/** Returns the value of a parameter in a set, as text. */
function valueOf(record: ReturnType<typeof sweepRecord>, set: number, axis: number): string {
  return String(record.axes[axis]?.values[record.places[axis]?.[set] ?? 0]);
}
