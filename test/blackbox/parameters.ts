// Sends one parameter of one endpoint in every way that it can be wrong, and checks the code of each reply.

import type { Given } from './caller.ts';
import type { Endpoint, Wrong } from './endpoint.ts';
import type { World } from './world.ts';

const without = (args: Given, name: string): Given => Object.fromEntries(Object.entries(args).filter(([otherName]) => otherName !== name));

export async function checkParameter(world: World, endpoint: Endpoint, name: string, wrong: Wrong): Promise<void> {
  const validArgs = await endpoint.good(world);
  // A valid call needs a new order, because the call before may have ended the old one.
  const argsWith = async (value: unknown): Promise<Given> => ({
    ...(wrong.missing === 0 ? await endpoint.good(world) : validArgs),
    [name]: value,
  });
  await world.answers(endpoint, without(validArgs, name), wrong.missing, `without ${name}`);
  await world.answers(endpoint, await argsWith(''), wrong.empty, `${name} empty`);
  for (const way of ['type', 'range', 'precise'] as const) {
    for (const [value, code] of wrong[way])
      await world.answers(endpoint, await argsWith(value), code, `${way} of ${name} ${JSON.stringify(value)}`);
  }
  if (endpoint.method === 'POST') {
    await world.answers(endpoint, await argsWith(null), wrong.missing, `${name} null`);
    await inTheQuery(world, endpoint, name, wrong, validArgs);
  }
  await twice(world, endpoint, name);
}

/** A parameter in the wrong place counts as not sent. */
async function inTheQuery(world: World, endpoint: Endpoint, name: string, wrong: Wrong, validArgs: Given): Promise<void> {
  const withQueryParameter = { ...endpoint, path: `${endpoint.path}?${name}=${encodeURIComponent(JSON.stringify(validArgs[name]) ?? '')}` };
  await world.answers(
    withQueryParameter,
    without(wrong.missing === 0 ? await endpoint.good(world) : validArgs, name),
    wrong.missing,
    `${name} in the query`,
  );
}

async function twice(world: World, endpoint: Endpoint, name: string): Promise<void> {
  const what = `${name} twice`;
  if (endpoint.method === 'GET') {
    const query = `${name}=1&${name}=1`;
    const sending = endpoint.isSigned ? {} : { as: null };
    world.isError(endpoint, await world.caller.send('GET', `${endpoint.path}?${query}`, '', sending), -1100, what);
    return;
  }
  const member = `${JSON.stringify(name)}:1`;
  world.isError(endpoint, await world.caller.send('POST', endpoint.path, `{${member},${member}}`), -1100, what);
}

/** What no endpoint has: surplus parameters, too many, windows out of range, bytes that are not parameters. */
export async function checkSurplus(seed: World, strict: World, endpoint: Endpoint): Promise<void> {
  await seed.answers(endpoint, { ...(await endpoint.good(seed)), surplus: 1 }, 0, 'a surplus parameter');
  await strict.answers(endpoint, { ...(await endpoint.good(strict)), surplus: 1 }, -1103, 'a surplus parameter, strictly');
  const many = Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`p${index}`, 1]));
  await seed.answers(endpoint, many, -1101, '33 parameters');
  for (const recvWindow of [0, -1, 1.5, 'x', '']) {
    await seed.answers(endpoint, { ...(await endpoint.good(seed)), recvWindow }, -1102, `recvWindow ${recvWindow}`);
  }
  if (endpoint.method === 'GET') {
    const sending = endpoint.isSigned ? {} : { as: null };
    for (const query of ['a=1&a=2', 'a=%E0%A4%A', '%=1']) {
      seed.isError(endpoint, await seed.caller.send('GET', `${endpoint.path}?${query}`, '', sending), -1100, query);
    }
    return;
  }
  await seed.answers(endpoint, { ...(await endpoint.good(seed)), recvWindow: {} }, -1102, 'a nested recvWindow');
  for (const [body, code] of BODIES) seed.isError(endpoint, await seed.caller.send('POST', endpoint.path, body), code, body);
}

const BODIES: readonly (readonly [string, number])[] = [
  ['no JSON', -1102],
  ['[1]', -1102],
  ['"text"', -1102],
  ['{"a":01}', -1102],
  ['{"a":1', -1102],
  ['{"a":1} x', -1104],
  ['{"a":1}{"a":1}', -1104],
  [`{"a":${'['.repeat(40)}${']'.repeat(40)}}`, -1104],
  ['{"a":1,"a":1}', -1100],
];
