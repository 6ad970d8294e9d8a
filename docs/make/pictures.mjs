// Makes the pictures of the documents from real runs of the built command: `npm run docs:pictures` writes docs/pictures.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('../..', import.meta.url));
const pictures = join(root, 'docs/pictures');
const browserPath = process.env.ISOBAR_CHROMIUM ?? '/usr/bin/chromium';
const DESK = { viewport: { width: 1280, height: 900 } };
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };

if (!existsSync(browserPath)) {
  process.stderr.write(`there is no ${browserPath}; ISOBAR_CHROMIUM names a browser\n`);
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), 'isobar-pictures-'));
try {
  const runs = join(folder, 'runs');
  const catalog = join(folder, 'data');
  const isobar = (...args) => execFileSync(process.execPath, [join(root, 'dist/cli/isobar.js'), ...args], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  const newest = (word) => join(runs, readdirSync(runs).filter((name) => name.includes(word)).toSorted().at(-1));
  const demo = ['backtests/smaCross.yaml', '--set', `catalog=${catalog}`, '--out', runs, '--quiet'];

  isobar('data', 'generate', '--symbol', 'DEMOUSDT', '--interval', '15m', '--from', '2024-01-01', '--bars', '35136', '--seed', '7', '--catalog', catalog);
  isobar('backtest', ...demo, '--set', 'name=first');
  isobar('backtest', ...demo, '--set', 'name=second', '--set', 'params.fast=20');
  isobar('report', newest('first'), newest('second'), '--out', folder);
  isobar('sweep', ...demo, '--grid', 'fast=5..50:5', '--grid', 'slow=60..200:20');

  mkdirSync(pictures, { recursive: true });
  const browser = await chromium.launch({ executablePath: browserPath });
  const shoot = async (page, name, options) => {
    const view = await (await browser.newContext(options)).newPage();
    await view.goto(`file://${page}`);
    await view.waitForFunction('document.documentElement.dataset.state === "ready"');
    await view.screenshot({ path: join(pictures, `${name}.png`) });
    process.stdout.write(`docs/pictures/${name}.png\n`);
  };
  const report = join(newest('first'), 'report.html');
  await shoot(report, 'report', { ...DESK, colorScheme: 'light' });
  await shoot(report, 'report-dark', { ...DESK, colorScheme: 'dark' });
  await shoot(report, 'report-phone', { ...PHONE, colorScheme: 'light' });
  await shoot(join(newest('sweep'), 'report.html'), 'sweep', { ...DESK, colorScheme: 'light' });
  const compared = join(folder, readdirSync(folder).find((name) => /^compare-.*\.html$/.test(name)));
  await shoot(compared, 'compare', { ...DESK, colorScheme: 'light' });
  await browser.close();
} finally {
  rmSync(folder, { recursive: true });
}
