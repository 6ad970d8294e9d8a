// Reads and writes WebSocket frames (RFC 6455). A message must be one frame of bounded size. Only clients mask their frames.

/** The opcodes of WebSocket frames (RFC 6455, section 5.2). */
export const OPCODE = { continuation: 0x0, text: 0x1, binary: 0x2, close: 0x8, ping: 0x9, pong: 0xa } as const;

/** The close codes of RFC 6455, section 7.4.1, that are sent here. */
export const CLOSE = {
  normal: 1000,
  goingAway: 1001,
  protocol: 1002,
  unsupported: 1003,
  badText: 1007,
  policy: 1008,
  tooBig: 1009,
} as const;

/** One WebSocket frame, unmasked. */
export interface SocketFrame {
  readonly opcode: number;
  /** The payload without its mask. */
  readonly payload: Uint8Array;
}

/** The reason why a connection must be closed. Nothing more is read. */
export interface FrameError {
  readonly code: number;
  readonly why: string;
}

/** The frames that were completed, and the error that ended the reading, if any. */
export interface FrameBatch {
  readonly frames: readonly SocketFrame[];
  readonly broken: FrameError | null;
}

/** Maximum payload of a control frame, in bytes. */
const MAX_CONTROL_BYTES = 125;
const KNOWN_OPCODES: ReadonlySet<number> = new Set(Object.values(OPCODE));
const NOTHING = new Uint8Array(0);

/** Collects bytes and returns the frames that they complete. It holds at most one frame. */
export class FrameReader {
  readonly #from: 'client' | 'server';
  readonly #maxBytes: number;
  #pending: Uint8Array = NOTHING;
  #isBroken = false;

  /** `from`: who sends the frames. `maxBytes`: maximum payload. */
  constructor(from: 'client' | 'server', maxBytes: number) {
    this.#from = from;
    this.#maxBytes = maxBytes;
  }

  /** Takes the next bytes and returns the frames that they complete. */
  push(bytes: Uint8Array): FrameBatch {
    const frames: SocketFrame[] = [];
    if (this.#isBroken) return { frames, broken: null };
    this.#pending = this.#pending.length === 0 ? bytes : joinBytes(this.#pending, bytes);
    for (;;) {
      const head = this.#head();
      if (head === null) return { frames, broken: null };
      if ('why' in head) {
        this.#isBroken = true;
        this.#pending = NOTHING;
        return { frames, broken: head };
      }
      const end = head.start + head.length;
      if (this.#pending.length < end) return { frames, broken: null };
      frames.push({ opcode: head.opcode, payload: maskBytes(this.#pending.subarray(head.start, end), head.mask) });
      this.#pending = this.#pending.subarray(end);
    }
  }

  /** Returns the head of the next frame, or its error; null while the head is incomplete. */
  #head(): Head | FrameError | null {
    const bytes = this.#pending;
    if (bytes.length < 2) return null;
    const firstByte = bytes[0]!;
    const secondByte = bytes[1]!;
    const error = headError(firstByte, secondByte, this.#from);
    if (error !== null) return error;
    const shortLength = secondByte & 0x7f;
    const lengthBytes = extendedLengthBytes(shortLength);
    if (bytes.length < 2 + lengthBytes) return null;
    const length = lengthBytes === 0 ? shortLength : wholeNumberIn(bytes.subarray(2, 2 + lengthBytes));
    if (length > this.#maxBytes) return { code: CLOSE.tooBig, why: `a message of more than ${this.#maxBytes} bytes` };
    const maskStart = 2 + lengthBytes;
    const start = maskStart + (this.#from === 'client' ? 4 : 0);
    return bytes.length < start ? null : { opcode: firstByte & 0x0f, mask: bytes.subarray(maskStart, start), length, start };
  }
}

/** Returns the number of bytes that follow the seven bits of the length: 126 stands for two, 127 for eight (RFC 6455, section 5.2). */
function extendedLengthBytes(shortLength: number): 0 | 2 | 8 {
  if (shortLength < 126) return 0;
  return shortLength === 126 ? 2 : 8;
}

/** The parsed head of a frame. */
interface Head {
  readonly opcode: number;
  /** Four bytes, or empty. */
  readonly mask: Uint8Array;
  readonly length: number;
  /** Where the payload begins. */
  readonly start: number;
}

/** Returns the error that the first two bytes of a frame already show; null if they are valid. */
function headError(firstByte: number, secondByte: number, from: 'client' | 'server'): FrameError | null {
  const opcode = firstByte & 0x0f;
  const isComplete = (firstByte & 0x80) !== 0 && opcode !== OPCODE.continuation;
  if ((firstByte & 0x70) !== 0) return { code: CLOSE.protocol, why: 'reserved bits are set' };
  if (!KNOWN_OPCODES.has(opcode)) return { code: CLOSE.protocol, why: `no opcode: ${opcode}` };
  if (((secondByte & 0x80) !== 0) !== (from === 'client'))
    return { code: CLOSE.protocol, why: 'frames of a client are masked, and no others' };
  if (opcode >= OPCODE.close && (!isComplete || (secondByte & 0x7f) > MAX_CONTROL_BYTES)) {
    return { code: CLOSE.protocol, why: 'a control frame is one frame, and short' };
  }
  return isComplete ? null : { code: CLOSE.unsupported, why: 'messages in several frames are not read' };
}

/** Returns the bytes as a whole number. Above 2^53 it is not exact, but then it exceeds every limit. */
const wholeNumberIn = (bytes: Uint8Array): number => bytes.reduce((sum, byte) => sum * 256 + byte, 0);

/** Returns the parts one after the other. */
function joinBytes(...parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

const maskBytes = (payload: Uint8Array, mask: Uint8Array): Uint8Array =>
  mask.length === 0 ? payload : payload.map((byte, index) => byte ^ mask[index & 3]!);

/** Returns a frame with one message of at most 65,535 bytes. `mask`: four bytes for a client, null for a server. */
export function frameOf(opcode: number, payload: Uint8Array, mask: Uint8Array | null = null): Uint8Array {
  const { length } = payload;
  const flag = mask === null ? 0 : 0x80;
  const head = length < 126 ? [0x80 | opcode, flag | length] : [0x80 | opcode, flag | 126, length >> 8, length & 0xff];
  return mask === null ? joinBytes(Uint8Array.from(head), payload) : joinBytes(Uint8Array.from(head), mask, maskBytes(payload, mask));
}

const ENCODER = new TextEncoder();
/** Returns the payload of a close frame. `why` is cut to the maximum size. */
export const closePayload = (code: number, why: string): Uint8Array =>
  joinBytes(Uint8Array.from([code >> 8, code & 0xff]), ENCODER.encode(why).subarray(0, MAX_CONTROL_BYTES - 2));

/** Returns the code that answers a close frame: its own code, or a protocol error if it is invalid. */
export function closeAnswer(payload: Uint8Array): number {
  if (payload.length === 0) return CLOSE.normal;
  if (payload.length === 1) return CLOSE.protocol;
  const code = wholeNumberIn(payload.subarray(0, 2));
  // 1004 to 1006 and 1015 are never sent. Below 3000 only codes of the RFC and its registry are valid.
  const isCode = (code >= 1000 && code <= 1014 && (code < 1004 || code > 1006)) || (code >= 3000 && code <= 4999);
  return isCode && textIn(payload.subarray(2)) !== null ? code : CLOSE.protocol;
}

const DECODER = new TextDecoder('utf-8', { fatal: true });

/** Returns the text of a payload; null if it is not UTF-8. */
export function textIn(payload: Uint8Array): string | null {
  try {
    return DECODER.decode(payload);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
