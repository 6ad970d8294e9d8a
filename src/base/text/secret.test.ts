// Tests that a secret never shows its text, in whatever way it is printed, copied or serialised.

import { format, inspect } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InvariantError } from '../errors.ts';
import { REDACTED, Secret } from './secret.ts';

const TEXT = 'canary-5f0cb0a7e1d94d';

test.each<[string, (secret: Secret) => string]>([
  ['String', (secret) => String(secret)],
  // Types forbid these three in typed code, so they can only happen with `unknown` values.
  ['a template', (secret: unknown) => `<${secret as string}>`],
  ['concatenation', (secret: unknown) => 'x' + (secret as string)],
  ['a spread', (secret: unknown) => JSON.stringify({ ...(secret as object) })],
  ['JSON', (secret) => JSON.stringify({ deep: [{ secret }] })],
  ['inspect', (secret) => inspect({ deep: { secret } }, { depth: null, showHidden: true, getters: true })],
  ['inspect without its own word', (secret) => inspect(secret, { customInspect: false, showHidden: true })],
  ['format', (secret) => format('%s %o %O %j %d', secret, secret, secret, secret, secret)],
  [
    'entries',
    (secret) => JSON.stringify([Object.entries(secret), Object.getOwnPropertyNames(secret), Reflect.ownKeys(secret).map(String)]),
  ],
  ['a structured clone', (secret) => inspect(structuredClone(secret), { depth: null, showHidden: true })],
  ['Object.assign', (secret) => inspect(Object.assign({}, secret))],
  ['the message of an error', (secret) => inspect(new Error(`no such key: ${String(secret)}`, { cause: secret }))],
  ['a thrown secret', (secret) => inspect(new AggregateError([secret]))],
  ['a table of the console', (secret) => format(inspect(new Map([[secret, secret]])))],
])('a secret in %s is redacted', (_, print) => {
  const text = print(new Secret(TEXT));
  expect(text).not.toContain(TEXT);
  expect(text.includes(REDACTED) || /NaN|value/.test(text)).toBe(true);
});

test('a secret can be taken once, and is empty afterwards', () => {
  const secret = new Secret(TEXT);
  expect(secret.take()).toBe(TEXT);
  expect(() => secret.take()).toThrow(InvariantError);
});

test('a secret inside an object of any shape is redacted', () => {
  const leaf = fc.constant(null).map(() => new Secret(TEXT));
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.string(),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(fc.string(), tie('tree')),
    ),
  }));
  fc.assert(
    fc.property(tree, (data) => {
      expect(JSON.stringify(data) + inspect(data, { depth: null, showHidden: true }) + inspect(structuredClone(data))).not.toContain(TEXT);
    }),
    { numRuns: 200 },
  );
});
