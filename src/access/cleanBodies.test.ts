// Tests that a reply is not searched for credentials again if it equals the last clean reply to the same request.

import { expect, it } from 'vitest';
import { CleanBodies } from './cleanBodies.ts';

/** A body that is long enough to be kept. */
const LONG = 'x'.repeat(300);
const bytesOf = (text: string): Uint8Array => Buffer.from(text);

/** Opens a cache of clean bodies. `bodyAfterMask` passes a body through it, and `count.searched` is the number of bodies that were searched. */
function openCountedCache() {
  const bodies = new CleanBodies();
  const count = { searched: 0 };
  const mask = (body: Uint8Array): Uint8Array => {
    count.searched++;
    const text = Buffer.from(body).toString();
    return text.includes('secret') ? Buffer.from(text.replace('secret', '******')) : body;
  };
  const bodyAfterMask = (request: string, body: Uint8Array): string =>
    Buffer.from(bodies.bodyOf(request, body, () => mask(body))).toString();
  return { bodyAfterMask, count };
}

it('a clean body is searched once for repeated equal replies to a request', () => {
  const { bodyAfterMask, count } = openCountedCache();
  for (let round = 0; round < 3; round++) expect(bodyAfterMask('GET a', bytesOf(LONG))).toBe(LONG);
  expect(count.searched).toBe(1);
});

it('a clean body is searched again for another request', () => {
  const { bodyAfterMask, count } = openCountedCache();
  bodyAfterMask('GET a', bytesOf(LONG));
  bodyAfterMask('GET b', bytesOf(LONG));
  expect(count.searched).toBe(2);
});

it('a clean body is searched again after each change of its bytes', () => {
  const { bodyAfterMask, count } = openCountedCache();
  bodyAfterMask('GET a', bytesOf(LONG));
  expect(bodyAfterMask('GET a', bytesOf(`${LONG}y`))).toBe(`${LONG}y`);
  expect(bodyAfterMask('GET a', bytesOf(LONG))).toBe(LONG);
  expect(count.searched).toBe(3);
});

it('a body with a credential is masked each time, also after a clean one', () => {
  const { bodyAfterMask } = openCountedCache();
  bodyAfterMask('GET a', bytesOf(LONG));
  for (let round = 0; round < 3; round++) expect(bodyAfterMask('GET a', bytesOf(`${LONG}secret`))).toBe(`${LONG}******`);
});

it('a credential that is written into the buffer of a clean body is masked', () => {
  const { bodyAfterMask } = openCountedCache();
  const buffer = bytesOf(LONG);
  bodyAfterMask('GET a', buffer);
  buffer.set(bytesOf('secret'));
  expect(bodyAfterMask('GET a', buffer)).toContain('******');
});

it('bodies of 2 and of 300,000 bytes are searched each time', () => {
  const { bodyAfterMask, count } = openCountedCache();
  for (const text of ['[]', 'z'.repeat(300_000)]) for (let round = 0; round < 2; round++) bodyAfterMask('GET a', bytesOf(text));
  expect(count.searched).toBe(4);
});

it('the clean bodies of the newest 64 requests are kept', () => {
  const { bodyAfterMask, count } = openCountedCache();
  for (let request = 0; request < 65; request++) bodyAfterMask(`GET ${request}`, bytesOf(LONG));
  bodyAfterMask('GET 64', bytesOf(LONG));
  bodyAfterMask('GET 0', bytesOf(LONG));
  // Each of the 65 first replies is searched, and then only the body that is no longer kept: that of GET 0.
  expect(count.searched).toBe(65 + 1);
});
