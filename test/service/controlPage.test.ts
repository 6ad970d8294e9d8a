// Tests the page of the control port and the OpenAPI document, as a browser gets them.

import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { afterEach, expect, it, vi } from 'vitest';
import { demoKey, demoSettings } from '../../src/paperExchange/process/demo.ts';
import { runExchange, type RunningExchange } from '../../src/paperExchange/process/runExchange.ts';
import { SignedClient } from './signedFetch.ts';
import { BROWSER, hasBrowser } from '../fixtures/reportPage.ts';

const runningExchanges: RunningExchange[] = [];
afterEach(async () => {
  for (const exchange of runningExchanges.splice(0)) await exchange.close();
});

/** Starts a demo exchange whose account has this name. It is closed after the test. */
async function startExchange(name = 'demo'): Promise<RunningExchange> {
  const { service, ...settings } = demoSettings(1);
  const accounts = service.accounts.map((account) => ({ ...account, name }));
  const running = await runExchange(
    { ...settings, service: { ...service, accounts } },
    { host: '127.0.0.1', port: 0, controlPort: 0, crash: () => {} },
  );
  runningExchanges.push(running);
  return running;
}

/** Fetches the control page. Returns its HTML, and its Content-Security-Policy. */
const fetchPage = async (exchange: RunningExchange, query = ''): Promise<{ text: string; policy: string }> => {
  const answer = await fetch(`${exchange.controlUrl}/${query}`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html;charset=UTF-8']);
  return { text: await answer.text(), policy: answer.headers.get('content-security-policy') ?? '' };
};

it('the control page shows accounts, book, orders and trades of the requested instrument', async () => {
  const exchange = await startExchange();
  await new SignedClient(exchange.url, demoKey(1)).post('/sapi/v1/order', {
    symbol: 'ETHUSDT',
    side: 'SELL',
    type: 'LIMIT',
    volume: 0.5,
    price: 9876.54,
  });
  const { text } = await fetchPage(exchange, '?symbol=ETHUSDT');
  const withoutTags = text.replaceAll(/<style>[\s\S]*?<\/style>|<[^>]+>/g, ' ');
  const visibleText = withoutTags.replaceAll(/\s+/g, ' ');
  expect(visibleText).toContain('Bid, USDT ETH');
  expect(visibleText).toMatch(/ETHUSDT \d\d:\d\d:\d\d demo ▼ sell limit 9 876\.54 0\.5000 0\.0000 new 1322\d{15}/);
  expect(visibleText).toMatch(/demo 10001 spot ETH 9\.5 0\.5/);
  expect(visibleText).toContain('1 open order, 1 account');
  expect((await fetchPage(exchange, '?symbol=<b>')).text).toContain('aria-current="page">BTCUSDT');
});

it('the control page loads nothing from other addresses, and its policy admits only its own scripts', async () => {
  const exchange = await startExchange('<img/src=x/onerror=alert(1)>');
  const { text, policy } = await fetchPage(exchange);
  expect(text).not.toContain('<img');
  expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-\S+' 'sha256-\S+'; style-src 'sha256-\S+'; /);
  expect(policy).toContain("frame-ancestors 'none'");
  const scriptHashes = Array.from(text.matchAll(/<script>([\s\S]*?)<\/script>/g), ([, script]) =>
    createHash('sha256').update(script!).digest('base64'),
  );
  expect(scriptHashes.every((hash) => policy.includes(`'sha256-${hash}'`))).toBe(true);
  expect(text).not.toMatch(/\sstyle=|\son\w+=/);
  const addresses = Array.from(text.matchAll(/(?:src|href)="([^"]+)"/g), ([, address]) => address!);
  for (const address of addresses) expect(address).toMatch(new RegExp(`^(data:,|\\?symbol=[\\w-]+|${exchange.url}/openapi\\.json)$`));
});

/**
 * Returns the status of a request with the given host name. An attacker's page can let its own name resolve to this computer: the browser then
 * sends that name.
 */
const statusForHost = (url: string, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const hostRequest = request(url, { headers: { Host: host } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    hostRequest.on('error', reject);
    hostRequest.end();
  });

it('the control port rejects requests whose host name is not that of this computer', async () => {
  const exchange = await startExchange();
  for (const path of ['/', '/truth']) {
    expect(await statusForHost(exchange.controlUrl + path, 'evil.example:80')).toBe(403);
    for (const host of ['localhost:1', '127.0.0.1', '[::1]:8080']) expect(await statusForHost(exchange.controlUrl + path, host)).toBe(200);
  }
  // The port of the exchange has no page at its root.
  expect(await statusForHost(`${exchange.url}/`, '127.0.0.1')).toBe(404);
});

it('the exchange serves its OpenAPI document, also to pages of other origins', async () => {
  const exchange = await startExchange();
  const answer = await fetch(`${exchange.url}/openapi.json`);
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
  expect(await answer.json()).toMatchObject({ openapi: '3.1.0' });
});

const PHONE_WIDTH_PX = 390;
it.skipIf(!hasBrowser)('in a browser the control page refreshes itself, fits a phone, and shows when its numbers are old', async () => {
  const exchange = await startExchange();
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({ executablePath: BROWSER });
  try {
    const page = await browser.newPage({ viewport: { width: PHONE_WIDTH_PX, height: 844 } });
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => problems.push(message.text()));
    await page.goto(exchange.controlUrl ?? '');
    const tradesBefore = await page.textContent('#trades-live');
    // Polls from this process, because the policy of the page allows no script of a test inside it.
    await vi.waitUntil(async () => (await page.textContent('#trades-live')) !== tradesBefore, { timeout: 300_000 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE_WIDTH_PX);
    expect(problems).toEqual([]);
    expect(await page.isVisible('#stale')).toBe(false);
    await exchange.close();
    await page.waitForSelector('#stale', { state: 'visible', timeout: 60_000 });
  } finally {
    await browser.close();
  }
});
