// Tests that buffers are unpacked as the reference tools packed them (lz4 1.9.4, zstd 1.5.4), and that damaged ones are rejected.

import { gunzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { compress } from 'lz4js';
import { beforeAll, describe, expect, it } from 'vitest';
import { CODEC, loadInflate, type Inflate } from './inflate.ts';

let inflate: Inflate;
beforeAll(async () => void (inflate = await loadInflate()));

const DATA = Buffer.from(Array.from({ length: 60_000 }, (_, i) => String((i * 7) % 50)).join(','));
/** LZ4 frames of DATA by the options of the tool. They are gzipped and in base64, because most of their bytes repeat. */
const FRAMES: readonly (readonly [string, readonly string[]])[] = [
  [
    'linked blocks, checksums, size in the head (lz4 -BD -BX --content-size -B4)',
    [
      'H4sIAAAAAAACA+WTLW7DQBSE3aioAaHBJQX9wL4f27uovUAlH8BXyAEMwgMCwkJyhUg+RHuXRCpoT+CufYGwqJKHjkZ6evPN4/PHun1/OyyKUd',
      '3xoSiGbaBGHBU0YiWueKJCDA1ojTkueKREFElohRke8BpHBIloiSmW8GwiAalRxwSLeImSkAo1LGA5l4NEJDuKJqzCjX0xzFxtM5Ww+ez6p1zP',
      '6mfuDxkuzYThuV0OLxOw9wTy1jj+H7CvzXT5V3ftx5H/7r5Pf7BT3Yb3AwAA',
    ],
  ],
  [
    'independent blocks, no checksum (lz4 -BI -B4 --no-frame-crc)',
    [
      'H4sIAAAAAAACA+3SOwoCQRCE4RE8hLGJgX8w/ZhX5gWEPcAGXsTE2NzjrsOY7QVW0EqLgoav98fr4XZ5vHYhLPdIQRwVtGIJV7yREUMjWjDHBa',
      '8kRJGGZszwiBccEaSiCVOs4b1EIlJQxwSreEJpSEYNi1jf9SEV6Y2iDcu48QzLj2eeBsKHZkuK9Vv8aeZpIJwGzZYU67f4PprzNC4PPW8GhWyN',
      'bAQAAA==',
    ],
  ],
  [
    'larger linked blocks (lz4 -BD -B5)',
    [
      'H4sIAAAAAAACA+3Suw0CQRAE0ZXAIARsPKRC2p6Z/QWBdEGQBj4GIRAiDhEcK6LAuOeW2uv96Xq8LYfzLqX1nmkoMGEdL4QRg4ocy1jDgxDRKc',
      'jQwCruRCYagYQ6VnDDBzEjyqhhgQvvRMEYqGKOZ3zu5pCOZjFs4JVwnmndbP7KZfl9M02fx/v1BYmj1x48AwAA',
    ],
  ],
  [
    'checksums of blocks (lz4 -BX -B4)',
    [
      'H4sIAAAAAAACA+3SLQoCURTF8RFchNli8B/e/ZiZ95obECaZrGKyWQw2g8FucRFuwKaLESyuQB9jcwMKeurhwIXf7fbHveXotO8UxWMdqBFHBY',
      '1YiSueqBBDA1pjjgseKRFFElphhge8xhFBIlpiiiU8l0hAatQxwSJeoiSkQg0LWN7lIRHJjaIJq3BjVzx+PNOmRVicV8cXzyc53l/jzzNtWoT5',
      'ZLYZtDyf5Hh/je/jGTbt5ZfV9Vjk3Le3wxN/OA4YfAQAAA==',
    ],
  ],
];

/** Returns the frame behind the base64 parts. */
const frameOf = (parts: readonly string[]) => gunzipSync(Buffer.from(parts.join(''), 'base64'));
const ZSTD = Buffer.from(
  'KLUv/aQ/kAIAXAIAwggQCbDrJEmICFaSeYdM8fX24TYXuWKIoxO/+8gWM5ZeHHhM8sWNpxsnl0sGOWLqx8tnkylLXB16cPrkyhNb' +
    'ZxdeQwEAjLj/R26kRQAAAAEAPJCHboCpg90C',
  'base64',
);

/** True for equal bytes. */
const isSame = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0;

describe('LZ4', () => {
  it.each(FRAMES)('an LZ4 frame of the reference tool is unpacked: %s', (_, parts) =>
    expect(isSame(inflate(CODEC.lz4Frame, frameOf(parts), DATA.length), DATA)).toBe(true),
  );

  it('LZ4 blocks of any content are unpacked, also blocks that are stored without compression', () => {
    const property = fc.property(fc.uint8Array({ maxLength: 3000 }), fc.nat(200), (chunk, repeats) => {
      const inflated = Buffer.concat(Array.from({ length: repeats + 1 }, () => chunk));
      expect(isSame(inflate(CODEC.lz4Frame, compress(inflated), inflated.length), inflated)).toBe(true);
    });
    fc.assert(property, { numRuns: 100 });
  });

  it.each(FRAMES)('a damaged LZ4 frame, and one of another length, are rejected: %s', (_, parts) => {
    const frame = frameOf(parts);
    expect(() => inflate(CODEC.lz4Frame, frame, DATA.length - 1)).toThrow(RangeError);
    expect(() => inflate(CODEC.lz4Frame, frame, DATA.length + 1)).toThrow(`${DATA.length} bytes where ${DATA.length + 1} were announced`);
    for (let cut = 0; cut < frame.length - 8; cut += 7)
      expect(() => inflate(CODEC.lz4Frame, frame.subarray(0, cut), DATA.length)).toThrow(RangeError);
    expect(() => inflate(CODEC.lz4Frame, Buffer.concat([Buffer.of(1), frame]), DATA.length)).toThrow('a buffer that is no LZ4 frame');
  });
});

describe('zstd', () => {
  it('a zstd frame of the reference tool is unpacked', () => expect(isSame(inflate(CODEC.zstd, ZSTD, DATA.length), DATA)).toBe(true));

  it('a damaged zstd frame, and one of another length, are rejected', () => {
    expect(() => inflate(CODEC.zstd, ZSTD, DATA.length - 1)).toThrow(RangeError);
    expect(() => inflate(CODEC.zstd, ZSTD.subarray(1), DATA.length)).toThrow(RangeError);
    expect(() => inflate(CODEC.zstd, ZSTD.subarray(0, 30), DATA.length)).toThrow(RangeError);
  });
});

it('an unknown codec is rejected', () => expect(() => inflate(7, ZSTD, 1)).toThrow('an unknown codec, 7'));
