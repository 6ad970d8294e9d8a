// Tests that a reply is not searched again if it equals the last clean reply to the same request.

import { expect, it } from 'vitest';
import { CleanBodies } from './cleanBodies.ts';

const LONG = 'x'.repeat(300);
const bytesOf = (text: string): Uint8Array => Buffer.from(text);

/** Returns bodies that count how often a body was searched. */
function countingBodies() {
  const bodies = new CleanBodies();
  const count = { searched: 0 };
  const mask = (body: Uint8Array): Uint8Array => {
    count.searched++;
    const text = Buffer.from(body).toString();
    return text.includes('secret') ? Buffer.from(text.replace('secret', '******')) : body;
  };
  const read = (request: string, body: Uint8Array): string => Buffer.from(bodies.bodyOf(request, body, () => mask(body))).toString();
  return { count, read };
}

it('a clean body is searched once for each request while its bytes stay the same', () => {
  const { count, read } = countingBodies();
  for (let round = 0; round < 3; round++) expect(read('GET a', bytesOf(LONG))).toBe(LONG);
  expect(count.searched).toBe(1);
  read('GET b', bytesOf(LONG));
  expect(read('GET a', bytesOf(`${LONG}y`))).toBe(`${LONG}y`);
  expect(read('GET a', bytesOf(LONG))).toBe(LONG);
  expect(count.searched).toBe(4);
});

it('a body with a credential is masked each time, also after a clean one', () => {
  const { read } = countingBodies();
  read('GET a', bytesOf(LONG));
  for (let round = 0; round < 3; round++) expect(read('GET a', bytesOf(`${LONG}secret`))).toBe(`${LONG}******`);
});

it('a credential that is written into the buffer of a clean body is masked', () => {
  const { read } = countingBodies();
  const buffer = bytesOf(LONG);
  read('GET a', buffer);
  buffer.set(bytesOf('secret'));
  expect(read('GET a', buffer)).toContain('******');
});

it('short and very long bodies are searched each time, and only the newest 64 requests are kept', () => {
  const { count, read } = countingBodies();
  for (const text of ['[]', 'z'.repeat(300_000)]) for (let round = 0; round < 2; round++) read('GET a', bytesOf(text));
  expect(count.searched).toBe(4);
  for (let request = 0; request < 65; request++) read(`GET ${request}`, bytesOf(LONG));
  read('GET 64', bytesOf(LONG));
  read('GET 0', bytesOf(LONG));
  expect(count.searched).toBe(4 + 65 + 1);
});
