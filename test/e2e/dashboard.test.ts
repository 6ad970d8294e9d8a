// Tests the dashboard in a real browser, and its server against clients that have no access.

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDashboard, type Dashboard } from '../../src/tasks/bot/dashboard/dashboardServer.ts';
import { readOrCreateTokens, type TokenTexts } from '../../src/tasks/bot/dashboard/tokens.ts';
import { lostOrder, ScriptedBot } from '../fixtures/scriptedBot.ts';
import { DESKTOP, PHONE, BROWSER, hasBrowser } from '../fixtures/reportPage.ts';

/** Number of characters of a token: 256 bits in base64url. */
const TOKEN_LENGTH = 43;
/** A token that the server did not make. */
const WRONG_TOKEN = 'x'.repeat(TOKEN_LENGTH);

let folder: string;
let bot: ScriptedBot;
let dashboard: Dashboard;
let tokens: TokenTexts;
let nowMs = 0;
const logged: string[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'isobar-dashboard-'));
  bot = new ScriptedBot();
  nowMs = 0;
  logged.length = 0;
  dashboard = await openDashboard(bot, {
    folder,
    port: 0,
    nowMs: () => nowMs,
    log: (level, message) => void logged.push(`${level} ${message}`),
  });
  tokens = readOrCreateTokens(folder);
});
afterEach(async () => {
  await dashboard.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(!hasBrowser)('the page', () => {
  let browser: Browser;
  /** Console messages, errors and foreign requests of the open page. None are expected. */
  const pageProblems: string[] = [];
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: BROWSER });
  });
  afterAll(() => browser?.close());

  async function openPage(options: BrowserContextOptions = DESKTOP, token: string | null = tokens.kill): Promise<Page> {
    const page = await (await browser.newContext(options)).newPage();
    pageProblems.length = 0;
    page.on('console', (message) => pageProblems.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => pageProblems.push(error.message));
    page.on('request', (pageRequest) => {
      if (!pageRequest.url().startsWith(dashboard.url)) pageProblems.push(`request: ${pageRequest.url()}`);
    });
    await page.goto(token === null ? dashboard.url : `${dashboard.url}/#token=${token}`);
    await page.waitForSelector(`html[data-state=${token === null ? 'login' : 'ready'}]`);
    return page;
  }
  const close = (page: Page): Promise<void> => page.context().close();

  it.each([
    ['light', { ...DESKTOP, colorScheme: 'light' }],
    ['dark', { ...DESKTOP, colorScheme: 'dark' }],
    ['phone', PHONE],
  ] as const)(
    'the page opens %s without an error, a foreign request, a violation of its policy, or a sideways scroll',
    async (name, options) => {
      bot.unknown = [lostOrder()];
      bot.foreignOrders = [{ kind: 'order', id: '991', instrument: 'spot:BTCUSDT', message: 'buy 0.5 at 100', seenMs: bot.timeMs - 9000 }];
      const page = await openPage(options);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(options.viewport.width);
      expect(await page.locator('canvas').count()).toBeGreaterThan(3);
      expect(await page.locator('#plots > span').allInnerTexts()).toEqual(['smaCross mean', 'rsiMeanReversion strength']);
      // The second series has a pane of its own below the bars.
      expect(await page.evaluate('document.getElementById("price-chart").clientHeight')).toBe(370);
      expect(page.url()).toBe(`${dashboard.url}/`);
      expect(await page.evaluate('document.body.innerText')).not.toMatch(/NaN|undefined|Infinity|\[object/);
      const pictures = process.env['ISOBAR_PICTURES'];
      if (pictures !== undefined) await page.screenshot({ path: join(pictures, `dashboard-${name}.png`), fullPage: true });
      expect(pageProblems).toEqual([]);
      await close(page);
    },
  );

  it('the page of a bot that has just started says that there are no data yet', async () => {
    const view = bot.view.bind(bot);
    bot.view = () => ({ ...view(), decisions: [], fills: [], equity: view().equity.map((point) => ({ ...point, points: [] })) });
    const page = await openPage();
    expect(await page.locator('#equity-note').textContent()).toBe('No bar has closed since the start.');
    const decisionLine = page.locator('#decision-list p');
    expect(await decisionLine.textContent()).toBe('Nothing was decided yet.');
    expect((await decisionLine.boundingBox())!.height).toBeLessThan(30);
    await close(page);
  });

  it('the page shows the state of the bot, and follows its changes', async () => {
    const page = await openPage();
    expect(await page.locator('#state-word').textContent()).toBe('RUN');
    const last = page.locator('#last');
    const before = await last.textContent();
    bot.unknown = [lostOrder()];
    for (let tick = 0; tick < 5; tick++) bot.tick();
    await expect.poll(() => last.textContent()).not.toBe(before);
    expect(await page.locator('#unknown-list').textContent()).toContain(lostOrder().cid);
    expect(await page.locator('#order-table tbody tr').count()).toBe(3);
    expect(await page.locator('#decision-list').textContent()).toContain('two clean audits');
    await close(page);
  });

  it('the page halts and resumes with a permitted token after one question, and asks for a typed word if risk rises', async () => {
    const page = await openPage(DESKTOP, tokens.operate);
    expect(await page.locator('#kill').isDisabled()).toBe(true);
    await page.click('#halt');
    await page.fill('#act-why', 'strange prices');
    await page.click('#act-yes');
    await expect.poll(() => page.locator('#state-word').textContent()).toBe('HALT_NEW');
    expect(bot.acts).toEqual([{ what: 'halted account: strange prices', who: 'dashboard' }]);
    await page.click('#resume');
    await page.fill('#act-why', 'looked at them');
    await page.click('#act-yes');
    expect(await page.locator('#act-problem').textContent()).toContain('Type resume');
    await page.fill('#act-typed', 'resume');
    await page.click('#act-yes');
    await expect.poll(() => page.locator('#state-word').textContent()).toBe('RUN');
    expect(bot.board.hasAny).toBe(false);
    await close(page);
  });

  it('the page kills the bot after one question', async () => {
    const page = await openPage();
    await page.click('#kill');
    await page.check('#act-flatten');
    await page.click('#act-yes');
    await expect.poll(() => page.locator('#state-word').textContent()).toBe('KILLED');
    expect(bot.killed).toMatchObject({ flatten: true, who: 'dashboard' });
    await close(page);
  });

  it('the page asks for a token, rejects a wrong one, and shows the bot with a read-only token', async () => {
    const page = await openPage(DESKTOP, null);
    await page.fill('#token', WRONG_TOKEN);
    await page.click('#login button');
    await expect.poll(() => page.locator('#login-problem').textContent()).toContain('does not have this token');
    await page.fill('#token', tokens.read);
    await page.click('#login button');
    await page.waitForSelector('html[data-state=ready]');
    expect([await page.locator('#halt').isDisabled(), await page.locator('#kill').isDisabled()]).toEqual([true, true]);
    await close(page);
  });

  it('the page turns grey and says so if the bot stops sending', async () => {
    const page = await openPage();
    await dashboard.close();
    await expect.poll(() => page.locator('#gone').isVisible()).toBe(true);
    expect(await page.locator('#gone').textContent()).toContain('these numbers are old');
    await close(page);
  });
});

/** A reply of the server. */
interface Reply {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Sends a request without a browser. */
function send(
  path: string,
  { method = 'GET', headers = {}, body = '' }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Reply> {
  const { port } = new URL(dashboard.url);
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers: { Host: `127.0.0.1:${port}`, ...headers } }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
const bearer = (token: string): Record<string, string> => ({ Authorization: `Bearer ${token}` });
/** Sends an act with a token. */
const post = (token: string, value: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
  send('/api/act', {
    method: 'POST',
    headers: { ...bearer(token), 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(value),
  });
const HALT = { request: { op: 'halt', scope: 'account', state: 'HALT_NEW', why: 'a test' } };

describe('the server', () => {
  it('the server rejects every request without the right token, and its reply reveals nothing', async () => {
    for (const headers of [{}, bearer(WRONG_TOKEN), { Authorization: `Basic ${tokens.kill}` }, { Cookie: `token=${tokens.kill}` }]) {
      for (const path of ['/api/view', '/metrics'])
        expect(await send(path, { headers })).toMatchObject({ status: 401, body: '{"problem":"expected a token"}' });
      expect(await send('/api/act', { method: 'POST', headers, body: JSON.stringify(HALT) })).toMatchObject({ status: 401 });
    }
    expect((await send(`/api/view?token=${tokens.kill}`)).status).toBe(404);
    expect(bot.acts).toEqual([]);
  });

  it('the server permits each token only its own actions', async () => {
    expect((await send('/api/view', { headers: bearer(tokens.read) })).status).toBe(200);
    expect((await post(tokens.read, HALT)).status).toBe(403);
    expect((await post(tokens.operate, HALT)).status).toBe(200);
    const kill = { request: { op: 'kill', flatten: false, why: 'a test' } };
    expect((await post(tokens.operate, kill)).status).toBe(403);
    expect((await post(tokens.kill, kill)).status).toBe(200);
    // They are counted, and the log reports them once a minute.
    expect(logged.filter((logLine) => logLine.startsWith('warn'))).toHaveLength(1);
    const metrics = await send('/metrics', { headers: bearer(tokens.read) });
    expect(metrics.body).toContain('\nisobar_dashboard_refused_total 2\n');
  });

  it('the server rejects requests with another host name or from a page of another origin', async () => {
    const { port } = new URL(dashboard.url);
    for (const Host of ['evil.example', `evil.example:${port}`, '127.0.0.1', `127.0.0.1.evil.example:${port}`, `0.0.0.0:${port}`]) {
      for (const path of ['/', '/api/view', '/page.js'])
        expect((await send(path, { headers: { Host, ...bearer(tokens.kill) } })).status).toBe(403);
    }
    for (const Origin of ['http://evil.example', 'null', `http://127.0.0.1:1`, `https://127.0.0.1:${port}`]) {
      expect((await post(tokens.kill, HALT, { Origin })).status).toBe(403);
    }
    expect((await post(tokens.kill, HALT, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
    expect(bot.acts).toEqual([]);
    expect((await post(tokens.kill, HALT, { Origin: `http://127.0.0.1:${port}`, 'Sec-Fetch-Site': 'same-origin' })).status).toBe(200);
  });

  it('no reply of the server can be read by another page, and none sets a cookie', async () => {
    const { headers } = await send('/');
    expect(headers['content-security-policy']).toMatch(/^default-src 'self';/);
    expect(headers['content-security-policy']).not.toMatch(/unsafe|https?:|\*/);
    expect([headers['access-control-allow-origin'], headers['set-cookie']]).toEqual([undefined, undefined]);
    expect((await send('/api/view', { method: 'OPTIONS' })).status).toBe(405);
  });

  it('the server rejects all wrong tokens after ten in a minute, and still accepts the right one', async () => {
    for (let attempt = 0; attempt < 10; attempt++)
      expect((await send('/api/view', { headers: bearer(`${'y'.repeat(TOKEN_LENGTH - 1)}${attempt}`) })).status).toBe(401);
    expect((await send('/api/view', { headers: bearer(WRONG_TOKEN) })).status).toBe(429);
    expect((await send('/api/view', { headers: bearer(tokens.read) })).status).toBe(200);
    // The minute has ended.
    nowMs += 61_000;
    expect((await send('/api/view', { headers: bearer(WRONG_TOKEN) })).status).toBe(401);
  });

  it('the server rejects requests that are too large, malformed, of another type, or for an unknown path', async () => {
    expect((await post(tokens.kill, { request: { op: 'halt', why: 'x'.repeat(70_000) } })).status).toBe(413);
    for (const value of [
      null,
      7,
      [],
      {},
      { request: { op: 'sell' } },
      { request: { ...HALT.request, extra: 1 } },
      { request: { ...HALT.request, scope: 'x' } },
    ]) {
      expect((await post(tokens.kill, value)).status).toBe(400);
    }
    const polluted =
      '{"request":{"op":"halt","scope":"account","state":"HALT_NEW","why":"abc","__proto__":{"admin":true}},"__proto__":{"polluted":true}}';
    await send('/api/act', { method: 'POST', headers: { ...bearer(tokens.kill), 'Content-Type': 'application/json' }, body: polluted });
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    expect((await post(tokens.kill, HALT, { 'Content-Type': 'text/plain' })).status).toBe(415);
    for (const path of ['/../../etc/passwd', '/%2e%2e/%2e%2e/etc/passwd', '/dashboard.json', '//', '/page.js/..', '/constructor']) {
      expect((await send(path, { headers: bearer(tokens.kill) })).status).toBe(404);
    }
    expect((await post(tokens.kill, { request: { op: 'resume', scope: 'account', code: null, why: 'abc' } })).status).toBe(400);
  });

  it('the server keeps tokens of 256 bits in a file only its user can read, and rejects a file that others can read', async () => {
    const path = join(folder, 'dashboard.json');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(new Set(Object.values(tokens)).size).toBe(3);
    for (const token of Object.values(tokens)) expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    chmodSync(path, 0o640);
    expect(() => readOrCreateTokens(folder)).toThrow('expected mode 0600');
  });

  it('the server reports a token file that is a symbolic link, a FIFO or a folder', () => {
    const path = join(folder, 'dashboard.json');
    rmSync(path);
    symlinkSync(join(folder, 'elsewhere.json'), path);
    expect(() => readOrCreateTokens(folder)).toThrow(`${path}: expected a file, got a symbolic link`);
    rmSync(path);
    spawnSync('mkfifo', ['-m', '600', path]);
    expect(() => readOrCreateTokens(folder)).toThrow(`${path}: expected a file, got something else`);
    rmSync(path);
    mkdirSync(path);
    expect(() => readOrCreateTokens(folder)).toThrow(`${path}: expected a file, got something else`);
  });

  it('the server leaves no partial token file on a full disk', () => {
    const empty = mkdtempSync(join(tmpdir(), 'isobar-tokens-'));
    const module = new URL('../../dist/tasks/bot/dashboard/tokens.js', import.meta.url).href;
    const code = `import('${module}').then(({ readOrCreateTokens }) => readOrCreateTokens('${empty}')).catch(({ message }) => console.log(message))`;
    // The limit on the size of files makes the disk look full to the writer.
    const { stdout } = spawnSync('sh', ['-c', `trap '' XFSZ; ulimit -f 0; exec "$0" -e "$1"`, process.execPath, code], {
      encoding: 'utf8',
    });
    expect([stdout, readdirSync(empty)]).toEqual([`${join(empty, 'dashboard.json')}: cannot be written (EFBIG)\n`, []]);
    rmSync(empty, { recursive: true });
  });

  it('the server listens only on this computer', async () => {
    const parts = { folder, port: 0, nowMs: () => 0, log: () => {} };
    await expect(openDashboard(bot, { ...parts, host: '0.0.0.0' })).rejects.toThrow('expected 127.0.0.1');
  });

  it('the server ends a connection that never sends a request', async () => {
    const { port } = new URL(dashboard.url);
    const socket = connect(Number(port), '127.0.0.1');
    const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
    socket.on('error', () => {});
    socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ');
    const beganMs = performance.now();
    socket.on('data', () => {});
    await closed;
    expect(performance.now() - beganMs).toBeLessThan(10_000);
  });

  it('the server gives Prometheus every metric that config/alerts.yml uses', async () => {
    bot.unknown = [lostOrder()];
    bot.board.raise({ kind: 'symbol', instrument: 0 }, 'HALT_NEW', 'GAP', 'a "hole"\n', 1);
    const { status, body, headers } = await send('/metrics', { headers: bearer(tokens.read) });
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    expect(body).toContain('isobar_orders{kind="unknown"} 1\n');
    expect(body).toContain('isobar_state{scope="symbol:spot:BTCUSDT"} 1\n');
    for (const metricLine of body.trimEnd().split('\n'))
      expect(metricLine).toMatch(/^(# (HELP|TYPE) isobar_\w+ .+|isobar_\w+(\{(\w+="([^"\\]|\\.)*",?)+\})? -?[\d.e+-]+)$/);
  });
});
