// Tests WebSocket frames: messages are decoded for any cuts between their bytes, and invalid frames are rejected with their close code.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { CLOSE, closeReplyCode, closePayload, frameOf, FrameReader, OPCODE, textIn } from './frames.ts';
import { heartbeatText, stampIn } from './heartbeatText.ts';

const mask = fc.uint8Array({ minLength: 4, maxLength: 4 });
const message = fc.oneof(
  fc.record({ opcode: fc.constantFrom(OPCODE.text, OPCODE.binary), payload: fc.uint8Array({ maxLength: 3000 }) }),
  fc.record({ opcode: fc.constantFrom(OPCODE.ping, OPCODE.pong, OPCODE.close), payload: fc.uint8Array({ maxLength: 125 }) }),
);

it.each(['client', 'server'] as const)('frames of a %s are decoded as they were encoded, in pieces of any length', (from) => {
  fc.assert(
    fc.property(
      fc.array(message, { maxLength: 6 }),
      mask,
      fc.infiniteStream(fc.integer({ min: 1, max: 700 })),
      (messages, key, chunkLengths) => {
        const bytes = Buffer.concat(messages.map(({ opcode, payload }) => frameOf(opcode, payload, from === 'client' ? key : null)));
        const reader = new FrameReader(from, 3000);
        const decoded: { opcode: number; payload: Uint8Array }[] = [];
        for (let offset = 0; offset < bytes.length;) {
          const chunkLength = chunkLengths.next().value;
          const { frames, error } = reader.push(bytes.subarray(offset, offset + chunkLength));
          expect(error).toBeNull();
          decoded.push(...frames.map((frame) => ({ opcode: frame.opcode, payload: Uint8Array.from(frame.payload) })));
          offset += chunkLength;
        }
        expect(decoded).toEqual(messages);
      },
    ),
    { numRuns: 200 },
  );
});

it('payloads are masked as in the example of RFC 6455, section 5.7', () => {
  const hello = Buffer.from('818537fa213d7f9f4d5158', 'hex');
  const { frames } = new FrameReader('client', 100).push(hello);
  expect(textIn(frames[0]!.payload)).toBe('Hello');
  expect(Buffer.from(frameOf(OPCODE.text, Buffer.from('Hello'), Buffer.from('37fa213d', 'hex'))).toString('hex')).toBe(
    hello.toString('hex'),
  );
  expect(Buffer.from(frameOf(OPCODE.text, Buffer.from('Hello'))).toString('hex')).toBe('810548656c6c6f');
});

it.each([
  ['a reserved bit', 'c18000000000', CLOSE.protocol],
  ['an unknown opcode', '838000000000', CLOSE.protocol],
  ['no mask', '8100', CLOSE.protocol],
  ['a message in parts', '018000000000', CLOSE.unsupported],
  ['a part of a message', '808000000000', CLOSE.unsupported],
  ['a ping in parts', '098000000000', CLOSE.protocol],
  ['a ping of 126 bytes', '89fe007e', CLOSE.protocol],
  ['101 bytes at a limit of 100', '81fe0065', CLOSE.tooBig],
  ['2^63 bytes', '81ff8000000000000000', CLOSE.tooBig],
])('a frame is rejected before its payload has arrived: %s', (_, hex, code) => {
  const reader = new FrameReader('client', 100);
  expect(reader.push(Buffer.from(hex, 'hex')).error?.code).toBe(code);
  // The reader ignores all bytes after it.
  expect(reader.push(Buffer.from('818000000000', 'hex'))).toEqual({ frames: [], error: null });
});

it('masked frames of a server are rejected', () => {
  expect(new FrameReader('server', 100).push(Buffer.from('818000000000', 'hex')).error?.code).toBe(CLOSE.protocol);
});

it('the decoder never throws, and never buffers more than a frame, for any input', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 10 }), (chunks) => {
      const reader = new FrameReader('client', 200);
      for (const chunk of chunks) for (const { payload } of reader.push(chunk).frames) expect(payload.length).toBeLessThanOrEqual(200);
    }),
    { numRuns: 500 },
  );
});

it.each([
  [[], CLOSE.normal],
  [[3], CLOSE.protocol],
  [[3, 232], 1000],
  [[3, 237], CLOSE.protocol],
  [[3, 231], CLOSE.protocol],
  [[15, 160], 4000],
  [[19, 136], CLOSE.protocol],
  [[3, 232, 0xff], CLOSE.protocol],
])('a close frame of %j is answered with %i', (bytes, code) => {
  expect(closeReplyCode(Uint8Array.from(bytes))).toBe(code);
});

it('a close reason that is too long is cut', () => {
  expect(closePayload(1000, 'x'.repeat(200)).length).toBe(125);
});

it('heartbeat texts keep all digits of their timestamp', () => {
  expect(heartbeatText('pong', stampIn('ping', ' { "ping" : 18446744073709551615 } ')!)).toBe('{"pong":18446744073709551615}');
  for (const text of ['{"pong":1}', '{"ping":"1"}', '{"ping":1,"a":2}', '{"ping":-1}', '[]', '']) expect(stampIn('ping', text)).toBeNull();
});
