// Makes docs/maintainers/coverage.md: the specification line by line, and where it is built and shown. `npm run docs:coverage` writes it, from what was built.

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where tests are, by what they show. */
const T = {
  requests: 'test/protocol/requests.test.ts',
  answers: 'test/protocol/answers.test.ts',
  roundTrip: 'test/protocol/roundTrip.test.ts',
  signatures: 'test/protocol/signatures.test.ts',
  outcomes: 'test/protocol/outcomes.test.ts',
  statuses: 'src/protocol/shapes/codes.test.ts',
  document: 'test/openapi/openApi.test.ts',
  restRequests: 'test/rest/requests.test.ts',
  restClient: 'test/rest/client.test.ts',
  restCodes: 'test/rest/codes.test.ts',
  wire: 'test/rest/wire.test.ts',
  wireNotSent: 'test/rest/wireNotSent.test.ts',
  marketData: 'test/rest/marketData.test.ts',
  serverClock: 'src/adapters/exchange/time/serverClock.test.ts',
  limiter: 'src/adapters/exchange/limits/limiter.test.ts',
  refusals: 'src/adapters/exchange/bans/refusals.test.ts',
  spot: 'test/service/spotEndpoints.test.ts',
  futures: 'test/service/futuresEndpoints.test.ts',
  futuresOrders: 'test/service/futuresOrders.test.ts',
  parameters: 'test/service/parameters.test.ts',
  futuresParameters: 'test/service/futuresParameters.test.ts',
  authentication: 'test/service/authentication.test.ts',
  codes: 'test/service/codes.test.ts',
  limits: 'test/service/limits.test.ts',
  asynchrony: 'test/service/asynchrony.test.ts',
  market: 'test/service/market.test.ts',
  httpServer: 'test/service/httpServer.test.ts',
  switches: 'test/service/switches.test.ts',
  bothEnds: 'test/service/restClient.test.ts',
  conformance: 'test/blackbox/conformance.test.ts',
  switchPairs: 'test/campaigns/switchPairs.test.ts',
  socket: 'test/service/socket.test.ts',
  heartbeat: 'src/paperExchange/dialect/heartbeat.test.ts',
  frames: 'src/protocol/socket/frames.test.ts',
};
/** Every file that the page names. */
export const NAMED_FILES = Object.values(T);

const shown = (...names) => names.map((name) => `[${T[name].split('/').at(-1).replace('.test.ts', '')}](../../${T[name]})`).join(', ');
const table = (heads, rows) => [`| ${heads.join(' | ')} |`, `|${'---|'.repeat(heads.length)}`, ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n');
const LINES = ['what is said', 'client', 'exchange', 'shown by'];

const GENERAL = [
  ['HTTPS, JSON bodies', 'https with checked certificates; http to this computer alone', 'http: something with a certificate goes before it', shown('wire', 'wireNotSent', 'httpServer')],
  ['public data, signed orders, signed accounts', 'all 38 endpoints, [part 4](#part-4-endpoints)', 'the same', shown('requests', 'spot', 'futures')],
  ['an answer is an object or a list', 'anything else is an unknown outcome', 'yes', shown('answers', 'outcomes', 'roundTrip')],
  ['lists are newest first', 'kept; bars are sorted, for services differ', 'every list', shown('answers', 'spot', 'futures')],
  ['times in ms', 'read and sent; `idx` in seconds is recognised', 'yes; `klineIdx` gives seconds', shown('answers', 'market')],
  ['Content-Type on every request', 'yes; `contentTypeOnGet` of the dialect', '-1017 without; `contentType`', shown('requests', 'authentication')],
  ['GET: query, POST: JSON body, in any order', 'yes', 'a parameter in the other place counts as not sent', shown('requests', 'parameters', 'futuresParameters')],
  ['names of symbols and contracts', 'upper case; `symbolCase` of the dialect', 'any case on create; elsewhere `symbolCase`', shown('requests', 'parameters')],
];

const RESOURCES = [
  ['spot instrument', '', shown('answers', 'spot')],
  ['depth, both markets', '`time` of futures may be null: `depthTime`', shown('answers', 'spot', 'futures')],
  ['ticker, both markets', 'of spot, `time` is when the 24 hours begin: `tickerTime`', shown('market', 'futures')],
  ['recent trade', 'record not shown: id, symbol, side of the taker, price, quantity, time, as services have it; `tradeFields`', shown('answers', 'spot')],
  ['kline, both markets', '', shown('market', 'marketData')],
  ['spot order, in its five answers', 'id as number and text; no client id is `0`; a client id given twice reaches the latest order', shown('answers', 'spot')],
  ['spot own trade, spot account', '', shown('answers', 'spot')],
  ['contract', '`status` 1 is tradable, others are not', shown('answers', 'futures')],
  ['index', '', shown('answers', 'futures')],
  ['futures order', 'records in `fills` not shown: never read, served empty', shown('answers', 'futures', 'futuresOrders')],
  ['order history', 'integers of status, type and source not shown: those of [the wire](../protocol.md)', shown('answers', 'futures', 'statuses')],
  ['profit history', 'record not shown: one for each reduction of a position, as services have it', shown('answers', 'futures')],
  ['futures open orders', 'record not shown: the futures order without fills; `futuresOpenOrders`', shown('answers', 'futures')],
  ['futures own trade, position, account', 'meanings of amounts not shown: those of services', shown('answers', 'futures')],
  ['trigger order', 'integers of its status not shown: 0 pending, 1 expired, 2 triggered, 3 failed, 4 cancelled', shown('answers', 'futures')],
  ['envelope', 'success is code 0, whatever the text; `okMsg`', shown('answers', 'futures')],
];

const STATES = [
  ['spot: NEW, PARTIALLY_FILLED, FILLED, CANCELED, REJECTED', 'every spelling and integer; what no table has is UNKNOWN, neither open nor ended', 'all but REJECTED, which is an error on create', shown('statuses', 'spot')],
  ['a create answers the integer 0', 'read as taken', 'yes; `createStatus`', shown('answers', 'spot')],
  ['a cancel answers PENDING_CANCEL and ends later', 'the order ends when a query says so; it may still fill', 'yes, after `cancelMs`', shown('asynchrony')],
  ['futures: INIT, then PENDING_CANCEL; a cancel answers the id alone', 'yes', 'yes', shown('futures', 'asynchrony')],
  ['other transitions: not shown', 'taken from fills and queries, never from an expectation', 'by matching: partly, filled, cancelled', shown('asynchrony', 'futuresOrders')],
  ['-1145 where the state forbids a cancel; -1112 or -2013 without the order', 'no proof of either: the order is asked about', '-1145; spot -2013, futures -1112, `missingOrderCode`', shown('codes', 'outcomes')],
];

const AUTHENTICATION = [
  ['TRADE and USER_DATA: key and signature', 'yes', 'yes; permissions of the key: read, trade, per market', shown('signatures', 'authentication')],
  ['NONE: open', 'no key is sent', 'right credentials still count on the key', shown('requests', 'limits')],
  ['USER_STREAM and MARKET_DATA: key alone', 'in the table; no endpoint has them', 'no endpoint has them', ''],
  ['X-CH-APIKEY, X-CH-TS, X-CH-SIGN', 'yes', 'each missing one has its code', shown('signatures', 'authentication')],
  ['HMAC SHA256, hexadecimal, in any case', 'against openssl', 'compared in constant time', shown('signatures', 'authentication')],
  ['timestamp, method, path, body of a POST', 'the bytes that are sent', 'over the bytes that came', shown('signatures', 'bothEnds')],
  ['the query in the path: not shown', '`signQuery` of the dialect; `isobar doctor` finds it out', '`signQuery`: either, by default', shown('signatures', 'switches')],
  ['recvWindow, 5000 by default', 'not sent; `recvWindow` of the dialect', 'in query and body, in three spellings', shown('requests', 'authentication')],
  ['ahead by less than 1000 ms, behind by at most recvWindow', 'the clock of the service is measured; -1021 once more', 'at -1, 0 and +1 ms of both edges', shown('serverClock', 'authentication')],
  ['-1002, -1023, -1024, -1022, -2015, -1017', 'refused; [what to do](../protocol.md)', 'in the order of [the checks](../paper-exchange.md#requests)', shown('restCodes', 'authentication')],
  ['how keys are made: not shown', 'from environment or files', 'from files that its config names', shown('authentication')],
];

const EVENTS = [
  ['a client that does not answer the heartbeat is closed', 'answers pings as control frames, as text, and as text that was compressed', '`/ws`: a ping every 10 s, closed (1008) after 30 s without a pong; `heartbeatForm`', shown('socket', 'heartbeat', 'frames')],
  ['closed on a network fault; clients reconnect', 'after 1 s doubling to 60 s, with jitter; `isobar live` keeps it where `socketUrl` names it, `isobar doctor` checks it', 'yes', shown('socket')],
  ['address, channels, subscriptions, payloads: not shown', '**not built**', '**not built**: what a client sends beside pongs is ignored', shown('socket')],
  ['interval and form of the heartbeat: not shown', 'any; given up after 120 s of silence', '10 s; a control frame, or `{"ping":<ms>}`', shown('socket', 'heartbeat')],
  ['REST calls emit no events', 'polls', 'none', ''],
];

const STATUSES = [
  ['4XX', 'the body decides, then the status', 'of each code; `errorHttp`', shown('outcomes', 'codes')],
  ['429', 'waits, on its own count; a create is never sent again', '-1003', shown('refusals', 'limits')],
  ['418', 'all calls stop for 5 minutes, then twice as long; kept over restarts', 'after 20 answers 429 in a minute; `banAfter`, `banMs`', shown('refusals', 'limits')],
  ['5XX', 'unknown outcome', '-1000, -1001, -1006, -1016', shown('outcomes', 'httpServer')],
  ['504: may have succeeded', 'unknown outcome, never a failure', '-1007, or without a body, by a fault', shown('outcomes', 'httpServer')],
  ['payloads of spot and futures', 'both, and two more that services have', 'both; `errorBody`', shown('outcomes', 'codes', 'document')],
];

const RULES = [
  ['private data by key, public by address', 'yes', 'yes', shown('limiter', 'limits')],
  ['public calls with credentials by key', 'sends none', 'yes', shown('limits')],
  ['429, then 418', 'above', 'above', shown('refusals', 'limits')],
  ['limits of futures, of public spot calls, of the test order and batch orders: not shown', 'careful ones, by the table below', 'by the table below where services have them, else none; `limits` of its config', shown('limiter', 'limits')],
  ['length of a ban: not shown', '5 minutes, doubling', '5 minutes, doubling: `banMs`', shown('refusals', 'limits')],
  ['at most 10 orders in a batch', 'refused before it is sent', '-1101', shown('requests', 'parameters')],
  ['largest and default `limit` of lists', 'refused before it is sent', 'the largest is given, `limitTooLarge`', shown('requests', 'parameters', 'futuresParameters')],
];

const VERSIONS = [
  ['prefixes of paths', '`pathPrefix` of the dialect goes before them', 'as they stand', shown('requests')],
  ['choice of a version, deprecation: not shown', '`futuresVersionHeader` of the dialect', '`marketOpenUnit: v101` reads it', shown('requests', 'switches')],
];

/** Codes that no request brings about: the control port does. */
const BY_FAULT = new Set([-1000, -1001, -1006, -1007, -1016]);

/** The page as text. */
export function coveragePage({ OPS, endpointOf, ERROR_CODES, SWITCHES, served }) {
  const endpoints = OPS.map((op) => {
    const { market, method, path, params } = endpointOf(op);
    const count = Object.values(params).filter(({ kind }) => kind !== 'time').length;
    const tests = market === 'spot' ? shown('spot', 'parameters') : shown('futures', 'futuresParameters');
    return [`${method} ${path}`, String(count), `\`${op}\``, served.has(op) ? 'yes' : '**no**: -1020', tests];
  });
  const codes = ERROR_CODES.map(({ code, name, sideEffect }) => [
    String(code),
    name ?? '',
    sideEffect === 'none' ? 'refused' : 'outcome unknown',
    BY_FAULT.has(code) ? 'by a fault of the control port' : 'by a request',
  ]);
  const limits = OPS.map((op) => [op, endpointOf(op).limit]).map(([op, { count, windowMs, scope, source }]) => [
    `\`${op}\``,
    `${count} in ${windowMs / 1000} s`,
    scope === 'key' ? 'key' : 'address',
    { spec: 'the specification', dialect: 'seen on services', assumed: 'not published: kept to by the client, not enforced' }[source],
  ]);
  const switches = Object.entries(SWITCHES).map(([name, row], at) => {
    const values = 'defaultNumber' in row ? [`${row.defaultNumber} (any number)`] : row.values.map(String);
    return [String(at + 1), `\`${name}\``, values.join(', '), row.appliesAt, row.meaning];
  });
  return `# Coverage of the specification

Every part of the specification of the trading service, in its order: what the client (\`isobar api\` and all that rests on it) does about it, what
the paper exchange does, and the tests that show it. What the specification does not show is taken from services that speak this interface, behind a
[switch](#the-gaps-and-their-switches) of the exchange or an option of [the dialect](../protocol.md#options-of-the-dialect); where no service says enough
either, it is not built. Made by \`npm run docs:coverage\` from the tables of endpoints, codes and switches.

Beside the tests that the tables name, [conformance](../../${T.conformance}) holds the exchange against parts 1 to 5, 7 and 8 from outside: a process, plain
HTTP, tables of endpoints, parameters, codes and limits written by hand. Each endpoint is seen to answer each code that it can, and
[unreachable.yaml](../../test/blackbox/unreachable.yaml) says why it cannot answer the others.

## Not built, since it is not shown

- **Channels of the WebSocket**: address, subscriptions, events. There is the heartbeat, and nothing else ([part 6](#part-6-events)).
- Records inside \`fills\` of a futures order: never read, served as an empty list.
- Making keys and lists of addresses by API.
- Choosing a version, but for one header that services have.
${OPS.some((op) => !served.has(op)) ? `- Not served yet: ${OPS.filter((op) => !served.has(op)).map((op) => `\`${op}\``).join(', ')}.\n` : ''}
## Part 1: general

${table(LINES, GENERAL)}

## Part 2: resources

Each is read by the client in every form that services have, and written by the exchange in the specification's, or in another where a switch says so.
[roundTrip](../../${T.roundTrip}) has every field of every record in both directions, [openApi](../../${T.document}) has them against \`openapi.json\`.

${table(['resource', 'what is not shown, or not plain', 'shown by'], RESOURCES)}

## Part 3: states

${table(LINES, STATES)}

## Part 4: endpoints

Requests of the client: ${shown('requests', 'restRequests')}. Its reading of answers: ${shown('answers')}. Client and exchange together: ${shown('bothEnds', 'switchPairs')}.
${served.size} of ${OPS.length} are served.

${table(['call', 'parameters', 'client', 'exchange', 'shown by'], endpoints)}

Gaps that the specification names: the method of batch orders (\`batchOrdersMethod\`), the name of the list of batch cancel (\`batchCancelField\`), what
query and open orders require (\`requiredWithDefault\`), which fields of a trigger order go together (\`conditionRequired\`). Spot \`1h\` is an empty list
and \`4h\` is refused: \`intervals\`.

## Part 5: authentication

${table(LINES, AUTHENTICATION)}

## Part 6: events

${table(LINES, EVENTS)}

## Part 7: errors

${table(LINES, STATUSES)}

Each code is caused in [codes](../../${T.codes}) or, by a fault, in [httpServer](../../${T.httpServer}); what the client makes of each is in [codes](../../${T.restCodes}).

${table(['code', 'name', 'client: a create was', 'exchange'], codes)}

## Part 8: limits

${table(LINES, RULES)}

${table(['call', 'limit', 'counts on the', 'from'], limits)}

## Part 9: versions

${table(LINES, VERSIONS)}

## The gaps and their switches

The first value is the specification's reading. What each changes is shown in ${shown('switches', 'authentication', 'limits', 'futures', 'futuresOrders', 'socket')}.

${table(['', 'switch', 'values', 'where', 'what'], switches)}
`;
}

/** What the page is made of, from the modules that have it; `served`: the operations that the exchange answers. */
export function tablesOf({ OPS, endpointOf, ERROR_CODES, SWITCHES, Service, demoSettings }) {
  const service = new Service(demoSettings(1).service, 0);
  const isServed = (op) => {
    const { method, path } = endpointOf(op);
    return service.opOf({ method, target: path, headers: {}, body: new Uint8Array(0), ip: '' }) === op;
  };
  return { OPS, endpointOf, ERROR_CODES, SWITCHES, served: new Set(OPS.filter(isServed)) };
}

const MODULES = ['protocol/endpoints/endpoints', 'protocol/errors/errorCodes', 'paperExchange/dialect/switches', 'paperExchange/service', 'paperExchange/process/demo'];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const modules = await Promise.all(MODULES.map((path) => import(`../../dist/${path}.js`)));
  writeFileSync(new URL('../maintainers/coverage.md', import.meta.url), coveragePage(tablesOf(Object.assign({}, ...modules))));
  process.stdout.write('docs/maintainers/coverage.md is written\n');
}
