// Tests the webhooks of a live bot: genuine values are accepted once, all others are rejected, and no secret is written.

import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { Strategy } from '../../src/index.ts';
import { strategyPlanOf } from '../../src/definition/load/strategies.ts';
import { readLiveConfig } from '../../src/tasks/bot/config/liveConfig.ts';
import { replayFolder } from '../../src/tasks/bot/decisions/replayFolder.ts';
import { writeBotFile } from '../../src/tasks/control/folder/botFile.ts';
import { botFileOf } from '../../src/tasks/bot/botFile.ts';
import type { OpenedBot } from '../../src/tasks/bot/openLiveBot.ts';
import type { RowDriver } from '../parity/driver.ts';
import { FIRST_ROW, HOUR_MS, hourBars } from '../divergence/planted.ts';
import { exchangeOf, liveComparablePlan, writeBot } from '../parity/setUp.ts';
import { RowWorld } from '../parity/world.ts';
import { feed, planOf, START_MS } from '../simulation/plans.ts';

/** Hour and both values of the series at each bar. */
let readings: number[][] = [];
/** Records each reading of two series, and trades by them. */
class WebhookTrader extends Strategy {
  signed = this.series('signed');
  spoken = this.series('spoken');
  override onBar() {
    readings.push([(this.nowMs - START_MS) / HOUR_MS, this.signed.value, this.spoken.value]);
    if (this.position().isFlat && this.signed.value > 2) this.buy({ base: '1' });
    else if (!this.position().isFlat && this.spoken.value === 1) this.exit();
  }
}

const SECRET = '0f1e2d3c4b5a69788796a5b4c3d2e1f00123456789abcdef';
const BODY_SECRET = 'Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MA';

let world: RowWorld;
let botLog = '';
afterEach(async () => {
  readings = [];
  botLog = '';
  await world.close();
});

/** Returns the plan of the bot: hourly bars of one symbol. */
function plan() {
  const bars = hourBars();
  const feeds = [{ ...feed('bars', bars), firstRow: FIRST_ROW }];
  const fees = { makerPpm: 1000, takerPpm: 1000 };
  return liveComparablePlan(planOf(WebhookTrader, feeds, { fees, cash: { USDT: '10000' }, fromMs: bars.openMs[FIRST_ROW]! }));
}
const DEFINITION = {
  strategy: 'hooks.ts',
  feeds: { bars: { symbol: 'AAAUSDT', interval: '1h' } },
  cash: '10000',
  market: 'spot',
  fees: { maker: '0.001', taker: '0.001' },
  series: { signed: { webhook: { secretFile: 'hook.secret' } }, spoken: { webhook: { secretFile: 'spoken.secret', proof: 'body' } } },
  webhooks: { port: 0, maxAgeSeconds: 30 },
};

/** Starts the bot. Returns it with the URL of its webhooks. */
async function startBot(path: string): Promise<{ opened: OpenedBot; driver: RowDriver; url: string }> {
  botLog = '';
  const run = plan();
  const opened = await world.openBot(path, run, (line) => (botLog += line));
  writeBotFile(opened.bot.deps.config.data, botFileOf(opened));
  const url = /http:\/\/127\.0\.0\.1:\d+(?=\/series\/signed)/.exec(botLog)![0];
  return { opened, driver: await world.startTrading(opened, run), url };
}

/** A request to a webhook. */
interface WebhookRequest {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}
/** Sends a request. Returns the status and body of the reply. */
function post(url: string, { path = '/series/signed', method = 'POST', headers = {}, body }: WebhookRequest): Promise<string> {
  return new Promise((resolve, reject) => {
    const sending = request(`${url}${path}`, { method, headers }, (response) => {
      let answer = '';
      response.on('data', (chunk: Buffer) => (answer += chunk.toString()));
      response.on('end', () => resolve(`${response.statusCode} ${answer}`));
    });
    sending.on('error', reject);
    sending.end(body);
  });
}

let nonceCount = 0;
const newNonce = (): string => `nonce-of-a-test-${String(++nonceCount).padStart(4, '0')}`;
/** What a signed request has in place of the right parts. */
interface SigningOptions {
  readonly sentMs?: number;
  readonly nonce?: string;
  readonly secret?: string;
  readonly signedPath?: string;
}
/** Returns a signed request. The signature is HMAC-SHA256 over time, nonce, path and body, with points between them (docs/series.md). */
function signedRequest(
  body: string,
  { sentMs = Date.now(), nonce = newNonce(), secret = SECRET, signedPath = '/series/signed' }: SigningOptions = {},
): WebhookRequest {
  const signature = createHmac('sha256', secret).update(`${sentMs}.${nonce}.${signedPath}.${body}`).digest('hex');
  return { body, headers: { 'X-Isobar-Time': String(sentMs), 'X-Isobar-Nonce': nonce, 'X-Isobar-Signature': signature } };
}
/** Returns the body of a request with the value of an hour. */
const bodyWith = (hour: number, value: number | boolean | string): string => JSON.stringify({ time: START_MS + hour * HOUR_MS, value });
/** Returns a request that has the secret in its body instead of a signature. */
const requestWithSecret = (value: unknown, overrides: object = {}): WebhookRequest => ({
  path: '/series/spoken',
  body: JSON.stringify({ secret: BODY_SECRET, sent: new Date().toISOString(), value, ...overrides }),
});

/** Opens the exchange, and writes the config and the secrets of the bot. Returns the path of the config. */
async function writeConfig(): Promise<string> {
  const run = plan();
  world = await RowWorld.open(exchangeOf(run));
  const path = writeBot(world.folder, run, DEFINITION, world.exchange.url);
  writeFileSync(join(world.folder, 'hook.secret'), `${SECRET}\n`, { mode: 0o600 });
  writeFileSync(join(world.folder, 'spoken.secret'), `${BODY_SECRET}\n`, { mode: 0o600 });
  return path;
}

/** Returns the text of all files that the bot has written. */
function writtenFiles(): string {
  const folder = join(world.folder, 'bot');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')).join('\n');
}

/** Returns requests that must be rejected, each with the reply. They are signed when the function is called. */
function rejectedRequests(): readonly (readonly [WebhookRequest, RegExp])[] {
  return [
    [{ body: bodyWith(6, 4) }, /^401 .*expected a signature/],
    [{ ...signedRequest(bodyWith(6, 4)), body: bodyWith(6, 5) }, /^401 .*the signature is wrong/],
    [signedRequest(bodyWith(6, 4), { secret: BODY_SECRET }), /^401/],
    [signedRequest(bodyWith(6, 4), { signedPath: '/series/spoken' }), /^401/],
    [{ ...signedRequest(bodyWith(6, 4)), headers: { ...signedRequest('x').headers, 'X-Isobar-Signature': '' } }, /^401/],
    [signedRequest(bodyWith(6, 4), { sentMs: Date.now() - 31_000 }), /^403 .*31 s ago, and at most 30 s/],
    [signedRequest(bodyWith(6, 4), { sentMs: Date.now() + 40_000 }), /^403 .*from now/],
    [signedRequest(bodyWith(6, 4), { nonce: 'short' }), /^400 .*Nonce/],
    [signedRequest('{"time":1,"value":2}'), /^400 .*time: expected/],
    [signedRequest(bodyWith(6, 'much')), /^400 .*value: expected a number/],
    [signedRequest('{"time":1704067200000,"value":1e999}'), /^400 .*value/],
    [signedRequest('[]'), /^400 .*JSON object/],
    [signedRequest('{'), /^400/],
    [signedRequest(bodyWith(6, 4).padEnd(9000)), /^413/],
    [{ ...signedRequest(bodyWith(6, 4)), method: 'GET', body: '' }, /^405/],
    [{ ...signedRequest(bodyWith(6, 4)), path: '/series/x' }, /^404/],
    [
      { ...signedRequest(bodyWith(6, 4)), headers: { ...signedRequest(bodyWith(6, 4)).headers, Host: 'evil.example' } },
      /^403 .*this address/,
    ],
    [{ ...signedRequest(bodyWith(6, 4)), headers: { ...signedRequest(bodyWith(6, 4)).headers, Origin: 'https://evil.example' } }, /^403/],
    [{ path: '/series/spoken', body: bodyWith(6, 4) }, /^401 .*the secret/],
    [requestWithSecret(4, { secret: BODY_SECRET.slice(1) }), /^401 .*the secret is wrong/],
    [requestWithSecret(4, { secret: undefined }), /^401/],
    [requestWithSecret(4, { sent: undefined }), /^400 .*sent/],
    [requestWithSecret(4, { sent: new Date(Date.now() - 60_000).toISOString() }), /^403/],
    [requestWithSecret(4, { nonce: BODY_SECRET }), /^400 .*\[redacted\]/],
    [requestWithSecret(null), /^400 .*value/],
  ];
}

/** Replays the journal of the bot, and checks that the strategy reads the same values again. */
async function checkReplay(readingsOfBot: readonly number[][]): Promise<void> {
  readings = [];
  const strategy = { strategy: WebhookTrader, name: 'OnHooks', hash: plan().strategies[0]!.hash };
  const replayed = await replayFolder(join(world.folder, 'bot'), {
    config: null,
    load: async (entry, source) => ({ plan: strategyPlanOf(entry, strategy, source), inputs: [], folder: '.' }),
  });
  expect(replayed).toMatchObject({ processes: 2, difference: null });
  expect(replayed.decisions).toBeGreaterThan(1);
  expect(readings).toEqual(readingsOfBot);
}

test('genuine values are accepted once and all others are rejected, also after a restart, and a replay reads the same values', async () => {
  const path = await writeConfig();
  let { opened: bot, driver, url } = await startBot(path);
  await driver.driveNextRows();
  const firstRequest = signedRequest(bodyWith(6, 3));
  expect(await post(url, firstRequest)).toBe('200 {"ok":true}');
  expect(await post(url, firstRequest)).toMatch(/^409 .*the nonce was already used/);
  const usedNonce = firstRequest.headers!['X-Isobar-Nonce']!;
  expect(await post(url, signedRequest(bodyWith(7, 9), { nonce: usedNonce }))).toMatch(/^409/);
  for (const [sent, answer] of rejectedRequests()) expect(await post(url, sent), JSON.stringify(sent)).toMatch(answer);
  const alert = requestWithSecret('0.5');
  expect(await post(url, alert)).toMatch(/^200/);
  expect(await post(url, alert)).toMatch(/^409/);
  await driver.driveNextRows();
  expect(readings.map((row) => row.slice(1)).slice(-2)).toEqual([[NaN, NaN], [3, 0.5]]); // prettier-ignore
  await world.stop(bot);
  expect(botLog).toContain('webhook /series/signed: refused');
  readings = [];
  ({ opened: bot, driver, url } = await startBot(path));
  expect(await post(url, firstRequest)).toMatch(/^409/);
  expect(await post(url, alert)).toMatch(/^409/);
  expect(await post(url, requestWithSecret(true))).toMatch(/^200/);
  await driver.driveNextRows();
  await driver.driveNextRows();
  expect(readings.at(-1)!.slice(1)).toEqual([3, 1]);
  const readingsOfBot = readings;
  await world.stop(bot);
  await checkReplay(readingsOfBot);
  // No secret is in a file or in the log of the bot.
  for (const secret of [SECRET, BODY_SECRET]) expect(writtenFiles() + botLog).not.toContain(secret);
  expect(writtenFiles().match(/"k":"SERIES"/g)).toHaveLength(3);
});

test.each([
  [{ ...DEFINITION, webhooks: undefined }, 'webhooks: missing, but series.signed has a webhook'],
  [{ ...DEFINITION, webhooks: { port: 0, host: '0.0.0.0' } }, 'webhooks.host: expected 127.0.0.1, localhost, ::1, got 0.0.0.0'],
  [{ ...DEFINITION, webhooks: { port: 0, tlsFront: 'http://hooks.example.org' } }, 'expected a URL that begins with https://'],
  [{ ...DEFINITION, series: { signed: { webhook: {} } } }, 'secretFile'],
  [{ ...DEFINITION, series: { signed: {} } }, 'exactly one of file, poll and webhook'],
  [{ ...DEFINITION, series: undefined }, 'no series has a webhook'],
])('the invalid config %j is rejected', async (definition, message) => {
  const run = plan();
  world = await RowWorld.open(exchangeOf(run));
  const path = writeBot(world.folder, run, definition, world.exchange.url);
  expect(() => readLiveConfig(path, {})).toThrow(message);
});

test.each([
  ['0123456789abcdef0123456789abcde', 'expected a secret of at least 128 bits, got at most 124'],
  ['a'.repeat(64), 'got at most 0'],
  ['correct horse', 'got at most 72'],
])('the weak secret %s is rejected at the start', async (secret, message) => {
  const path = await writeConfig();
  writeFileSync(join(world.folder, 'hook.secret'), secret, { mode: 0o600 });
  await expect(world.openBot(path, plan(), () => {})).rejects.toThrow(message);
});

test('a config with a named TLS front may listen on another address, and the name of the front is accepted', async () => {
  const run = plan();
  world = await RowWorld.open(exchangeOf(run));
  const webhooks = { port: 0, host: '0.0.0.0', tlsFront: 'https://hooks.example.org' };
  const config = readLiveConfig(writeBot(world.folder, run, { ...DEFINITION, webhooks }, world.exchange.url), {});
  expect(config.webhooks).toEqual({ host: '0.0.0.0', port: 0, frontHost: 'hooks.example.org', maxAgeMs: 60_000 });
});
