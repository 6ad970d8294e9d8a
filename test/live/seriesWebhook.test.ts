// Webhooks of a live bot over real HTTP: what is taken and what is refused, over a restart, and that no secret is ever written.

import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { Strategy } from '../../src/index.ts';
import { strategyPlanOf } from '../../src/definition/load/strategies.ts';
import { readLiveConfig } from '../../src/tasks/bot/config/read.ts';
import { replayFolder } from '../../src/tasks/bot/decisions/folder.ts';
import { writeBotFile } from '../../src/tasks/control/folder/botFile.ts';
import { botFileOf } from '../../src/tasks/bot/botFile.ts';
import type { OpenedBot } from '../../src/tasks/bot/openLiveBot.ts';
import type { RowDriver } from '../parity/driver.ts';
import { FIRST_ROW, HOUR_MS, hourBars } from '../divergence/planted.ts';
import { exchangeOf, onTheWire, writeBot } from '../parity/setUp.ts';
import { RowWorld } from '../parity/world.ts';
import { feed, planOf, START_MS } from '../simulation/plans.ts';

let seen: number[][] = [];
class OnHooks extends Strategy {
  signed = this.series('signed');
  spoken = this.series('spoken');
  override onBar() {
    seen.push([(this.nowMs - START_MS) / HOUR_MS, this.signed.value, this.spoken.value]);
    if (this.position().isFlat && this.signed.value > 2) this.buy({ base: '1' });
    else if (!this.position().isFlat && this.spoken.value === 1) this.exit();
  }
}

const SECRET = '0f1e2d3c4b5a69788796a5b4c3d2e1f00123456789abcdef';
const SPOKEN = 'Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MA';

let world: RowWorld;
let text = '';
afterEach(async () => {
  seen = [];
  text = '';
  await world.close();
});

function plan() {
  const bars = hourBars();
  const feeds = [{ ...feed('bars', bars), firstRow: FIRST_ROW }];
  return onTheWire(planOf(OnHooks, feeds, { fees: { makerPpm: 1000, takerPpm: 1000 }, cash: { USDT: '10000' }, fromMs: bars.openMs[FIRST_ROW]! })); // prettier-ignore
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

async function begin(path: string): Promise<{ opened: OpenedBot; driver: RowDriver; url: string }> {
  text = '';
  const run = plan();
  const opened = await world.openBot(path, run, (line) => (text += line));
  writeBotFile(opened.bot.deps.config.data, botFileOf(opened));
  const url = /http:\/\/127\.0\.0\.1:\d+(?=\/series\/signed)/.exec(text)![0];
  return { opened, driver: await world.trading(opened, run), url };
}

interface Sent {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}
function post(url: string, { path = '/series/signed', method = 'POST', headers = {}, body }: Sent): Promise<string> {
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

let nonces = 0;
const newNonce = (): string => `nonce-of-a-test-${String(++nonces).padStart(4, '0')}`;
interface Signing {
  readonly sentMs?: number;
  readonly nonce?: string;
  readonly secret?: string;
  readonly signedPath?: string;
}
/** As the documents say: HMAC-SHA256 over time, nonce, path and body, with points between them. */
function signed(
  body: string,
  { sentMs = Date.now(), nonce = newNonce(), secret = SECRET, signedPath = '/series/signed' }: Signing = {},
): Sent {
  const signature = createHmac('sha256', secret).update(`${sentMs}.${nonce}.${signedPath}.${body}`).digest('hex');
  return { body, headers: { 'X-Isobar-Time': String(sentMs), 'X-Isobar-Nonce': nonce, 'X-Isobar-Signature': signature } };
}
const value = (hour: number, of: number | boolean | string): string => JSON.stringify({ time: START_MS + hour * HOUR_MS, value: of });
const spoken = (of: unknown, more: object = {}): Sent => ({
  path: '/series/spoken',
  body: JSON.stringify({ secret: SPOKEN, sent: new Date().toISOString(), value: of, ...more }),
});

async function configured(): Promise<string> {
  const run = plan();
  world = await RowWorld.open(exchangeOf(run));
  const path = writeBot(world.folder, run, DEFINITION, world.exchange.url);
  for (const [name, secret] of [['hook.secret', SECRET], ['spoken.secret', SPOKEN]] as const) writeFileSync(join(world.folder, name), `${secret}\n`, { mode: 0o600 }); // prettier-ignore
  return path;
}

function written(): string {
  const folder = join(world.folder, 'bot');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return files.map((each) => readFileSync(join(each.parentPath, each.name), 'utf8')).join('\n');
}

test('genuine values are taken once, all others refused; a restart and a replay know the same', async () => {
  const path = await configured();
  let { opened: bot, driver, url } = await begin(path);
  await driver.next();
  const first = signed(value(6, 3));
  expect(await post(url, first)).toBe('200 {"ok":true}');
  expect(await post(url, first)).toMatch(/^409 .*the nonce was already used/);
  const used = first.headers!['X-Isobar-Nonce']!;
  expect(await post(url, signed(value(7, 9), { nonce: used }))).toMatch(/^409/);
  const refused: readonly (readonly [Sent, RegExp])[] = [
    [{ body: value(6, 4) }, /^401 .*expected a signature/],
    [{ ...signed(value(6, 4)), body: value(6, 5) }, /^401 .*the signature is wrong/],
    [signed(value(6, 4), { secret: SPOKEN }), /^401/],
    [signed(value(6, 4), { signedPath: '/series/spoken' }), /^401/],
    [{ ...signed(value(6, 4)), headers: { ...signed('x').headers, 'X-Isobar-Signature': '' } }, /^401/],
    [signed(value(6, 4), { sentMs: Date.now() - 31_000 }), /^403 .*31 s ago, and at most 30 s/],
    [signed(value(6, 4), { sentMs: Date.now() + 40_000 }), /^403 .*from now/],
    [signed(value(6, 4), { nonce: 'short' }), /^400 .*Nonce/],
    [signed('{"time":1,"value":2}'), /^400 .*time: expected/],
    [signed(value(6, 'much')), /^400 .*value: expected a number/],
    [signed('{"time":1704067200000,"value":1e999}'), /^400 .*value/],
    [signed('[]'), /^400 .*JSON object/],
    [signed('{'), /^400/],
    [signed(value(6, 4).padEnd(9000)), /^413/],
    [{ ...signed(value(6, 4)), method: 'GET', body: '' }, /^405/],
    [{ ...signed(value(6, 4)), path: '/series/x' }, /^404/],
    [{ ...signed(value(6, 4)), headers: { ...signed(value(6, 4)).headers, Host: 'evil.example' } }, /^403 .*this address/],
    [{ ...signed(value(6, 4)), headers: { ...signed(value(6, 4)).headers, Origin: 'https://evil.example' } }, /^403/],
    [{ path: '/series/spoken', body: value(6, 4) }, /^401 .*the secret/],
    [spoken(4, { secret: SPOKEN.slice(1) }), /^401 .*the secret is wrong/],
    [spoken(4, { secret: undefined }), /^401/],
    [spoken(4, { sent: undefined }), /^400 .*sent/],
    [spoken(4, { sent: new Date(Date.now() - 60_000).toISOString() }), /^403/],
    [spoken(4, { nonce: SPOKEN }), /^400 .*\[redacted\]/],
    [spoken(null), /^400 .*value/],
  ];
  for (const [sent, answer] of refused) expect(await post(url, sent), JSON.stringify(sent)).toMatch(answer);
  const alert = spoken('0.5');
  expect(await post(url, alert)).toMatch(/^200/);
  expect(await post(url, alert)).toMatch(/^409/);
  await driver.next();
  expect(seen.map((row) => row.slice(1)).slice(-2)).toEqual([[NaN, NaN], [3, 0.5]]); // prettier-ignore
  await world.stop(bot);
  expect(text).toContain('webhook /series/signed: refused');
  seen = [];
  ({ opened: bot, driver, url } = await begin(path));
  expect(await post(url, first)).toMatch(/^409/);
  expect(await post(url, alert)).toMatch(/^409/);
  expect(await post(url, spoken(true))).toMatch(/^200/);
  await driver.next();
  await driver.next();
  expect(seen.at(-1)!.slice(1)).toEqual([3, 1]);
  const lived = seen;
  await world.stop(bot);
  seen = [];
  const strategy = { strategy: OnHooks, name: 'OnHooks', hash: plan().strategies[0]!.hash };
  const replayed = await replayFolder(join(world.folder, 'bot'), {
    config: null,
    load: async (entry, source) => ({ plan: strategyPlanOf(entry, strategy, source), inputs: [], folder: '.' }),
  });
  expect(replayed).toMatchObject({ processes: 2, difference: null });
  expect(replayed.decisions).toBeGreaterThan(1);
  expect(seen).toEqual(lived);
  // Neither a secret nor the text of a request is anywhere, in the journal or in what the bot says.
  for (const secret of [SECRET, SPOKEN]) expect(written() + text).not.toContain(secret);
  expect(written().match(/"k":"SERIES"/g)).toHaveLength(3);
});

test.each([
  [{ ...DEFINITION, webhooks: undefined }, 'webhooks: missing, but series.signed has a webhook'],
  [{ ...DEFINITION, webhooks: { port: 0, host: '0.0.0.0' } }, 'webhooks.host: expected 127.0.0.1, localhost, ::1, got 0.0.0.0'],
  [{ ...DEFINITION, webhooks: { port: 0, tlsFront: 'http://hooks.example.org' } }, 'expected a URL that begins with https://'],
  [{ ...DEFINITION, series: { signed: { webhook: {} } } }, 'secretFile'],
  [{ ...DEFINITION, series: { signed: {} } }, 'exactly one of file, poll and webhook'],
  [{ ...DEFINITION, series: undefined }, 'no series has a webhook'],
])('a config is refused: %j', async (definition, message) => {
  const run = plan();
  world = await RowWorld.open(exchangeOf(run));
  const path = writeBot(world.folder, run, definition, world.exchange.url);
  expect(() => readLiveConfig(path, {})).toThrow(message);
});

test.each([
  ['0123456789abcdef0123456789abcde', 'expected a secret of at least 128 bits, got at most 124'],
  ['a'.repeat(64), 'got at most 0'],
  ['correct horse', 'got at most 72'],
])('the secret %s is refused before anything is asked', async (secret, message) => {
  const path = await configured();
  writeFileSync(join(world.folder, 'hook.secret'), secret, { mode: 0o600 });
  await expect(world.openBot(path, plan(), () => {})).rejects.toThrow(message);
});

test('a named TLS front allows another address, and its name is accepted', async () => {
  const run = plan();
  world = await RowWorld.open(exchangeOf(run));
  const webhooks = { port: 0, host: '0.0.0.0', tlsFront: 'https://hooks.example.org' };
  const config = readLiveConfig(writeBot(world.folder, run, { ...DEFINITION, webhooks }, world.exchange.url), {});
  expect(config.webhooks).toEqual({ host: '0.0.0.0', port: 0, frontHost: 'hooks.example.org', maxAgeMs: 60_000 });
});
