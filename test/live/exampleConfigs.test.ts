// Tests the example configs: each is accepted, and none trades real money before the operator confirms.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keysAt } from '../../src/definition/text/keys.ts';
import { readLiveConfig } from '../../src/tasks/bot/config/liveConfig.ts';
import { DEFINITION_KEYS, liveJsonSchema, liveSchema } from '../../src/tasks/bot/config/liveSchema.ts';
import { checkMode } from '../../src/tasks/bot/config/mode.ts';
import { ConfigError } from '../../src/base/errors.ts';

const CONFIGS = fileURLToPath(new URL('../../config/', import.meta.url));
const FILES = readdirSync(CONFIGS).filter((name) => /^bot\..*\.example\.yaml$/.test(name));

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'isobar-config-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Reads a config with key files beside it. */
function readConfig(text: string) {
  for (const name of ['key', 'secret']) writeFileSync(join(folder, name), 'a-key-of-nobody-1\n', { mode: 0o600 });
  const file = join(folder, 'bot.yaml');
  writeFileSync(file, text.replaceAll('/etc/isobar/', ''));
  return readLiveConfig(file, {});
}
/** Returns the message of the ConfigError that `run` throws. */
const errorOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('expected a ConfigError, got none');
};

test('config/bot.schema.json is generated from the schema of the loader (ISOBAR_UPDATE=1 writes it)', () => {
  const file = `${CONFIGS}bot.schema.json`;
  if (process.env['ISOBAR_UPDATE'] === '1') writeFileSync(file, liveJsonSchema());
  expect(readFileSync(file, 'utf8'), 'stale: run the tests with ISOBAR_UPDATE=1').toBe(liveJsonSchema());
});

test('docs/live.md names every key of the config', () => {
  const page = readFileSync(`${CONFIGS}../docs/live.md`, 'utf8');
  const topLevelKeys = Object.keys(liveSchema.shape).filter((key) => !(DEFINITION_KEYS as readonly string[]).includes(key));
  const nestedKeys = ['orders', 'audit', 'clock', 'bars', 'exchange'].flatMap((key) => keysAt([key], liveSchema));
  expect([...topLevelKeys, ...nestedKeys].filter((key) => !page.includes(`\`${key}\``))).toEqual([]);
  expect(DEFINITION_KEYS.filter((key) => !page.includes(key))).toEqual([]);
});

test('there are three example configs, one for each way to trade', () => expect(FILES).toHaveLength(3));

test.each(FILES)('the example config %s names the schema in its first line', (name) => {
  expect(readFileSync(CONFIGS + name, 'utf8').split('\n')[0]).toBe('# yaml-language-server: $schema=bot.schema.json');
});

test.each(FILES)('the example config %s is accepted, and does not trade real money before the operator confirms', (name) => {
  const config = readConfig(readFileSync(CONFIGS + name, 'utf8'));
  const urls = Object.fromEntries(config.markets.map((market) => [market, config.access.baseUrls[market]!]));
  const started = { ...config, isFlagged: false, urls, confirmed: null };
  if (config.mode === 'paper') checkMode(started);
  else {
    expect(errorOf(() => checkMode(started))).toBe('mode: live trades real money');
    expect(errorOf(() => checkMode({ ...started, isFlagged: true }))).toContain('was never confirmed');
  }
});

const PAPER = readFileSync(`${CONFIGS}bot.paper-spot.example.yaml`, 'utf8');

test.each([
  ['mode: paper', 'mode: real', "bot.yaml:5 mode: expected one of paper, live, got 'real'"],
  ['mode: paper', 'mode: paper\ntimeScale: 0.5', 'bot.yaml:6 timeScale: expected a number from 1 to 1000, got 0.5'],
  ['data: bot-paper-spot', 'dta: bot', 'bot.yaml:12 dta: unknown key dta, the nearest valid one is data'],
  ['keyFile: key', 'apiKey: abcdefgh12345678', 'bot.yaml:9 exchange.apiKey: expected no secret in a config file, got an API key'],
  ["fills: { collar: '0.01' }", 'fills: { limit: touch }', 'unknown key limit'],
  [
    'mode: paper',
    'mode: paper\nmodels: { slippage: models/impact.ts }',
    'bot.yaml:6 models.slippage: expected no slippage model here (fill prices of a bot come from the exchange; leave it out)',
  ],
  [
    'mode: paper',
    'mode: paper\nmodels: { fees: models/tiers.ts }',
    'bot.yaml:6 models.fees: expected no fee model here (fees of a bot come from the exchange; leave it out)',
  ],
  ["cash: { USDT: '10000' }", 'cash: { USDT: 10000 }', 'expected a quoted decimal'],
  ['  spotUrl: http://127.0.0.1:8080\n', '', 'expected the address of the spot service, got none'],
])('a config with %s changed to %s is rejected with its place', (validText, invalidText, message) => {
  expect(PAPER).toContain(validText);
  expect(errorOf(() => readConfig(PAPER.replace(validText, invalidText)))).toContain(message);
});

test('the API key is not in the config that was read, only its fingerprint', () => {
  const config = readConfig(PAPER);
  expect(JSON.stringify(config)).not.toContain('a-key-of-nobody-1');
  expect(config.fingerprint).toMatch(/^[0-9a-f]{12}$/);
});
