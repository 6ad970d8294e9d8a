// Tests that a secret never shows its text, in whatever way it is printed, copied or serialised.

import { format, inspect } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InvariantError } from '../errors.ts';
import { REDACTED, Secret } from './secret.ts';

const SECRET_TEXT = 'canary-5f0cb0a7e1d94d';

test.each<[string, (secret: Secret) => string]>([
  ['a conversion by String', (secret) => String(secret)],
  // Types forbid these three in typed code, so they can only happen with `unknown` values.
  ['a template', (secret: unknown) => `<${secret as string}>`],
  ['concatenation', (secret: unknown) => 'x' + (secret as string)],
  ['a spread', (secret: unknown) => JSON.stringify({ ...(secret as object) })],
  ['JSON', (secret) => JSON.stringify({ deep: [{ secret }] })],
  ['inspect of an object', (secret) => inspect({ deep: { secret } }, { depth: null, showHidden: true, getters: true })],
  ['inspect that ignores the custom method', (secret) => inspect(secret, { customInspect: false, showHidden: true })],
  ['util.format', (secret) => format('%s %o %O %j %d', secret, secret, secret, secret, secret)],
  [
    'the lists of its keys and entries',
    (secret) => JSON.stringify([Object.entries(secret), Object.getOwnPropertyNames(secret), Reflect.ownKeys(secret).map(String)]),
  ],
  ['a structured clone', (secret) => inspect(structuredClone(secret), { depth: null, showHidden: true })],
  ['Object.assign', (secret) => inspect(Object.assign({}, secret))],
  ['the message of an error', (secret) => inspect(new Error(`no such key: ${String(secret)}`, { cause: secret }))],
  ['a thrown secret', (secret) => inspect(new AggregateError([secret]))],
  ['inspect of a map', (secret) => format(inspect(new Map([[secret, secret]])))],
])('the text of a secret is not in %s', (_, print) => {
  expect(print(new Secret(SECRET_TEXT))).not.toContain(SECRET_TEXT);
});

test.each<[string, (secret: Secret) => string]>([
  ['String', String],
  ['JSON', (secret) => JSON.stringify({ secret })],
  ['inspect', inspect],
])('%s shows a placeholder in place of a secret', (_, print) => {
  expect(print(new Secret(SECRET_TEXT))).toContain(REDACTED);
});

test('the text of a secret can be taken once, and a second call throws', () => {
  const secret = new Secret(SECRET_TEXT);
  expect(secret.take()).toBe(SECRET_TEXT);
  expect(() => secret.take()).toThrow(InvariantError);
});

test('the text of a secret is not in a printed object of any shape', () => {
  // A new secret for each leaf, so that one object may have several.
  const secretLeaf = fc.constant(null).map(() => new Secret(SECRET_TEXT));
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      secretLeaf,
      fc.string(),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(fc.string(), tie('tree')),
    ),
  }));
  fc.assert(
    fc.property(tree, (object) => {
      const printed = [JSON.stringify(object), inspect(object, { depth: null, showHidden: true }), inspect(structuredClone(object))];
      expect(printed.join('\n')).not.toContain(SECRET_TEXT);
    }),
    { numRuns: 200 },
  );
});
