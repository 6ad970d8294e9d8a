// Tests the `isobar exchange` command: its config file, its errors, its first line of output, and its exit code.

import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readExchange, readProfile } from '../../src/paperExchange/process/file/readExchange.ts';
import { runExchange } from '../../src/paperExchange/process/runExchange.ts';
import { ConfigError } from '../../src/base/errors.ts';

const folder = mkdtempSync(join(tmpdir(), 'isobar-exchange-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Options of an exchange without a control port, on a free port. */
const RUN_OPTIONS = { host: '127.0.0.1', port: 0, controlPort: null, crash: () => {} };

/** Writes a file into the folder, and returns its path. */
const writeConfigFile = (name: string, text: string, mode = 0o644): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
};

const SPOT_CONFIG = `instruments:
  - { symbol: BTCUSDT, base: BTC, quote: USDT, priceDigits: 2, quantityDigits: 5, minQuantity: '0.001', priceBand: '0.1' }
accounts:
  - name: alice
    uid: 10001
    balances: { USDT: '100', BTC: '0.5' }
    keys: [{ keyFile: key, secretFile: secret, trade: false, ips: [127.0.0.1] }]
profile: strict
switches: { strictTypes: false }
delays: realistic
limits: { spot.newOrder: { count: 3, windowMs: 1000 }, spot.account: null }
`;
writeConfigFile('key', 'the-key\n', 0o600);
writeConfigFile('secret', 'the-secret\n', 0o600);
/** Reads the settings of an exchange with this config. */
const readConfigText = (text: string) => readExchange(writeConfigFile('exchange.yaml', text), { profileFile: null, speed: 1 });

/** Opens an exchange with this config, and closes it. Rejects if the config is invalid. */
const openAndClose = async (text: string): Promise<void> => {
  const exchange = await runExchange(readConfigText(text), RUN_OPTIONS);
  await exchange.close();
};

it('a config file of the exchange is read with its keys, limits and switches', () => {
  const { service } = readConfigText(SPOT_CONFIG);
  expect(service.instruments).toMatchObject([{ id: 'spot:BTCUSDT', minLots: 100, makerFeePpm: 1000 }]);
  expect(service.states).toMatchObject({ 'spot:BTCUSDT': { priceBandPpm: 100_000, frozen: false } });
  expect(service.accounts).toMatchObject([
    { uid: '10001', keys: [{ apiKey: 'the-key', secret: 'the-secret', permissions: { read: true, trade: false }, ips: ['127.0.0.1'] }] },
  ]);
  expect(service.profile).toMatchObject({ unknownParams: 'reject', strictTypes: false });
  expect(service.delays).toEqual({ admissionMs: 20, visibilityMs: 120, cancelMs: 60 });
  expect(service.limits).toEqual({ 'spot.newOrder': { count: 3, windowMs: 1000 }, 'spot.account': null });
});

const FUTURES_CONFIG = `contracts:
  - { contractName: E-BTC-USDT, multiplier: '0.0001', priceDigits: 1, fundingRate: '-0.0001', maxMarketVolume: 1000, frozen: true }
  - contractName: E-BTC-USD
    multiplier: '100'
    priceDigits: 1
    inverse: true
    takerFee: '0.0004'
    tiers: [{ notional: '2.5', maintenanceRate: '0.005', maxLeverage: 50 }, { maintenanceRate: '0.01', maxLeverage: 10 }]
accounts:
  - { name: alice, uid: 10001, futures: { balances: { USDT: '100', BTC: '0.5' }, leverage: 3, margin: isolated, positions: twoWay } }
maxTriggers: 5
liquidationFee: '0.01'
`;

it('a contract with the id of another one is rejected, also where the other has it by its place', () => {
  const text = FUTURES_CONFIG.replace('priceDigits: 1, fundingRate', 'priceDigits: 1, contractId: 2, fundingRate');
  expect(() => readConfigText(text)).toThrow(/E-BTC-USD contractId: E-BTC-USDT has the id 2 too/);
  expect(() => readConfigText(text.replace('contractId: 2', 'contractId: 7'))).not.toThrow();
});

it('a limit of a class in which no call counts is rejected with its name', async () => {
  const settings = readConfigText(`${FUTURES_CONFIG}limits: { futures.createOrders: null }\n`);
  await expect(runExchange(settings, RUN_OPTIONS)).rejects.toThrow(/^limits\.futures\.createOrders: no call counts in such a class/);
});

it('an exchange file with contracts only opens an exchange with contracts only', async () => {
  const settings = readConfigText(FUTURES_CONFIG);
  const { instruments, accounts, fundingRates, maxTriggers, liquidationFeePpm } = settings.service;
  expect(instruments).toMatchObject([
    {
      id: 'futures:E-BTC-USDT',
      base: 'BTC',
      quote: 'USDT',
      quoteDigits: 6,
      contract: { multiplier: 1, multiplierDigits: 4, maxMarketLots: 1000 },
    },
    {
      id: 'futures:E-BTC-USD',
      base: 'USD',
      quote: 'BTC',
      contract: {
        contractId: 2,
        kind: 'inverse',
        marginCoin: 'BTC',
        closeTakerFeePpm: 400,
        tiers: [
          { upToUnits: 250_000_000, maintenancePpm: 5000, maxLeverage: 50 },
          { upToUnits: null, maintenancePpm: 10_000, maxLeverage: 10 },
        ],
      },
    },
  ]);
  expect(accounts[0]).toMatchObject({ balances: {}, futures: { settings: { leverage: 3, isCross: false, isNet: false } } });
  expect({ fundingRates, maxTriggers, liquidationFeePpm }).toEqual({
    fundingRates: { 'futures:E-BTC-USDT': -100_000_000 },
    maxTriggers: 5,
    liquidationFeePpm: 10_000,
  });
  const exchange = await runExchange(settings, RUN_OPTIONS);
  const { venue, markets } = exchange.service.futures;
  expect(venue.setting(0, markets[0]!.instrument)).toEqual({ leverage: 3, isCross: false, isNet: false });
  expect(exchange.service.sides.spot).toBeNull();
  await exchange.close();
});

it('a new account has at most the leverage that a contract without tiers allows', async () => {
  const settings = readConfigText(FUTURES_CONFIG.replace(/\n    tiers: .*/, '').replace('leverage: 3, ', ''));
  expect(settings.service.instruments.map(({ contract }) => contract?.maxLeverage)).toEqual([125, 10]);
  const exchange = await runExchange(settings, RUN_OPTIONS);
  const { venue, markets } = exchange.service.futures;
  expect(markets.map(({ instrument }) => venue.setting(0, instrument).leverage)).toEqual([20, 10]);
  await exchange.close();
});

it.each([
  ["multiplier: '100'", "multiplier: '0'", /E-BTC-USD multiplier: expected a face value above 0/],
  ["fundingRate: '-0.0001'", "fundingRate: '2'", /contracts\.0\.fundingRate: expected a quoted decimal/],
  ['uid: 10001,', "uid: 10001, balances: { USDT: '1' },", /account alice balances: this exchange has no spot instruments/],
  ["BTC: '0.5' }", "DOGE: '0.5' }", /account alice futures balances DOGE: no instrument trades it/],
  ["notional: '2.5', ", '', /E-BTC-USD: tier 1 of contract 2 does not follow/],
])('in a futures config %s written as %s is rejected with its place', async (validText, invalidText, message) => {
  expect(FUTURES_CONFIG).toContain(validText);
  await expect(openAndClose(FUTURES_CONFIG.replace(validText, invalidText))).rejects.toThrow(message);
});

it('the example config of the exchange is valid', () => {
  const file = new URL('../../config/exchange.example.yaml', import.meta.url).pathname;
  expect(readExchange(file, { profileFile: null, speed: 1 }).prices.size).toBe(3);
});

it.each([
  ['profile: strict', 'profile: stern', /exchange\.yaml:8 profile: expected one of seed, strict, lenient, got 'stern'/],
  ['strictTypes: false', 'strictTyp: false', /exchange\.yaml strictTyp: no such switch/],
  ['delays: realistic', 'delays: slow', /exchange\.yaml:10 delays: expected/],
  [
    "minQuantity: '0.001'",
    "minQuantity: '0.000001'",
    /BTCUSDT minQuantity: expected an amount above 0 with at most 5 decimals, got 0.000001/,
  ],
  ['uid: 10001', "uid: 'x'", /exchange\.yaml:5 accounts\.0\.uid: expected a whole number/],
  ['keyFile: key,', 'keyFile: none,', /account alice keyFile .*: no such file/],
  ['ips: [127.0.0.1]', 'ips: [300.0.0.1]', /300\.0\.0\.1 is not an address/],
  ["BTC: '0.5'", "DOGE: '0.5'", /account alice balances DOGE: no instrument trades it/],
  ["USDT: '100'", "USDT: '100.000000001'", /account alice balances USDT: expected an amount with at most 8 decimals, got 100\.000000001/],
  [
    "USDT: '100'",
    "USDT: '100000000'",
    /account alice balances USDT: 100000000 brings the total to \d+ or more, which is too much at 8 digits/,
  ],
])('in a spot config %s written as %s is rejected with its place', async (validText, invalidText, message) => {
  expect(SPOT_CONFIG).toContain(validText);
  const error = await openAndClose(SPOT_CONFIG.replace(validText, invalidText)).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ConfigError);
  expect((error as ConfigError).message).toMatch(message);
});

it('a profile file is read, and an invalid value is rejected', () => {
  expect(readProfile(writeConfigFile('profile.yaml', 'strictTypes: true\nlists: list\n'))).toEqual({ strictTypes: true, lists: 'list' });
  expect(() => readProfile(writeConfigFile('profile.yaml', 'lists: [1]\n'))).toThrow(/profile\.yaml lists: expected bare or list/);
});

it('isobar exchange prints its addresses and key in its first line, serves requests, and exits with 130 at SIGINT', async () => {
  const child = spawn(
    process.execPath,
    [new URL('../../dist/cli/isobar.js', import.meta.url).pathname, 'exchange', '--demo', '--port', '0'],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const line = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('\n')) resolve(text.split('\n')[0]!);
    });
    child.on('error', reject);
    child.on('exit', () => reject(new Error(`it ended: ${text}`)));
  });
  const firstLine = JSON.parse(line) as { spot: string };
  expect(firstLine).toEqual({
    spot: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string,
    futures: firstLine.spot,
    key: expect.stringMatching(/^[\da-f]{32}$/) as string,
    secret: expect.stringMatching(/^[\da-f]{64}$/) as string,
  });
  const time = await fetch(`${firstLine.spot}/sapi/v1/time`, { headers: { 'content-type': 'application/json' } });
  expect(await time.json()).toMatchObject({ timezone: 'UTC' });
  const code = await new Promise<number | null>((resolve) => {
    child.removeAllListeners('exit');
    child.on('exit', resolve);
    child.kill('SIGINT');
  });
  expect(code).toBe(130);
});

it.skipIf(process.platform !== 'linux')(
  'isobar exchange rejects a --data folder under /proc with 2, because Node.js would retry without end there',
  async () => {
    const isobar = new URL('../../dist/cli/isobar.js', import.meta.url).pathname;
    const child = spawn(process.execPath, [isobar, 'exchange', '--demo', '--port', '0', '--data', '/proc/of-isobar/x'], {
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: 120_000,
    });
    let text = '';
    child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
    expect([await new Promise((resolve) => child.on('close', resolve)), text]).toEqual([
      2,
      expect.stringContaining('--data /proc/of-isobar/x: /proc may not be written to'),
    ]);
  },
  30_000,
);
