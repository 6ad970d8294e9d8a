// Tests `isobar api` from the command line: its output, the requests that reach the exchange, and its messages without a reply.

import { createHmac } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ENDPOINTS, OPS } from '../../src/protocol/endpoints/endpoints.ts';
import { ApiFixture, KEY, SECRET } from '../fixtures/apiFixture.ts';
import { answerBytes, StubExchange, withTime, type Behaviour, type SeenRequest } from '../fixtures/stubExchange.ts';

const fixture = new ApiFixture();
let stub: StubExchange;
beforeAll(async () => {
  stub = await StubExchange.start(() => {});
});
beforeEach(() => {
  stub.requests.length = 0;
});
afterEach(() => rmSync(join(fixture.folder, 'state'), { recursive: true, force: true }));
afterAll(async () => {
  await stub.close();
  fixture.remove();
});

const ORDER_COMMAND = ['api', 'spot.newOrder', 'symbol=btcusdt', 'side=buy', 'type=LIMIT', 'price=60000.10', 'volume=0.0010'];

/** Makes the stub reply to every call with this body. */
const replyWith = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): void => {
  stub.behaviour = withTime((socket) => void socket.write(answerBytes(status, body, headers)), Date.now);
};

/** Makes the stub treat every call in this way. It still replies to requests for its time. */
const behaveAs = (behaviour: Behaviour): void => {
  stub.behaviour = withTime(behaviour, Date.now);
};

/** Returns the arguments with the addresses of the stub. */
const withAddresses = (args: readonly string[]): readonly string[] => [...args, '--spot-url', stub.origin, '--futures-url', stub.origin];
/** Runs the command in a new process. `isobarHere` runs it in this process. */
const isobar = (...args: readonly string[]) => fixture.run(withAddresses(args), fixture.withKey);
const isobarHere = (...args: readonly string[]) => fixture.runHere(withAddresses(args), fixture.withKey);
/** Returns the requests that the stub received, without those for the time. */
const received = (): readonly SeenRequest[] => stub.requests.filter(({ target }) => !target.endsWith('/time'));
const header = ({ headers }: SeenRequest, name: string): string | undefined =>
  headers.find(([headerName]) => headerName.toLowerCase() === name.toLowerCase())?.[1];
const maxLineWidth = (text: string): number => Math.max(...text.split('\n').map((textLine) => textLine.length));

describe('before anything is sent', () => {
  test('--help and --list show every endpoint with its parameters', async () => {
    const [help, list] = await Promise.all([fixture.run(['api', '--help']), fixture.run(['api', '--list'])]);
    const json = await fixture.runHere(['api', '--list', '--json']);
    const endpointList = await fixture.runHere(['api', 'spot.newOrder', '--list']);
    expect(help.stdout).toMatch(/--list.*--dry-run.*--json.*--config.*--spot-url.*--futures-url/s);
    for (const { stdout, code, stderr } of [help, list, endpointList]) {
      expect([code, stderr]).toEqual([0, '']);
      expect(maxLineWidth(stdout)).toBeLessThanOrEqual(100);
    }
    for (const op of OPS) {
      const startIndex = list.stdout.indexOf(`${op} `);
      expect(startIndex, op).toBeGreaterThanOrEqual(0);
      const block = list.stdout.slice(startIndex).split(/\n(?=\S)/)[0] ?? '';
      for (const [name, { kind }] of Object.entries(ENDPOINTS[op].params)) if (kind !== 'time') expect(block, op).toContain(name);
    }
    expect(list.stdout).toMatch(/^spot\.klines +symbol interval \[limit\]$/m);
    expect(list.stdout).toMatch(/^spot\.queryOrder \* +\(orderId\|newClientOrderId\) symbol$/m);
    const rows: unknown = JSON.parse(json.stdout);
    expect(rows).toHaveLength(OPS.length);
    expect(rows).toContainEqual(expect.objectContaining({ name: 'spot.cancelOrder', method: 'POST', security: 'TRADE', effect: 'cancel' }));
    expect(endpointList.stdout).toMatch(/price +limit price; a plain decimal above 0; in: quote asset; only with type=LIMIT/);
  });

  test('a dry run shows the request and the string to sign, with a key and without one', async () => {
    const args = [
      'api',
      'futures.createOrder',
      'contractName=E-BTC-USDT',
      'volume=1',
      'price=65000.00',
      'type=LIMIT',
      'side=BUY',
      'open=OPEN',
      '--dry-run',
    ];
    const text = await isobar(...args);
    const json = await isobarHere(...args, '--json');
    const keyless = await fixture.runHere(args);
    expect([text.code, keyless.code]).toEqual([0, 0]);
    const dryRun = JSON.parse(json.stdout) as Record<string, string>;
    const body = '{"contractName":"E-BTC-USDT","volume":1,"price":65000.00,"type":"LIMIT","side":"BUY","open":"OPEN"}';
    expect(dryRun).toMatchObject({ method: 'POST', origin: stub.origin, target: '/fapi/v1/order', body });
    expect(dryRun['stringToSign']).toBe(`${dryRun['timestampMs']}POST/fapi/v1/order${body}`);
    expect(dryRun['headers']).toMatchObject({ 'X-CH-APIKEY': `${KEY.slice(0, 4)}...`, 'X-CH-TS': String(dryRun['timestampMs']) });
    expect(text.stdout).toMatch(new RegExp(`^POST ${stub.origin}/fapi/v1/order$`, 'm'));
    expect(text.stdout).toMatch(/^\d{13}POST\/fapi\/v1\/order\{"contractName".*\}$/m);
    expect(text.stdout).toContain('nothing was sent');
    expect(keyless.stdout).toMatch(/^X-CH-APIKEY: \(your API key\)$/m);
    for (const { stdout } of [text, json, keyless])
      expect(stdout).not.toMatch(new RegExp(`${KEY.slice(0, 5)}|${SECRET.slice(0, 5)}|[0-9a-f]{64}`));
    expect(stub.requests).toEqual([]);
  });

  test.each<[string, readonly string[], RegExp, RegExp]>([
    ['a misspelt endpoint', ['api', 'spot.klins'], /^spot\.klins: no such endpoint, the nearest valid one is spot\.klines$/m, /--list/],
    ['an endpoint without its market', ['api', 'newOrder'], /the nearest valid one is spot\.newOrder/, /--list/],
    ['no endpoint', ['api'], /expected the name of an endpoint/, /--list/],
    [
      'a misspelt parameter',
      ['api', 'spot.depth', 'symbl=X', 'limit=5'],
      /^spot\.depth symbl: no such parameter, the nearest valid one is symbol$/m,
      /symbol, limit/,
    ],
    ['a parameter twice', ['api', 'spot.depth', 'limit=5', 'limit=6'], /spot\.depth limit: expected one value, got two/, /once/],
    ['a word without =', ['api', 'spot.depth', 'BTCUSDT'], /expected name=value, got BTCUSDT/, /symbol, limit/],
    ['a missing parameter', ['api', 'spot.depth', 'limit=5'], /spot\.depth symbol: expected a name/, /give symbol/],
    [
      'a value outside of its range',
      ['api', 'spot.depth', 'symbol=X', 'limit=500'],
      /spot\.depth limit: expected a whole number from 1 to 100, got 500/,
      /limit/,
    ],
    [
      'an order whose quantity could be read in two units',
      ['api', 'futures.createOrder', 'contractName=E-BTC-USDT', 'volume=1', 'type=MARKET', 'side=BUY', 'open=OPEN'],
      /is not sent/,
      /marketOpen/,
    ],
    ['a timeout of zero', ['api', 'spot.ping', '--timeout', '0'], /--timeout: expected seconds/, /10/],
    [
      'a key as an option',
      ['api', 'spot.account', `--api-key=${KEY}`],
      /^--api-key: a key is not taken from the command line/m,
      /ISOBAR_API_KEY_FILE/,
    ],
    ['a secret as a parameter', ['api', 'spot.account', `apiSecret=${SECRET}`], /^apiSecret: a key is not taken/m, /ISOBAR_API_SECRET/],
    ['a key as an option of another command', ['backtest', `--api-secret=${SECRET}`], /^--api-secret: a key is not taken/m, /0600/],
    ['a misspelt option', ['api', 'spot.ping', '--dryrun'], /--dryrun: unknown option, the nearest valid one is --dry-run/, /--json/],
    ['an access file that is not there', ['api', 'spot.ping', '--config', 'no.yaml'], /^no\.yaml: no such file$/m, /an access file/],
  ])('%s ends with exit code 2, names the remedy, and sends no request', async (_, args, message, remedy) => {
    const { code, stdout, stderr } = await fixture.runHere(args, {
      ...fixture.withKey,
      ISOBAR_SPOT_URL: stub.origin,
      ISOBAR_FUTURES_URL: stub.origin,
    });
    expect(stderr).toMatch(message);
    expect(stderr.split('\n')[1]).toMatch(remedy);
    expect([code, stdout]).toEqual([2, '']);
    expect(stub.requests).toEqual([]);
  });

  test('a missing key, a missing address and a key file that others can read end with exit code 2', async () => {
    fixture.write('key', KEY, 0o640);
    fixture.write('secret', SECRET, 0o600);
    const config = fixture.write('open.yaml', 'keyFile: key\nsecretFile: secret\n');
    const keyless = await fixture.runHere(['api', 'spot.account', '--spot-url', stub.origin]);
    const withoutAddress = await fixture.runHere(['api', 'futures.ping', '--spot-url', stub.origin]);
    const readableKey = await fixture.runHere(['api', 'spot.account', '--spot-url', stub.origin, '--config', config]);
    expect([keyless.code, withoutAddress.code, readableKey.code]).toEqual([2, 2, 2]);
    expect(keyless.stderr).toMatch(/expected an API key and its secret, got none\n {2}set ISOBAR_API_KEY and ISOBAR_API_SECRET/);
    expect(withoutAddress.stderr).toMatch(/--futures-url: expected the address of the futures service, got none\n {2}give --futures-url/);
    expect(readableKey.stderr).toMatch(/keyFile .*\/key: expected mode 0600 or tighter, got 0640.*\n {2}chmod 600 /);
    expect(stub.requests).toEqual([]);
  });
});

describe('reads', () => {
  test('a public read carries no key', async () => {
    replyWith(200, '{"time":1700000000000,"bids":[["1.50","2"]],"asks":[["1.6","3.000"]]}');
    const { code, stdout } = await isobarHere('api', 'spot.depth', 'symbol=BTCUSDT', 'limit=5');
    expect(code).toBe(0);
    expect(stdout).toContain('time  2023-11-14T22:13:20.000Z');
    expect(stdout).toMatch(/bids:\n {2}price +quantity\n {2}1\.5 +2\n/);
    expect(received()[0]!.headers.map(([name]) => name.toLowerCase())).not.toContain('x-ch-apikey');
  });

  test('the signature of a signed read covers the bytes that are sent, and its ids and decimals keep every digit', async () => {
    replyWith(
      200,
      '{"symbol":"BTCUSDT","orderId":499890200602846976,"price":60000.10000000000000001,"origQty":1E-7,"executedQty":0,"status":"Partially Filled","side":"BUY"}',
    );
    const json = await isobarHere('api', 'spot.queryOrder', 'symbol=BTCUSDT', 'orderId=499890200602846976', '--json');
    const text = await isobarHere('api', 'spot.queryOrder', 'symbol=BTCUSDT', 'orderId=499890200602846976');
    expect(JSON.parse(json.stdout)).toMatchObject({
      op: 'spot.queryOrder',
      outcome: 'acked',
      answer: {
        orderId: '499890200602846976',
        price: '60000.10000000000000001',
        origQty: '0.0000001',
        status: { word: 'PARTIALLY_FILLED', raw: 'Partially Filled' },
      },
    });
    expect(text.stdout).toMatch(/orderId +499890200602846976\nprice +60000\.10000000000000001\n/);
    const [request] = received();
    expect(request!.target).toBe('/sapi/v1/order?orderId=499890200602846976&symbol=BTCUSDT');
    expect(header(request!, 'X-CH-APIKEY')).toBe(KEY);
    const signed = createHmac('sha256', SECRET)
      .update(`${header(request!, 'X-CH-TS')}GET${request!.target}`)
      .digest('hex');
    expect(header(request!, 'X-CH-SIGN')).toBe(signed);
  });

  test('rows are printed as a table if it fits into 100 columns, otherwise as records', async () => {
    const row = (id: number) =>
      `{"orderId":49989020060284697${id},"symbol":"BTCUSDT","price":60000.1,"origQty":1,"executedQty":0,"avgPrice":0,"type":"LIMIT","time":1700000000000,"status":"NEW_","side":"BUY"}`;
    replyWith(200, `[${row(1)},${row(2)}]`);
    const orders = await isobarHere('api', 'spot.openOrders', 'symbol=BTCUSDT', 'limit=100');
    replyWith(200, '[{"idx":1700000000000,"open":1,"close":2,"high":2,"low":1,"vol":3},{"idx":1700000060000,"open":"nothing"}]');
    const bars = await isobarHere('api', 'spot.klines', 'symbol=BTCUSDT', 'interval=1m');
    replyWith(200, '[]');
    const none = await isobarHere('api', 'spot.openOrders', 'symbol=BTCUSDT', 'limit=100');
    expect(maxLineWidth(orders.stdout)).toBeLessThanOrEqual(100);
    expect(orders.stdout).toContain('orderId 499890200602846972');
    expect(bars.stdout).toMatch(/^opens +open +close +high +low +volume\n2023-11-14T22:13:20\.000Z +1 +2 +2 +1 +3\n/);
    expect(bars.stdout).toMatch(/not understood, and omitted:\n {2}problem\n {2}\[1\]\.open: expected a decimal/);
    expect(none.stdout).toBe('none\n');
  });

  test('a read uses the dialect and the key files of an access file', async () => {
    fixture.write('keys/key', `${KEY}\n`, 0o600);
    fixture.write('keys/secret', `${SECRET}\n`, 0o600);
    const config = fixture.write(
      'access.yaml',
      `keyFile: keys/key\nsecretFile: keys/secret\ndialect: { baseUrl: '${stub.origin}', signQuery: omit, pathPrefix: { spot: /spot/open }, signPathPrefix: false }\n`,
    );
    replyWith(200, '[]');
    const { code, stderr } = await fixture.runHere(['api', 'spot.openOrders', 'symbol=BTCUSDT', 'limit=7', '--config', config]);
    expect([code, stderr]).toEqual([0, '']);
    const request = received().find(({ target }) => target === '/spot/open/sapi/v1/openOrders?symbol=BTCUSDT&limit=7')!;
    const signed = createHmac('sha256', SECRET)
      .update(`${header(request, 'X-CH-TS')}GET/sapi/v1/openOrders`)
      .digest('hex');
    expect(header(request, 'X-CH-SIGN')).toBe(signed);
  });

  test('--verbose reports every request with outcome, status and duration', async () => {
    replyWith(200, '{"balances":[]}');
    const { stderr } = await isobarHere('api', 'spot.account', '--verbose');
    expect(stderr).toMatch(/^spot\.account: acked, attempt 1, HTTP 200, \d+ ms$/m);
    expect(stderr).toMatch(/^spot\.serverTime: acked/m);
    expect(stderr).not.toMatch(/[0-9a-f]{32}|X-CH/i);
  });
});

describe('orders', () => {
  test('an acknowledged order is shown with its id and the command that queries it', async () => {
    replyWith(200, '{"symbol":"BTCUSDT","orderId":499890200602846976,"status":0}');
    const { code, stdout } = await isobar(...ORDER_COMMAND);
    expect(code).toBe(0);
    expect(stdout).toContain(`the service accepted it (${stub.origin})`);
    expect(stdout).toMatch(/orderId +499890200602846976/);
    expect(stdout).toContain('isobar api spot.queryOrder symbol=btcusdt orderId=499890200602846976');
    expect(received().map(({ body }) => body.toString())).toEqual([
      '{"symbol":"BTCUSDT","volume":0.0010,"side":"BUY","type":"LIMIT","price":60000.10}',
    ]);
  });

  test('a refused order is shown with code, meaning and advice, and the exit code is 1', async () => {
    replyWith(200, '{"code":-2017,"msg":"no\\r\\n\\u001b[31mmoney\\u009b2J"}');
    const text = await isobarHere(...ORDER_COMMAND);
    const json = await isobarHere(...ORDER_COMMAND, '--json');
    expect([text.code, json.code, text.stdout]).toEqual([1, 1, '']);
    expect(text.stderr).toMatch(/^spot\.newOrder: refused: code -2017 \w+: .*HTTP 200/m);
    expect(text.stderr).toContain('the balance or margin does not cover the order');
    expect(text.stderr.replaceAll('\n    ', ' ')).toContain('"no\\r\\n\\x1b[31mmoney\\x9b2J"');
    expect(maxLineWidth(text.stderr)).toBeLessThanOrEqual(100);
    expect(JSON.parse(json.stdout)).toMatchObject({ outcome: 'refused', code: -2017, status: 200, msg: 'no\\r\\n\\x1b[31mmoney\\x9b2J' });
    expect(received()).toHaveLength(2);
  });

  test('a very long message of the service is shortened', async () => {
    replyWith(400, JSON.stringify({ code: -2017, msg: 'x'.repeat(100_000) }));
    expect((await isobarHere(...ORDER_COMMAND)).stderr.length).toBeLessThan(600);
  });

  test.each<[string, typeof isobar, Behaviour, RegExp]>([
    ['a reset connection', isobar, (socket) => void socket.resetAndDestroy(), /outcome unknown/],
    ['a reply in HTML', isobarHere, (socket) => void socket.write(answerBytes(502, '<html>Bad Gateway</html>')), /outcome unknown: .*502/],
    [
      'a backend timeout',
      isobarHere,
      (socket) => void socket.write(answerBytes(200, '{"code":-1007,"msg":"Timeout"}')),
      /outcome unknown: code -1007 TIMEOUT/,
    ],
    ['silence', isobarHere, () => {}, /outcome unknown: no answer within 500 ms/],
  ])(
    'an order without a result after %s is sent once, ends with exit code 4, and names the commands that show it',
    async (name, command, behaviour, message) => {
      behaveAs(behaviour);
      const timeoutSeconds = name === 'silence' ? '0.5' : '30';
      const { code, stdout, stderr } = await command(...ORDER_COMMAND, 'newClientOrderId=mine-1', '--timeout', timeoutSeconds);
      expect(stderr).toMatch(message);
      expect(stderr.replaceAll('\n  ', ' ')).toContain(
        'the order may exist. It was sent once; do not send it again before these commands show that it does not exist:',
      );
      expect(stderr).toContain('    isobar api spot.queryOrder symbol=btcusdt newClientOrderId=mine-1\n');
      expect(stderr).toContain('    isobar api spot.openOrders symbol=btcusdt limit=100\n');
      expect([code, stdout]).toEqual([4, '']);
      expect(stub.count('POST', '/sapi/v1/order')).toBe(1);
    },
  );

  test('an order that could not be sent because no service listens is reported as not sent', async () => {
    const closedStub = await StubExchange.start(() => {});
    const { origin } = closedStub;
    await closedStub.close();
    const { code, stderr } = await fixture.runHere([...ORDER_COMMAND, '--spot-url', origin], fixture.withKey);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^spot\.newOrder: not sent: .*ECONNREFUSED/m);
    expect(stderr).toContain('nothing was sent, so nothing happened');
  });

  test('Ctrl-C while an order waits for its reply reports an unknown outcome', async () => {
    let child: { kill(signal: 'SIGINT'): boolean } | null = null;
    behaveAs(() => void child?.kill('SIGINT'));
    const { code, stderr } = await fixture.run(
      [...ORDER_COMMAND, '--spot-url', stub.origin],
      fixture.withKey,
      (started) => (child = started),
    );
    expect(code).toBe(130);
    expect(stderr).toMatch(/outcome unknown: cancelled\n {2}the order may exist/);
    expect(received()).toHaveLength(1);
  });

  test('a cancel and a setting without a reply name the command that shows the result', async () => {
    behaveAs((socket) => void socket.resetAndDestroy());
    const cancel = await isobarHere('api', 'futures.cancelOrder', 'contractName=E-BTC-USDT', 'orderId=12');
    const setting = await isobarHere('api', 'futures.changeLeverage', 'contractName=E-BTC-USDT', 'nowLevel=5');
    expect([cancel.code, setting.code]).toEqual([4, 4]);
    expect(cancel.stderr).toContain('isobar api futures.orderInformation contractName=E-BTC-USDT orderId=12');
    expect(setting.stderr).toContain('isobar api futures.positions contractName=E-BTC-USDT');
  });
});

test('a ban is stored, and the next command sends nothing while it lasts', async () => {
  replyWith(418, '{"code":-1003,"msg":"banned"}');
  const first = await isobar(...ORDER_COMMAND);
  expect(first.stderr).toMatch(/the exchange has banned this address: nothing is sent before /);
  const bans = join(fixture.folder, 'state/isobar/bans');
  const [file] = fixture.written().filter(({ path }) => path.startsWith(bans));
  expect(file?.path).toBe(join(bans, `127.0.0.1_${stub.port}.json`));
  expect(statSync(file!.path).mode & 0o777).toBe(0o600);
  expect(statSync(bans).mode & 0o777).toBe(0o700);
  const before = stub.requests.length;
  const second = await isobarHere('api', 'spot.ping');
  expect(second.code).toBe(1);
  expect(second.stderr).toMatch(/^spot\.ping: not sent: the exchange has banned this address/m);
  expect(stub.requests).toHaveLength(before);
});
