// The specification against a running exchange, from outside: every endpoint, parameter, code and limit, over plain HTTP.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkAmounts, checkBothForms, checkClientIds, checkIntervals, checkList, checkStates, fillLists, LISTS } from './behaviour.ts';
import { ALL_CAUSES, checkCause, checkEnded, type Worlds } from './causes.ts';
import { checkCredentials, checkOpen, checkOrder, checkSender, checkWindow } from './credentials.ts';
import { Coverage } from './coverage.ts';
import type { Endpoint } from './endpoint.ts';
import { checkBan, checkRate, checkWhom, OWN_LIMITS } from './limits.ts';
import { checkParameter, checkSurplus } from './parameters.ts';
import { ENDPOINTS, NO_LIMITS } from './table.ts';
import { World } from './world.ts';

const opsWhere = (holds: (of: Endpoint) => boolean): readonly string[] => ENDPOINTS.filter(holds).map(({ op }) => op);

const coverage = new Coverage(
  opsWhere(() => true),
  {
    signed: opsWhere(({ isSigned }) => isSigned),
    bodies: opsWhere(({ method }) => method === 'POST'),
    orders: ['spot.newOrder', 'spot.testNewOrder', 'spot.batchOrders', 'futures.createOrder', 'futures.createConditionOrder'],
    cancels: ['spot.cancelOrder', 'futures.cancelOrder', 'futures.cancelTriggerOrder'],
  },
);
/** Rejects every doubtful request, but accepts repeated ones, because its stopped clock gives equal requests equal timestamps. */
const STRICT = {
  profile: 'strict',
  switches: { replayedRequest: 'accept', precisionCodes: 'byField', missingOrderCode: '-1112' },
  // The limit holds for each account on each market.
  maxOpenOrders: 20,
  maxTriggers: 20,
};
const LIMITED = { limits: OWN_LIMITS, switches: { missingOrderCode: '-2013' } };

let seed: World;
let strict: World;
let limited: World;
const worlds = (): Worlds => ({ seed, strict, limited });
const endpointOf = (op: string): Endpoint => ENDPOINTS.find((each) => each.op === op)!;

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
  it('answers what is documented', async () => {
    const reply = await seed.succeeds(endpoint, await endpoint.good(seed), 'right');
    expect(endpoint.shape(reply.json, 'body'), reply.text).toEqual([]);
  });

  it.each(Object.entries(endpoint.params))('%s, wrong in every way', (name, wrong) => checkParameter(seed, endpoint, name, wrong));

  it('surplus parameters and bytes', () => checkSurplus(seed, strict, endpoint));

  it('its limit', () => checkRate(limited, endpoint, `127.0.1.${ENDPOINTS.indexOf(endpoint) + 1}`));

  it('the sender', () => checkSender(seed, endpoint));

  if (endpoint.isSigned) {
    it('credentials', () => checkCredentials(seed, endpoint));
    it('the order of checks', () => checkOrder(seed, endpoint));
    it('the window', () => checkWindow(seed, endpoint));
  } else it('needs no credentials', () => checkOpen(seed, endpoint));
});

describe('causes', () => {
  beforeAll(() => strict.fillUp('bob'));

  it.each(ALL_CAUSES)('$op $code: $what', (cause) => checkCause(worlds(), endpointOf(cause.op), cause));

  it('the end of an order, at the three calls that cancel one', async () => {
    const price = { side: 'BUY', volume: 1, price: 100 };
    await checkEnded(seed, endpointOf('spot.cancelOrder'), await seed.spotOrder(price));
    await checkEnded(seed, endpointOf('futures.cancelOrder'), await seed.futuresOrder(price));
    await checkEnded(seed, endpointOf('futures.cancelTriggerOrder'), await seed.firedTrigger());
  });
});

describe('limits', () => {
  it('ban a client that continues', () => checkBan(limited, ENDPOINTS));
  it('limits count public calls on address or key', () => checkWhom(limited, endpointOf('spot.ping')));
});

describe('orders', () => {
  it.each(Object.entries({ checkStates, checkClientIds, checkBothForms, checkAmounts, checkIntervals }))('orders: %s', (_, check) =>
    check(seed, endpointOf),
  );
});

describe('lists', () => {
  beforeAll(() => fillLists(seed));

  it.each(LISTS)('$op', (list) => checkList(seed, endpointOf(list.op), list));
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
    const served = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId, parameters = [], requestBody }]) => {
        const inBody = Object.keys(requestBody?.content['application/json'].schema.properties ?? {});
        return [operationId, method.toUpperCase(), path, ...parameters.map(({ name }) => name), ...inBody].join(' ');
      }),
    );
    const written = ENDPOINTS.map(({ op, method, path, params }) => [op, method, path, ...Object.keys(params)].join(' '));
    expect(served.toSorted()).toEqual(written.toSorted());
  });
  it('the table has every cell seen, or listed with a reason', () => {
    expect(coverage.faults).toEqual({ missing: [], stale: [] });
  });
  it('the table needs faults for five codes at most', () => expect(coverage.byFault.length).toBeLessThanOrEqual(5));
});
