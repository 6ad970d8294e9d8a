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
  const isobar = (...args) => execFileSync(process.execPath, [join(root, 'dist/cli/isobar.js'), ...args], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  const newest = (word) => readdirSync(join(folder, 'runs')).filter((name) => name.includes(word)).toSorted().at(-1);
  const demo = join(root, 'backtests/smaCross.yaml');

  isobar('data', 'generate', '--symbol', 'BTCUSDT', '--interval', '1h', '--bars', '17520');
  isobar('backtest', demo, '--set', 'name=first', '--quiet');
  isobar('backtest', demo, '--set', 'name=second', '--set', 'params.fast=20', '--quiet');
  isobar('report', join('runs', newest('first')), join('runs', newest('second')));
  isobar('sweep', demo, '--grid', 'fast=5..50:5', '--grid', 'slow=60..200:20');

  mkdirSync(pictures, { recursive: true });
  const browser = await chromium.launch({ executablePath: browserPath });
  const shoot = async (page, name, options) => {
    const view = await (await browser.newContext(options)).newPage();
    await view.goto(`file://${page}`);
    await view.waitForFunction('document.documentElement.dataset.state === "ready"');
    await view.screenshot({ path: join(pictures, `${name}.png`) });
    process.stdout.write(`docs/pictures/${name}.png\n`);
  };
  const report = join(folder, 'runs', newest('first'), 'report.html');
  await shoot(report, 'report', { ...DESK, colorScheme: 'light' });
  await shoot(report, 'report-dark', { ...DESK, colorScheme: 'dark' });
  await shoot(report, 'report-phone', { ...PHONE, colorScheme: 'light' });
  await shoot(join(folder, 'runs', newest('sweep'), 'report.html'), 'sweep', { ...DESK, colorScheme: 'light' });
  const compared = [folder, join(folder, 'runs')].flatMap((place) => readdirSync(place).map((name) => join(place, name))).find((name) => /compare-.*\.html$/.test(name));
  await shoot(compared, 'compare', { ...DESK, colorScheme: 'light' });
  await browser.close();
} finally {
  rmSync(folder, { recursive: true });
}
