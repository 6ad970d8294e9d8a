// A reply that came before is not parsed again: the same bytes to the same request only, and never a reply that could not be used.

import { expect, it } from 'vitest';
import type { Outcome } from '../../../protocol/outcome.ts';
import { LastReplies } from './lastReplies.ts';

const LONG = 'x'.repeat(300);
const body = (text: string): Uint8Array => Buffer.from(text);

function counted() {
  const replies = new LastReplies();
  const count = { decoded: 0 };
  const ask = (
    request: string,
    text: string,
    { status = 200, kind = 'acked' }: { readonly status?: number; readonly kind?: 'acked' | 'unknown' } = {},
  ): Outcome<unknown> =>
    replies.outcomeOf(request, { status, body: body(text) }, () => {
      count.decoded++;
      return kind === 'acked' ? { kind, value: text } : { kind, cause: text, status, error: null };
    });
  return { ask, count };
}

it('a reply is decoded once as long as its bytes stay the same, for each request', () => {
  const { ask, count } = counted();
  const first = ask('trades A', LONG);
  expect(ask('trades A', LONG)).toBe(first);
  expect(count.decoded).toBe(1);
  expect(ask('trades B', LONG)).not.toBe(first);
  expect(ask('trades A', `${LONG}y`)).toMatchObject({ value: `${LONG}y` });
  expect(ask('trades A', LONG)).toMatchObject({ value: LONG });
  expect(count.decoded).toBe(4);
});

it('a decoded reply does not change with the buffer that it came in', () => {
  const replies = new LastReplies();
  const buffer = body(LONG);
  replies.outcomeOf('r', { status: 200, body: buffer }, () => ({ kind: 'acked', value: 1 }));
  buffer[0] = 'y'.charCodeAt(0);
  expect(replies.outcomeOf('r', { status: 200, body: buffer }, () => ({ kind: 'acked', value: 2 }))).toEqual({ kind: 'acked', value: 2 });
});

it('a reply that is short, an error or not usable is decoded each time', () => {
  const { ask, count } = counted();
  for (const [text, options] of [
    ['[]', {}],
    [LONG, { status: 503 }],
    [LONG, { kind: 'unknown' as const }],
    ['z'.repeat(300_000), {}],
  ] as const)
    for (let nth = 0; nth < 2; nth++) ask('r', text, options);
  expect(count.decoded).toBe(8);
});

it('at most 64 replies are stored', () => {
  const { ask, count } = counted();
  for (let nth = 0; nth < 65; nth++) ask(`r${nth}`, LONG);
  ask('r64', LONG);
  expect(count.decoded).toBe(65);
  ask('r0', LONG);
  expect(count.decoded).toBe(66);
});
