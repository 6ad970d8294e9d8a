// Tests that a reply is not parsed again if it equals the last usable reply to the same request.

import { expect, it } from 'vitest';
import type { Outcome } from '../../../protocol/outcome.ts';
import { LastReplies } from './lastReplies.ts';

const LONG_BODY = 'x'.repeat(300);
const body = (text: string): Uint8Array => Buffer.from(text);

/** Returns a reader of replies, and the number of bodies that it has parsed. */
function countingReplies() {
  const replies = new LastReplies();
  const count = { decoded: 0 };
  const readReply = (
    request: string,
    text: string,
    { status = 200, kind = 'acked' }: { readonly status?: number; readonly kind?: 'acked' | 'unknown' } = {},
  ): Outcome<unknown> =>
    replies.outcomeOf(request, { status, body: body(text) }, () => {
      count.decoded++;
      return kind === 'acked' ? { kind, value: text } : { kind, cause: text, status, error: null };
    });
  return { readReply, count };
}

it('a reply is decoded once for each request while its bytes stay the same', () => {
  const { readReply, count } = countingReplies();
  const firstOutcome = readReply('trades A', LONG_BODY);
  expect(readReply('trades A', LONG_BODY)).toBe(firstOutcome);
  expect(count.decoded).toBe(1);
  expect(readReply('trades B', LONG_BODY)).not.toBe(firstOutcome);
  expect(readReply('trades A', `${LONG_BODY}y`)).toMatchObject({ value: `${LONG_BODY}y` });
  expect(readReply('trades A', LONG_BODY)).toMatchObject({ value: LONG_BODY });
  expect(count.decoded).toBe(4);
});

it('a decoded reply does not depend on later changes of its buffer', () => {
  const replies = new LastReplies();
  const buffer = body(LONG_BODY);
  replies.outcomeOf('r', { status: 200, body: buffer }, () => ({ kind: 'acked', value: 1 }));
  buffer[0] = 'y'.charCodeAt(0);
  expect(replies.outcomeOf('r', { status: 200, body: buffer }, () => ({ kind: 'acked', value: 2 }))).toEqual({ kind: 'acked', value: 2 });
});

it('a reply that is short, very long, an error or not usable is decoded each time', () => {
  const { readReply, count } = countingReplies();
  for (const [text, options] of [
    ['[]', {}],
    [LONG_BODY, { status: 503 }],
    [LONG_BODY, { kind: 'unknown' as const }],
    ['z'.repeat(300_000), {}],
  ] as const)
    for (let index = 0; index < 2; index++) readReply('r', text, options);
  expect(count.decoded).toBe(8);
});

it('at most 64 replies are stored', () => {
  const { readReply, count } = countingReplies();
  for (let index = 0; index < 65; index++) readReply(`r${index}`, LONG_BODY);
  readReply('r64', LONG_BODY);
  expect(count.decoded).toBe(65);
  readReply('r0', LONG_BODY);
  expect(count.decoded).toBe(66);
});
