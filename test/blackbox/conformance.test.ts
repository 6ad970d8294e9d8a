// Tests a running exchange from outside against the specification: every endpoint, parameter, code and limit, over plain HTTP.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkAmounts, checkBothForms, checkClientIds, checkIntervals, checkList, checkStates, fillLists, LISTS } from './behaviour.ts';
import { ALL_CAUSES, checkCause, checkEnded, type Worlds } from './causes.ts';
import { checkCredentials, checkPublicCall, checkErrorOrder, checkSender, checkWindow } from './credentials.ts';
import { Coverage } from './coverage.ts';
import type { Endpoint } from './endpoint.ts';
import { checkBan, checkRate, checkRateKey, OWN_LIMITS } from './limits.ts';
import { checkParameter, checkSurplus } from './parameters.ts';
import { ENDPOINTS, NO_LIMITS } from './table.ts';
import { World } from './world.ts';

/** Returns the names of the endpoints for which `holds` is true. */
const opsWhere = (holds: (endpoint: Endpoint) => boolean): readonly string[] => ENDPOINTS.filter(holds).map(({ op }) => op);

const coverage = new Coverage(
  opsWhere(() => true),
  {
    signed: opsWhere(({ isSigned }) => isSigned),
    bodies: opsWhere(({ method }) => method === 'POST'),
    orders: ['spot.newOrder', 'spot.testNewOrder', 'spot.batchOrders', 'futures.createOrder', 'futures.createConditionOrder'],
    cancels: ['spot.cancelOrder', 'futures.cancelOrder', 'futures.cancelTriggerOrder'],
  },
);
/** Rejects every doubtful request. It accepts repeated ones, because on a stopped clock equal requests have equal timestamps. */
const STRICT = {
  profile: 'strict',
  switches: { replayedRequest: 'accept', precisionCodes: 'byField', missingOrderCode: '-1112' },
  // The limit holds for each account on each market.
  maxOpenOrders: 20,
  maxTriggers: 20,
};
const LIMITED = { limits: OWN_LIMITS, switches: { missingOrderCode: '-2013' } };

/** Accepts all that the specification allows. */
let seed: World;
let strict: World;
let limited: World;
const worlds = (): Worlds => ({ seed, strict, limited });
const endpointOf = (op: string): Endpoint => ENDPOINTS.find((endpoint) => endpoint.op === op)!;

beforeAll(async () => {
  [seed, strict, limited] = await Promise.all([
    World.open({ limits: NO_LIMITS, maxOpenOrdersPerSymbol: 5000 }, coverage),
    World.open({ limits: NO_LIMITS, ...STRICT }, coverage),
    World.open(LIMITED, coverage),
  ]);
});
afterAll(async () => {
  for (const world of [seed, strict, limited]) await world?.close();
  console.log(coverage.table());
});

describe.each(ENDPOINTS)('$op', (endpoint) => {
  it('a valid call gets a reply of the documented shape', async () => {
    const reply = await seed.expectSuccess(endpoint, await endpoint.validArgs(seed), 'a valid call');
    expect(endpoint.shape(reply.json, 'body'), reply.text).toEqual([]);
  });

  it.each(Object.entries(endpoint.params))('every invalid value of the parameter %s gets its code', (name, invalid) =>
    checkParameter(seed, endpoint, name, invalid),
  );

  it('surplus parameters and malformed bodies get their codes', () => checkSurplus(seed, strict, endpoint));

  it('the rate limit of the endpoint is that of the specification', () =>
    checkRate(limited, endpoint, `127.0.1.${ENDPOINTS.indexOf(endpoint) + 1}`));

  it('wrong content types, methods and addresses, and planted faults, get their codes', () => checkSender(seed, endpoint));

  if (endpoint.isSigned) {
    it('missing and wrong credentials get their codes', () => checkCredentials(seed, endpoint));
    it('a call with several faults gets the code of the first check', () => checkErrorOrder(seed, endpoint));
    it('a timestamp is refused from the first millisecond outside the admission window', () => checkWindow(seed, endpoint));
  } else it('a public call needs no credentials, and succeeds with invalid ones', () => checkPublicCall(seed, endpoint));
});

describe('causes', () => {
  beforeAll(() => strict.placeUntilRefused('bob'));

  it.each(ALL_CAUSES)('$op gets $code for its cause: $description', (cause) => checkCause(worlds(), endpointOf(cause.op), cause));

  it('each of the three cancel calls reports that an order has ended', async () => {
    const fillingBuy = { side: 'BUY', volume: 1, price: 100 };
    await checkEnded(seed, endpointOf('spot.cancelOrder'), await seed.placeSpotOrder(fillingBuy));
    await checkEnded(seed, endpointOf('futures.cancelOrder'), await seed.placeFuturesOrder(fillingBuy));
    await checkEnded(seed, endpointOf('futures.cancelTriggerOrder'), await seed.placeFiredTrigger());
  });
});

describe('limits', () => {
  it('a client that continues beyond its limit is banned, the second time for twice as long', () => checkBan(limited, ENDPOINTS));
  it('the rate limit counts a public call for its key if it is signed, else for its address', () =>
    checkRateKey(limited, endpointOf('spot.ping')));
});

describe('orders', () => {
  it.each(Object.entries({ checkStates, checkClientIds, checkBothForms, checkAmounts, checkIntervals }))(
    'sequences of orders follow the specification: %s',
    (_, check) => check(seed, endpointOf),
  );
});

describe('lists', () => {
  beforeAll(() => fillLists(seed));

  it.each(LISTS)('the list of $op has the specified order and length', (list) => checkList(seed, endpointOf(list.op), list));
});

/** An operation of an OpenAPI document, as far as it names parameters. */
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: { readonly properties: object } } } };
}

describe('the table', () => {
  it('the table has the calls and parameters of the document that the exchange serves', async () => {
    const { json } = await seed.caller.get('/openapi.json', {}, { as: null });
    const { paths } = json as { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };
    const servedCalls = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId, parameters = [], requestBody }]) => {
        const bodyParams = Object.keys(requestBody?.content['application/json'].schema.properties ?? {});
        return [operationId, method.toUpperCase(), path, ...parameters.map(({ name }) => name), ...bodyParams].join(' ');
      }),
    );
    const tableCalls = ENDPOINTS.map(({ op, method, path, params }) => [op, method, path, ...Object.keys(params)].join(' '));
    expect(servedCalls.toSorted()).toEqual(tableCalls.toSorted());
  });
  it('every code of every endpoint was seen, or is listed as unreachable with a reason', () => {
    expect(coverage.problems).toEqual({ missing: [], stale: [] });
  });
  it('at most five codes need a planted fault', () => expect(coverage.faultOnlyCodes.length).toBeLessThanOrEqual(5));
});
