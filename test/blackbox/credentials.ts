// Checks part 5 of the specification for one endpoint: headers, keys, addresses, the time window and the signature.

import { expect } from 'vitest';
import { type CallArgs, keyOf, type SendOptions } from './caller.ts';
import { BY_FAULT } from './codes.ts';
import type { Endpoint } from './endpoint.ts';
import { DENIED, HOME, type World } from './world.ts';

/** Checks the content type, the method and the address of any endpoint, and the codes that only a planted fault causes. */
export async function checkSender(world: World, endpoint: Endpoint): Promise<void> {
  const { path, isSigned } = endpoint;
  const withType = (value: string | undefined): SendOptions => ({ headers: { 'Content-Type': value } });
  for (const value of [undefined, 'text/plain', 'application/jsonx', 'application/x-www-form-urlencoded']) {
    await world.expectFailure(endpoint, {}, { code: -1017, description: `Content-Type ${value}`, sendOptions: withType(value) });
  }
  for (const value of ['application/json; charset=utf-8', 'application/json ;charset=UTF-8', 'APPLICATION/JSON']) {
    await world.expectSuccess(endpoint, await endpoint.validArgs(world), `Content-Type ${value}`, withType(value));
  }
  for (const method of ['DELETE', 'PUT', 'PATCH']) {
    world.expectError(endpoint, await world.caller.send(method, path, '', isSigned ? {} : { as: null }), {
      code: -1020,
      description: method,
    });
  }
  await world.expectFailure(endpoint, await endpoint.validArgs(world), {
    code: -2200,
    description: 'a denied address',
    sendOptions: { from: DENIED },
  });
  for (const code of BY_FAULT) await world.expectPlantedCode(endpoint, await endpoint.validArgs(world), code);
}

/** Checks that a public call needs no credentials, and succeeds with invalid ones. */
export async function checkPublicCall(world: World, endpoint: Endpoint): Promise<void> {
  const validArgs = await endpoint.validArgs(world);
  await world.expectSuccess(endpoint, validArgs, 'a right key', { as: 'alice' });
  await world.expectSuccess(endpoint, validArgs, 'an unknown key', { as: 'nobody' });
  await world.expectSuccess(endpoint, validArgs, 'a wrong signature', { as: 'alice', secret: 'wrong' });
  await world.expectSuccess(endpoint, validArgs, 'an old timestamp', { as: 'alice', timestamp: 1 });
}

/** Checks each header of a signed call in turn. */
export async function checkCredentials(world: World, endpoint: Endpoint): Promise<void> {
  const withHeader = (name: string, value?: string): SendOptions => ({ headers: { [name]: value } });
  const validArgs = await endpoint.validArgs(world);
  const fails = (code: number, description: string, sendOptions: SendOptions) =>
    world.expectFailure(endpoint, validArgs, { code, description, sendOptions });
  for (const value of [undefined, '']) {
    await fails(-1002, 'no key', withHeader('X-CH-APIKEY', value));
    await fails(-1023, 'no timestamp', withHeader('X-CH-TS', value));
    await fails(-1024, 'no signature', withHeader('X-CH-SIGN', value));
  }
  await fails(-2015, 'an unknown key', { as: 'nobody' });
  await fails(-2015, 'a key in capitals', withHeader('X-CH-APIKEY', 'ALICE-KEY'));
  await fails(-2015, 'a key without the permission', { as: endpoint.isWrite ? 'reader' : 'trader' });
  await fails(-2015, 'a key of the other market', { as: endpoint.path.startsWith('/sapi/') ? 'spotless' : 'coinless' });
  await fails(-2015, 'a key from an address for which it is not valid', { as: 'home' });
  await fails(-1004, 'a closed account', { as: 'closed' });
  await fails(-1022, 'a wrong secret', { secret: 'wrong' });
  await fails(-1022, 'a secret in capitals', { secret: 'ALICE-SECRET' });
  await fails(-1022, 'another method', { signedText: `${world.exchange.nowMs}PUT${endpoint.path}` });
  await fails(-1022, 'a path without its beginning', { signedText: `${world.exchange.nowMs}${endpoint.method}/order` });
  await fails(-1022, 'half of a signature', { changeSignature: (signature) => signature.slice(0, 32) });
  const passes = async (description: string, sendOptions: SendOptions) =>
    world.expectSuccess(endpoint, await endpoint.validArgs(world), description, sendOptions);
  await passes('a signature in capitals', { changeSignature: (signature) => signature.toUpperCase() });
  // The account has no orders to which the call could refer, so every reply is right that does not reject the key.
  const reply = await world.call(endpoint, validArgs, { as: 'home', from: HOME });
  expect(reply.code, `${endpoint.op}, a key from its address: ${reply.text}`).not.toBe(-2015);
}

/** Checks that a request with several errors gets the code of the first check. Each step fixes the error of the previous step. */
export async function checkErrorOrder(world: World, endpoint: Endpoint): Promise<void> {
  const { method, path, isWrite } = endpoint;
  // A repeated parameter is the error of the last step.
  const [target, body] = method === 'GET' ? [`${path}?a=1&a=1`, ''] : [path, '{"a":1,"a":1}'];
  const noHeaders = { 'Content-Type': undefined, 'X-CH-APIKEY': undefined, 'X-CH-TS': undefined, 'X-CH-SIGN': undefined };
  const jsonHeader = { ...noHeaders, 'Content-Type': 'application/json' };
  const signedBy = (account: string, timestamp: number) => ({
    ...jsonHeader,
    'X-CH-APIKEY': keyOf(account),
    'X-CH-TS': String(timestamp),
    'X-CH-SIGN': 'x',
  });
  const { nowMs } = world.exchange;
  const withoutPermission = isWrite ? 'reader' : 'trader';
  const steps: readonly (readonly [code: number, sendOptions: SendOptions])[] = [
    [-1017, { headers: noHeaders, from: DENIED }],
    [-1002, { headers: jsonHeader, from: DENIED }],
    [-1023, { headers: { ...jsonHeader, 'X-CH-APIKEY': 'nobody' }, from: DENIED }],
    [-1024, { headers: { ...jsonHeader, 'X-CH-APIKEY': 'nobody', 'X-CH-TS': '1' }, from: DENIED }],
    [-2015, { headers: signedBy('nobody', 1), from: DENIED }],
    [-1004, { headers: signedBy('closed', 1), from: DENIED }],
    [-2200, { headers: signedBy('home', 1), from: DENIED }],
    [-2015, { headers: signedBy('home', 1) }],
    [-1021, { headers: signedBy(withoutPermission, 1) }],
    [-1022, { headers: signedBy(withoutPermission, nowMs) }],
    [-2015, { as: withoutPermission }],
    [-1100, { as: 'alice' }],
  ];
  for (const [code, sendOptions] of steps) {
    world.expectError(endpoint, await world.caller.send(method, target, body, sendOptions), {
      code,
      description: 'the first of several errors',
    });
  }
}

/** The timestamp minus the exchange's time in ms, and whether a request with it is in time. */
const WINDOW_EDGES: readonly { readonly offsetMs: number; readonly isInTime: boolean }[] = [
  { offsetMs: 999, isInTime: true },
  { offsetMs: 1000, isInTime: false },
  { offsetMs: 1001, isInTime: false },
  { offsetMs: -4999, isInTime: true },
  { offsetMs: -5000, isInTime: true },
  { offsetMs: -5001, isInTime: false },
];

/** Checks the bounds of the time window, with and without a parameter that shortens it. */
export async function checkWindow(world: World, endpoint: Endpoint): Promise<void> {
  const checkOffset = async (offsetMs: number, isInTime: boolean, args: CallArgs, description: string): Promise<void> => {
    const sendOptions = { timestamp: world.exchange.nowMs + offsetMs };
    // The arguments are incomplete, so that a request in time fails at a later check and places nothing.
    if (!isInTime) await world.expectFailure(endpoint, args, { code: -1021, description, sendOptions });
    else expect((await world.call(endpoint, args, sendOptions)).code, `${endpoint.op}, ${description}`).not.toBe(-1021);
  };
  for (const { offsetMs, isInTime } of WINDOW_EDGES) await checkOffset(offsetMs, isInTime, {}, `${offsetMs} ms`);
  for (const name of ['recvWindow', 'recvwindow', 'recWindow']) {
    for (const [offsetMs, isInTime] of [
      [-299, true],
      [-300, true],
      [-301, false],
      [999, true],
      [1000, false],
    ] as const) {
      await checkOffset(offsetMs, isInTime, { [name]: 300 }, `${offsetMs} ms, ${name} 300`);
    }
  }
  for (const timestamp of ['x', '1.5', '-1', '1e12', ' ']) {
    // A header that has only spaces counts as missing.
    const code = timestamp === ' ' ? -1023 : -1021;
    await world.expectFailure(endpoint, {}, { code, description: `the timestamp "${timestamp}"`, sendOptions: { timestamp } });
  }
}
