// Sends every invalid value of one parameter of an endpoint, and checks the code of each reply.

import type { CallArgs } from './caller.ts';
import type { Endpoint, InvalidValues } from './endpoint.ts';
import type { World } from './world.ts';

/** Returns the arguments without one of them. */
const without = (args: CallArgs, name: string): CallArgs =>
  Object.fromEntries(Object.entries(args).filter(([otherName]) => otherName !== name));

/** Checks the codes of a parameter that is missing, empty, null, of a wrong type, out of range, too precise, misplaced or repeated. */
export async function checkParameter(world: World, endpoint: Endpoint, name: string, invalid: InvalidValues): Promise<void> {
  const validArgs = await endpoint.validArgs(world);
  // A valid call needs a new order, because the call before may have ended the old one.
  const argsWith = async (value: unknown): Promise<CallArgs> => ({
    ...(invalid.missing === 0 ? await endpoint.validArgs(world) : validArgs),
    [name]: value,
  });
  await world.expectCode(endpoint, without(validArgs, name), { code: invalid.missing, description: `without ${name}` });
  await world.expectCode(endpoint, await argsWith(''), { code: invalid.empty, description: `${name} empty` });
  for (const fault of ['type', 'range', 'precise'] as const) {
    for (const [value, code] of invalid[fault])
      await world.expectCode(endpoint, await argsWith(value), { code, description: `${fault} of ${name} ${JSON.stringify(value)}` });
  }
  if (endpoint.method === 'POST') {
    await world.expectCode(endpoint, await argsWith(null), { code: invalid.missing, description: `${name} null` });
    const argsWithout = without(invalid.missing === 0 ? await endpoint.validArgs(world) : validArgs, name);
    const queryValue = encodeURIComponent(JSON.stringify(validArgs[name]) ?? '');
    const withQuery = { ...endpoint, path: `${endpoint.path}?${name}=${queryValue}` };
    // A parameter in the query of a POST counts as not sent.
    await world.expectCode(withQuery, argsWithout, { code: invalid.missing, description: `${name} in the query` });
  }
  await checkRepeated(world, endpoint, name);
}

/** Checks that a parameter that occurs twice is refused. */
async function checkRepeated(world: World, endpoint: Endpoint, name: string): Promise<void> {
  const description = `${name} twice`;
  if (endpoint.method === 'GET') {
    const query = `${name}=1&${name}=1`;
    const sendOptions = endpoint.isSigned ? {} : { as: null };
    world.expectError(endpoint, await world.caller.send('GET', `${endpoint.path}?${query}`, '', sendOptions), { code: -1100, description });
    return;
  }
  const member = `${JSON.stringify(name)}:1`;
  world.expectError(endpoint, await world.caller.send('POST', endpoint.path, `{${member},${member}}`), { code: -1100, description });
}

/** Checks surplus parameters, too many parameters, invalid time windows and malformed bodies. */
export async function checkSurplus(seed: World, strict: World, endpoint: Endpoint): Promise<void> {
  await seed.expectCode(endpoint, { ...(await endpoint.validArgs(seed)), surplus: 1 }, { code: 0, description: 'a surplus parameter' });
  await strict.expectCode(
    endpoint,
    { ...(await endpoint.validArgs(strict)), surplus: 1 },
    { code: -1103, description: 'a surplus parameter, strictly' },
  );
  const tooMany = Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`p${index}`, 1]));
  await seed.expectCode(endpoint, tooMany, { code: -1101, description: '33 parameters' });
  for (const recvWindow of [0, -1, 1.5, 'x', '']) {
    await seed.expectCode(
      endpoint,
      { ...(await endpoint.validArgs(seed)), recvWindow },
      { code: -1102, description: `recvWindow ${recvWindow}` },
    );
  }
  if (endpoint.method === 'GET') {
    const sendOptions = endpoint.isSigned ? {} : { as: null };
    for (const query of ['a=1&a=2', 'a=%E0%A4%A', '%=1']) {
      seed.expectError(endpoint, await seed.caller.send('GET', `${endpoint.path}?${query}`, '', sendOptions), {
        code: -1100,
        description: query,
      });
    }
    return;
  }
  await seed.expectCode(
    endpoint,
    { ...(await endpoint.validArgs(seed)), recvWindow: {} },
    { code: -1102, description: 'a nested recvWindow' },
  );
  for (const { body, code } of MALFORMED_BODIES)
    seed.expectError(endpoint, await seed.caller.send('POST', endpoint.path, body), { code, description: body });
}

/** Bodies that are not a JSON object, each with its code. */
const MALFORMED_BODIES: readonly { readonly body: string; readonly code: number }[] = [
  { body: 'no JSON', code: -1102 },
  { body: '[1]', code: -1102 },
  { body: '"text"', code: -1102 },
  { body: '{"a":01}', code: -1102 },
  { body: '{"a":1', code: -1102 },
  { body: '{"a":1} x', code: -1104 },
  { body: '{"a":1}{"a":1}', code: -1104 },
  { body: `{"a":${'['.repeat(40)}${']'.repeat(40)}}`, code: -1104 },
  { body: '{"a":1,"a":1}', code: -1100 },
];
