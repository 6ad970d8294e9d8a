// Draws malformed requests from a seed. No request may change anything at the exchange.

import { gzipSync } from 'node:zlib';
import { keyOf } from './caller.ts';
import type { InvalidValues } from './endpoint.ts';
import {
  credentials,
  type FuzzCase,
  type FuzzWorld,
  HEADER_NAMES,
  type Headers,
  METHODS,
  UNUSUAL_TEXTS,
  signedPost,
  type Target,
  requestBytes,
  usualHeaders,
} from './fuzzBytes.ts';
import type { Random } from './random.ts';

/** The kinds of requests. A kind that occurs twice is drawn twice as often. */
const CASE_BUILDERS: readonly ((rng: Random, world: FuzzWorld) => FuzzCase)[] = [
  garbage,
  brokenHead,
  unusualMethod,
  unusualQuery,
  unusualHeaders,
  unusualBody,
  wrongEncoding,
  wrongSize,
  upgrade,
  withChangedByte,
  withOneWrongParameter,
  withOneWrongParameter,
  unusualRead,
];

/** Draws a request of a random kind. */
export function fuzzCase(rng: Random, world: FuzzWorld): FuzzCase {
  const buildCase = rng.pick(CASE_BUILDERS);
  return buildCase(rng, world);
}

/** Returns bytes that are not HTTP. */
function garbage(rng: Random): FuzzCase {
  const bytes = rng.pick([
    () => rng.bytes(1 + rng.below(200)),
    () => Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    () => Buffer.from(`${rng.pick(METHODS)}\r\n\r\n`),
    () => Buffer.concat([Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00]), rng.bytes(80)]),
    () => Buffer.from(`\r\n\r\n${rng.pick(UNUSUAL_TEXTS)}`),
  ])();
  return { kind: 'garbage', bytes, isLast: true, code: null };
}

/** Returns a request head with one malformed line. */
function brokenHead(rng: Random, world: FuzzWorld): FuzzCase {
  const { path } = rng.pick(world.targets).endpoint;
  const requestLine = rng.pick([
    `get ${path} HTTP/1.1`,
    `GET ${path}`,
    `GET  ${path} HTTP/1.1`,
    `GET ${path} HTTP/9.9`,
    `GET ${path} FTP/1.1`,
    `GET /\u0001 HTTP/1.1`,
  ]);
  const header = rng.pick([
    'no colon',
    ': no name',
    'Na me: x',
    'X-A: a\u0000b',
    'Content-Length: x',
    'Content-Length: -1',
    'Content-Length: 1\r\nContent-Length: 2',
    'Transfer-Encoding: x\r\nContent-Length: 3',
    'X: y\n folded',
  ]);
  const [firstLine, secondLine] = rng.isDrawn(0.5) ? [requestLine, 'Host: a'] : [`GET ${path} HTTP/1.1`, header];
  return { kind: 'brokenHead', bytes: Buffer.from(`${firstLine}\r\n${secondLine}\r\n\r\n`, 'latin1'), isLast: true, code: null };
}

/** Returns a method that the path does not have, or a path that does not exist. */
function unusualMethod(rng: Random, world: FuzzWorld): FuzzCase {
  const { endpoint } = rng.pick(world.targets);
  const method = rng.pick(METHODS.filter((name) => name !== 'GET' && name !== 'POST'));
  const path = rng.pick([
    endpoint.path,
    `${endpoint.path}/x`,
    endpoint.path.toUpperCase(),
    `/${endpoint.path}`,
    `${endpoint.path}%2f`,
    '*',
    '/',
    'http://a/b',
  ]);
  const isKnown = path === endpoint.path && method !== 'HEAD';
  return {
    kind: 'unusualMethod',
    bytes: requestBytes({ method, target: path, headers: usualHeaders() }),
    hasBody: method !== 'HEAD',
    code: isKnown ? -1020 : null,
  };
}

/** Characters that would end a request line. */
const UNSENDABLE = /\s|\0/g;

/** Draws up to six `name=value` pairs with unusual names and values. */
const unusualPairs = (rng: Random, names: readonly string[]): string[] =>
  rng.upTo(6, () => {
    const value = rng.pick(UNUSUAL_TEXTS);
    // Two of three names are known ones.
    const name = rng.pick([...names, ...names, rng.pick(UNUSUAL_TEXTS)]);
    const sentValue = rng.isDrawn(0.5) ? value : encodeURIComponent(value);
    return `${name}=${sentValue}`.replaceAll(UNSENDABLE, '%20');
  });

/** Returns a read with meaningless parameters. */
function unusualQuery(rng: Random, world: FuzzWorld): FuzzCase {
  const { endpoint } = rng.pick(world.targets.filter(({ endpoint: { method } }) => method === 'GET'));
  const manyPairs = rng.isDrawn(0.1) ? Array.from({ length: 40 }, (_, index) => `p${index}=1`) : [];
  const longPair = rng.isDrawn(0.05) ? [`long=${'x'.repeat(rng.below(40_000))}`] : [];
  const pairs = [...unusualPairs(rng, Object.keys(endpoint.params)), ...manyPairs, ...longPair];
  const query = pairs.join(rng.pick(['&', '&&', ';', '&=&']));
  return {
    kind: 'unusualQuery',
    bytes: requestBytes({ method: 'GET', target: `${endpoint.path}?${query}`, headers: usualHeaders() }),
    code: null,
  };
}

/** Returns a request whose headers have arbitrary values. */
function unusualHeaders(rng: Random, world: FuzzWorld): FuzzCase {
  const { endpoint, validArgs } = rng.pick(world.targets.filter(({ endpoint: { isSigned } }) => isSigned));
  const headers = rng.upTo(8, () => {
    const value = rng.pick([...UNUSUAL_TEXTS, keyOf('alice'), String(world.nowMs), 'application/json', 'a'.repeat(64), 'x'.repeat(9000)]);
    return [rng.pick(HEADER_NAMES), value.replaceAll('\u0000', '')] as const;
  });
  const body = endpoint.method === 'POST' ? JSON.stringify(validArgs) : '';
  return { kind: 'unusualHeaders', bytes: requestBytes({ method: endpoint.method, target: endpoint.path, headers, body }), code: null };
}

/** Returns JSON or damaged JSON with a valid signature, which never describes an order. */
function unusualBody(rng: Random, world: FuzzWorld): FuzzCase {
  const { endpoint } = rng.pick(writesOf(world));
  const text = rng.pick([
    () =>
      rng.pick([
        '',
        '{',
        '}',
        '[',
        '[]',
        '{}',
        'null',
        'true',
        '1',
        '""',
        '{"a"',
        '{"a":',
        '{"a":1,}',
        "{'a':1}",
        '{a:1}',
        '{"a":1}{}',
        '\u0000',
        '//',
      ]),
    () => '['.repeat(rng.below(5000)),
    () => `{"a":${'{"a":'.repeat(rng.below(100))}1${'}'.repeat(rng.below(100))}`,
    () => `{${Array.from({ length: rng.below(60) }, (_, index) => `"k${index}":${index}`).join(',')}}`,
    () => JSON.stringify(Object.fromEntries(rng.upTo(6, () => [rng.pick(UNUSUAL_TEXTS), rng.pick(UNUSUAL_TEXTS)]))),
    () => `{"volume":${rng.pick(['1e999', '-0', '01', '1.', '.5', '0x10', '1_000', 'Infinity', '9'.repeat(400)])}}`,
    () => '{"__proto__":{"symbol":"BTCUSDT","contractName":"E-BTC-USDT"}}',
  ])();
  return { kind: 'unusualBody', bytes: signedPost(world, endpoint.path, Buffer.from(text)), code: null };
}

/** Returns a signed body that is not UTF-8, or whose declared encoding is wrong. */
function wrongEncoding(rng: Random, world: FuzzWorld): FuzzCase {
  const { endpoint, validArgs } = rng.pick(writesOf(world));
  const json = JSON.stringify(validArgs);
  const nonAscii = rng.bytes(20).map((byte) => byte | 0x80);
  const bytes = rng.pick([
    () => Buffer.from(json, 'utf16le'),
    () => Buffer.from(`\ufeff${json}`),
    () => Buffer.from(json.replace('{', '{"ä":1,'), 'latin1'),
    () => Buffer.concat([Buffer.from('{"symbol":"'), nonAscii, Buffer.from('"}')]),
    () => gzipSync(json),
  ])();
  const encoding: Headers = rng.upTo(1, () => ['Content-Encoding', rng.pick(['gzip', 'br', 'deflate', 'x'])] as const);
  return { kind: 'wrongEncoding', bytes: signedPost(world, endpoint.path, bytes, encoding), code: null };
}

/** Returns wrong lengths of the body, chunks, and bodies that are too large. */
function wrongSize(rng: Random, world: FuzzWorld): FuzzCase {
  const { endpoint, validArgs } = rng.pick(writesOf(world));
  const json = JSON.stringify(validArgs);
  const start = `POST ${endpoint.path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`;
  const text = rng.pick([
    () => `${start}Content-Length: ${json.length + 1 + rng.below(1000)}\r\n\r\n${json}`,
    () => `${start}Content-Length: ${rng.below(json.length)}\r\n\r\n${json}`,
    () => `${start}Content-Length: 99999999999999999999\r\n\r\n${json}`,
    () => `${start}Transfer-Encoding: chunked\r\n\r\n${json.length.toString(16)}\r\n${json}\r\n0\r\n\r\n`,
    () => `${start}Transfer-Encoding: chunked\r\n\r\n${rng.pick(['zz', '-1', '', 'ffffffffffffffffff'])}\r\n${json}\r\n0\r\n\r\n`,
    () => `${start}Transfer-Encoding: chunked\r\n\r\n5\r\nab`,
    () => `${start}Content-Length: 300000\r\n\r\n${' '.repeat(rng.isDrawn(0.1) ? 300_000 : 10)}`,
    () => `${start}X: ${'y'.repeat(rng.below(20_000))}\r\nContent-Length: 0\r\n\r\n`,
  ])();
  return { kind: 'wrongSize', bytes: Buffer.from(text), isLast: true, code: null };
}

/** Returns a request for an upgrade to another protocol. */
function upgrade(rng: Random, world: FuzzWorld): FuzzCase {
  const path = rng.pick(['/ws', '/ws?x', '/', rng.pick(world.targets).endpoint.path]);
  const headers: Headers = [
    ['Connection', rng.pick(['Upgrade', 'upgrade, x', 'close', 'keep-alive'])],
    ['Upgrade', rng.pick(['websocket', 'h2c', 'x', ''])],
    ['Sec-WebSocket-Version', rng.pick(['13', '8', 'x'])],
    ...rng.upTo(1, () => ['Sec-WebSocket-Key', rng.pick(['dGhlIHNhbXBsZSBub25jZQ==', 'x', ''])] as const),
  ];
  const bytes = Buffer.concat([requestBytes({ method: 'GET', target: path, headers }), rng.bytes(rng.below(30))]);
  return { kind: 'upgrade', bytes, isLast: true, code: null };
}

/** Returns a valid order with one byte changed after it was signed. */
function withChangedByte(rng: Random, world: FuzzWorld): FuzzCase {
  const { endpoint, validArgs } = rng.pick(writesOf(world));
  const body = Buffer.from(JSON.stringify(validArgs));
  const bytes = signedPost(world, endpoint.path, body);
  const byteIndex = bytes.length - 1 - rng.below(body.length);
  bytes[byteIndex]! ^= 1 << rng.below(8);
  return { kind: 'withChangedByte', bytes, code: -1022 };
}

/** Returns a correctly signed order with one parameter that has an invalid value of the table. */
function withOneWrongParameter(rng: Random, world: FuzzWorld): FuzzCase {
  const { endpoint, validArgs } = rng.pick(writesOf(world));
  const [name, invalid] = rng.pick(Object.entries(endpoint.params).filter(([, values]) => invalidValuesOf(values).length > 0));
  const [value, code] = rng.pick(invalidValuesOf(invalid));
  const { [name]: _replaced, ...otherArgs } = validArgs;
  const body = value === undefined ? otherArgs : { ...otherArgs, [name]: value };
  const surplus = Object.fromEntries(rng.upTo(3, () => [`surplus${rng.below(9)}`, rng.pick(UNUSUAL_TEXTS)]));
  return {
    kind: 'withOneWrongParameter',
    bytes: signedPost(world, endpoint.path, Buffer.from(JSON.stringify({ ...surplus, ...body }))),
    code,
  };
}

/** Returns invalid values of a parameter with their codes. The value undefined leaves the parameter out. */
function invalidValuesOf({ missing, empty, type, range, precise }: InvalidValues): readonly (readonly [value: unknown, code: number])[] {
  const invalidValues = [[undefined, missing] as const, ['', empty] as const, ...type, ...range, ...precise];
  return invalidValues.filter(([, code]) => code !== 0);
}

/** Returns correctly signed reads with unusual parameters. */
function unusualRead(rng: Random, world: FuzzWorld): FuzzCase {
  const { endpoint, validArgs } = rng.pick(world.targets.filter(({ endpoint: { isSigned, isWrite } }) => isSigned && !isWrite));
  const names = Object.keys(endpoint.params);
  if (endpoint.method === 'POST') {
    const unusual = Object.fromEntries(
      rng.upTo(4, () => [rng.pick([...names, 'recvWindow', 'x']), rng.pick<unknown>([...UNUSUAL_TEXTS, {}, [], null, 1e20, -1])]),
    );
    return {
      kind: 'unusualRead',
      bytes: signedPost(world, endpoint.path, Buffer.from(JSON.stringify({ ...validArgs, ...unusual }))),
      code: null,
    };
  }
  const target = `${endpoint.path}?${unusualPairs(rng, names).join('&')}`;
  const headers = [...usualHeaders(), ...credentials(world, 'GET', target, Buffer.alloc(0))];
  return { kind: 'unusualRead', bytes: requestBytes({ method: 'GET', target, headers }), code: null };
}

/** Returns the endpoints that place, cancel or change something. */
const writesOf = ({ targets }: FuzzWorld): readonly Target[] => targets.filter(({ endpoint: { isWrite } }) => isWrite);
