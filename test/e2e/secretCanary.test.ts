// Tests that no command and no failure prints or writes any part of a key or a secret, in any form.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiFixture, KEY, SECRET, type ApiCommandResult } from '../fixtures/apiFixture.ts';
import { credentialsIn, ECHO, PLAIN_ECHO } from '../fixtures/canary.ts';
import { answerBytes, StubExchange, withTime, type Behaviour } from '../fixtures/stubExchange.ts';

const fixture = new ApiFixture();
const stubs: StubExchange[] = [];
/** The bytes that services sent, to check that there was something to find. */
const sent: Buffer[] = [];

/** A strategy that searches for the key in every place that a program can read, and reports what it found. */
const HOSTILE = `import { execFileSync } from 'node:child_process';
import { Strategy } from 'isobar';
export default class Hostile extends Strategy {
  override onBar() {
    throw new Error(JSON.stringify(process.env) + JSON.stringify(process.argv) + execFileSync('env', { encoding: 'utf8' }));
  }
}
`;

beforeAll(() => {
  fixture.write('hostile.ts', HOSTILE);
});
afterAll(async () => {
  for (const stub of stubs) await stub.close();
  fixture.remove();
});

/** Returns a behaviour that sends this reply, and remembers its bytes. */
const replyWith =
  (status: number, body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  (socket) => {
    const bytes = answerBytes(status, body, headers);
    sent.push(bytes, Buffer.from(body));
    socket.write(bytes);
  };
/** Returns a behaviour that sends raw bytes, and remembers them. */
const sendRaw =
  (text: string, thenEnds: boolean): Behaviour =>
  (socket) => {
    sent.push(Buffer.from(text));
    if (thenEnds) socket.end(text);
    else socket.write(text);
  };

/** Returns a behaviour that replies to a ping, and treats all other calls by `behaviour`. */
const afterPing =
  (behaviour: Behaviour): Behaviour =>
  (socket, request) =>
    request.target.endsWith('/ping') ? replyWith(200, '{}')(socket, request) : behaviour(socket, request);

const ORDER_COMMAND = ['api', 'spot.newOrder', 'symbol=BTCUSDT', 'side=BUY', 'type=LIMIT', 'price=1', 'volume=1', 'newClientOrderId=c-1'];
const QUERY = ['api', 'spot.queryOrder', 'symbol=BTCUSDT', 'newClientOrderId=c-1'];
const errorBody = (code: number) => `{"code":${code},"msg":"${ECHO}\\r\\n\\u001b[2J","data":{"${KEY}":"${SECRET}"}}`;
/** A row that cannot be read, because its quantity is a secret. */
const BAD_ROW = `{"symbol":"${ECHO}","orderId":1,"clientOrderId":"${KEY}","price":1,"origQty":"${SECRET}","executedQty":0,"status":"${ECHO}","side":"BUY"}`;
/** A row whose texts are credentials. */
const GOOD_ROW = `{"symbol":"${KEY}","orderId":1,"clientOrderId":"${SECRET}","price":1,"origQty":1,"executedQty":0,"status":"${ECHO}","type":"${ECHO}","side":"BUY"}`;
/** The row of the queried order. */
const QUERIED_ROW = `{"symbol":"BTCUSDT","orderId":1,"clientOrderId":"c-1","price":1,"origQty":1,"executedQty":0,"status":"${ECHO}","type":"${ECHO}","side":"BUY"}`;

/** Commands with the service's behaviour and the expected exit code, which shows that the intended failure happened. */
const SCENES: readonly (readonly [name: string, args: readonly string[], behaviour: Behaviour, exitCode: number])[] = [
  ['a reply that echoes', [...QUERY], replyWith(200, QUERIED_ROW), 0],
  ['a reply that echoes, in JSON', [...QUERY, '--json'], replyWith(200, QUERIED_ROW), 0],
  [
    'rows that are not understood',
    ['api', 'spot.openOrders', 'symbol=BTCUSDT', 'limit=5', '--json'],
    replyWith(200, `[${BAD_ROW},${GOOD_ROW}]`),
    1,
  ],
  ['a refused order', [...ORDER_COMMAND], replyWith(400, errorBody(-2017), { 'x-echo': PLAIN_ECHO, [`x-${KEY}`]: 'x' }), 1],
  ['a refused order, in JSON', [...ORDER_COMMAND, '--json'], replyWith(200, errorBody(-1022)), 1],
  ['an unknown code', [...ORDER_COMMAND, '--json'], replyWith(400, errorBody(-9999)), 4],
  ['a limit', [...ORDER_COMMAND], replyWith(429, errorBody(-1003), { 'retry-after': PLAIN_ECHO }), 1],
  ['a ban', [...ORDER_COMMAND], replyWith(418, errorBody(-1003), { 'retry-after': KEY }), 1],
  ['HTML', [...ORDER_COMMAND], replyWith(502, `<html><title>${PLAIN_ECHO}</title>`), 4],
  ['a redirect', [...QUERY, '--timeout', '1'], replyWith(302, PLAIN_ECHO, { location: `/x?key=${KEY}&secret=${SECRET}` }), 1],
  ['broken JSON', [...ORDER_COMMAND, '--json'], replyWith(200, `{"a":"${ECHO}",}`), 4],
  ['gzip', [...ORDER_COMMAND], replyWith(400, gzipSync(errorBody(-2017)), { 'content-encoding': 'gzip' }), 1],
  ['an unknown encoding', [...ORDER_COMMAND], replyWith(200, PLAIN_ECHO, { 'content-encoding': `x-${SECRET}` }), 4],
  ['an invalid status line', [...ORDER_COMMAND], sendRaw(`HTTP/1.1 ${SECRET} ${KEY}\r\n\r\n`, true), 4],
  ['no HTTP at all', [...ORDER_COMMAND, '--json'], sendRaw(`${KEY}: ${SECRET}\r\n\r\n`, true), 4],
  ['headers without end', [...ORDER_COMMAND], sendRaw(`HTTP/1.1 200 OK\r\n${`x: ${PLAIN_ECHO}\r\n`.repeat(200)}`, false), 4],
  ['a download', ['data', 'download', '--symbol', 'BTCUSDT', '--interval', '1m'], replyWith(400, errorBody(-1121)), 1],
  ['the doctor', ['doctor', '--timeout', '2'], afterPing(replyWith(401, errorBody(-2015))), 1],
  [
    'the doctor, with a bundle',
    ['doctor', '--json', '--bundle', join(fixture.folder, 'bundle.json'), '--timeout', '2'],
    afterPing(replyWith(200, GOOD_ROW)),
    1,
  ],
  ['a body that breaks off', [...ORDER_COMMAND], sendRaw(`HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n{"msg":"${ECHO}`, true), 4],
];

/** Runs every fourth scene in a new process, and the others in this process, which is faster. */
async function runScene(sceneIndex: number): Promise<ApiCommandResult> {
  const [, args, behaviour] = SCENES[sceneIndex]!;
  const stub = await StubExchange.start(withTime(behaviour, Date.now));
  stubs.push(stub);
  const words = [...args, ...(args[0] === 'api' ? ['--verbose'] : []), '--spot-url', stub.origin];
  return sceneIndex % 4 === 0 ? fixture.run(words, fixture.withKey) : fixture.runHere(words, fixture.withKey);
}

describe('no part of a credential is printed or written', () => {
  test('no credential is printed or written by calls of every outcome, at the highest verbosity', async () => {
    const ended: ApiCommandResult[] = [];
    for (const sceneIndex of SCENES.keys()) ended.push(await runScene(sceneIndex));
    expect(ended.map(({ code }, index) => [SCENES[index]![0], code])).toEqual(SCENES.map(([name, , , code]) => [name, code]));
    const credentialsFound = ended.map(
      ({ stdout, stderr }, index) => [SCENES[index]![0], credentialsIn(Buffer.from(stdout + stderr))] as const,
    );
    expect(credentialsFound.filter(([, hits]) => hits.length > 0)).toEqual([]);
    // A service must not move the cursor of the reader's terminal, or start a line of its own.
    const controlCharacters = ended.map(
      ({ stdout, stderr }, index) => [SCENES[index]![0], /[^\P{Cc}\n]/u.exec(stdout + stderr)?.[0]] as const,
    );
    expect(controlCharacters.filter(([, control]) => control !== undefined)).toEqual([]);
  });

  test('no credential is printed or written by Node itself, with all debug output on', async () => {
    const stub = await StubExchange.start(withTime(replyWith(400, errorBody(-2017)), Date.now));
    stubs.push(stub);
    const { code, stderr } = await fixture.run([...ORDER_COMMAND, '--verbose', '--spot-url', stub.origin], {
      ...fixture.withKey,
      NODE_DEBUG: '*',
      DEBUG: '*',
    });
    expect(code).toBe(1);
    expect(stderr.length).toBeGreaterThan(100_000);
    expect(credentialsIn(Buffer.from(stderr))).toEqual([]);
  });

  test('no credential is printed or written by mistakes of the caller', async () => {
    fixture.write('keys.yaml', `apiKey: ${KEY}\napiSecret: ${SECRET}\n`);
    fixture.write('place.yaml', `keyFile: ${KEY}\ndialect: { signQuery: ${SECRET} }\n`);
    fixture.write('syntax.yaml', `a: "${KEY}\n  b: [*${SECRET}\n`);
    const stub = await StubExchange.start(withTime(replyWith(400, errorBody(-1121)), Date.now));
    stubs.push(stub);
    const address = ['--spot-url', stub.origin];
    const mistakes: readonly (readonly string[])[] = [
      ['api', 'spot.account', `--api-key=${KEY}`, '--api-secret', SECRET],
      ['api', 'spot.account', `apiKey=${KEY}`],
      ['api', 'spot.ping', '--config', 'keys.yaml'],
      ['api', 'spot.ping', '--config', 'place.yaml'],
      ['api', 'spot.ping', '--config', 'syntax.yaml'],
      ['api', 'spot.ping', '--config', SECRET],
      ['api', 'spot.ping', '--spot-url', `https://${KEY}:${SECRET}@127.0.0.1`],
      ['api', 'spot.ping', '--spot-url', SECRET],
      ['api', 'spot.ping', '--spot-url', `http://127.0.0.1/${KEY}?secret=${SECRET}`],
      ['api', 'spot.ping', '--timeout', SECRET],
      ['api', 'spot.ping', `--${SECRET}`],
      ['api', KEY],
      ['api', 'spot.ping', KEY],
      ['api', 'spot.ping', `${SECRET}=1`],
      ['api', 'spot.depth', `symbol=${SECRET}`, `limit=${KEY}`, ...address],
      ['api', 'spot.depth', `symbol=${SECRET}`, 'limit=5', '--dry-run', ...address],
      ['api', 'spot.depth', `symbol=${SECRET}`, 'limit=5', '--json', ...address],
      [...QUERY.slice(0, 3), `newClientOrderId=${KEY.slice(0, 31)}`, '--dry-run', ...address],
      [KEY],
      ['data', SECRET],
      ['data', 'list', '--market', SECRET],
    ];
    for (const args of mistakes) {
      const { stdout, stderr, code } = await fixture.runHere(args, fixture.withKey);
      expect([
        args.map((word) => word.replace(KEY, '<key>').replace(SECRET, '<secret>')),
        credentialsIn(Buffer.from(stdout + stderr)),
      ]).toEqual([expect.anything(), []]);
      expect(code === 0).toBe(args.includes('--dry-run'));
    }
  });

  test('no credential is printed or written by a process that hangs and is ended, in its report, arguments or children', async () => {
    let cmdline = '';
    let child: Parameters<Parameters<typeof fixture.run>[2] & {}>[0] | null = null;
    const stub = await StubExchange.start(
      withTime(() => {
        cmdline = process.platform === 'linux' ? readFileSync(`/proc/${child!.pid}/cmdline`, 'latin1') : ORDER_COMMAND.join('\0');
        child!.kill('SIGUSR2');
        setTimeout(() => child!.kill('SIGTERM'), 300);
      }, Date.now),
    );
    stubs.push(stub);
    const env = { ...fixture.withKey, NODE_OPTIONS: `--report-on-signal --report-directory=${fixture.folder}` };
    const { code, stderr } = await fixture.run(
      [...ORDER_COMMAND, '--verbose', '--spot-url', stub.origin],
      env,
      (started) => (child = started),
    );
    expect(code).toBe(143);
    expect(stderr).toContain('the order may exist');
    expect(cmdline).toContain('spot.newOrder');
    expect(credentialsIn(Buffer.from(cmdline))).toEqual([]);
    expect(fixture.written().filter(({ path }) => /report\..*\.json$/.test(path))).toHaveLength(1);
  });

  test('no credential is printed or written by a strategy, in its error or from a child process', async () => {
    const backtest = ['backtest', '--demo', '--set', 'strategy=hostile.ts', '--set', 'params={}'];
    const { code, stderr } = await fixture.run(backtest, { ...fixture.withKey, ISOBAR_SPOT_URL: 'https://canary.example.com' });
    expect(code).toBe(1);
    // The strategy did see its environment, without the variables that the bot had removed.
    expect(stderr).toContain('canary.example.com');
    expect(credentialsIn(Buffer.from(stderr))).toEqual([]);
  });

  test('no output and no file of the whole test contains a credential', () => {
    const signatures = stubs.flatMap(({ requests }) =>
      requests.flatMap(({ headers }) =>
        headers.filter(([name]) => name.toLowerCase() === 'x-ch-sign').map(([, sign]) => ['a signature', sign.slice(0, 12)] as const),
      ),
    );
    expect(signatures.length).toBeGreaterThan(SCENES.length / 2);
    const files = fixture.written();
    expect(files.some(({ path }) => path.includes('/bans/'))).toBe(true);
    for (const { path, bytes } of files) expect([path, credentialsIn(bytes, signatures)]).toEqual([path, []]);
    expect(credentialsIn(Buffer.concat(fixture.printed), signatures)).toEqual([]);
    // There was something to find: services had the key, and sent back both credentials in every form.
    const keys = stubs.flatMap(({ requests }) => requests.flatMap(({ headers }) => headers.map(([, value]) => value)));
    expect(keys).toContain(KEY);
    for (const form of ['as it is', 'in hex', 'in base64', 'percent-encoded', 'in escapes of JSON']) {
      expect(credentialsIn(Buffer.concat(sent))).toEqual(expect.arrayContaining([`the key ${form}`, `the secret ${form}`]));
    }
  });
});
