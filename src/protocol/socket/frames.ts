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
  readonly reason: string;
}

/** The frames that were completed, and the error that ended the reading, if any. */
export interface FrameBatch {
  readonly frames: readonly SocketFrame[];
  readonly error: FrameError | null;
}

/** Maximum payload of a control frame, in bytes. */
const MAX_CONTROL_BYTES = 125;
// The bits of the first two bytes of a frame (RFC 6455, section 5.2).
const FINAL_BIT = 0x80;
const RESERVED_BITS = 0x70;
const OPCODE_BITS = 0x0f;
const MASK_BIT = 0x80;
const LENGTH_BITS = 0x7f;
/** Values of the length bits that announce a length of two or of eight bytes. */
const LENGTH_IN_2_BYTES = 126;
const LENGTH_IN_8_BYTES = 127;
const MASK_BYTES = 4;
const KNOWN_OPCODES: ReadonlySet<number> = new Set(Object.values(OPCODE));
const NO_BYTES = new Uint8Array(0);

/** The parsed head of a frame. */
interface Head {
  readonly opcode: number;
  /** Four bytes, or empty. */
  readonly mask: Uint8Array;
  /** Length of the payload, in bytes. */
  readonly length: number;
  /** Offset of the payload from the start of the frame, in bytes. */
  readonly payloadStart: number;
}

/** Collects bytes and returns the frames that they complete. It holds at most one frame. */
export class FrameReader {
  readonly #sender: 'client' | 'server';
  readonly #maxBytes: number;
  #pending: Uint8Array = NO_BYTES;
  #isBroken = false;

  /** `sender`: who sends the frames. `maxBytes`: maximum payload of a frame. */
  constructor(sender: 'client' | 'server', maxBytes: number) {
    this.#sender = sender;
    this.#maxBytes = maxBytes;
  }

  /** Adds the next bytes and returns the frames that they complete. */
  push(bytes: Uint8Array): FrameBatch {
    const frames: SocketFrame[] = [];
    if (this.#isBroken) return { frames, error: null };
    this.#pending = this.#pending.length === 0 ? bytes : joinBytes(this.#pending, bytes);
    for (;;) {
      const head = this.#head();
      if (head === null) return { frames, error: null };
      if ('reason' in head) {
        this.#isBroken = true;
        this.#pending = NO_BYTES;
        return { frames, error: head };
      }
      const payloadEnd = head.payloadStart + head.length;
      if (this.#pending.length < payloadEnd) return { frames, error: null };
      frames.push({ opcode: head.opcode, payload: maskBytes(this.#pending.subarray(head.payloadStart, payloadEnd), head.mask) });
      this.#pending = this.#pending.subarray(payloadEnd);
    }
  }

  /** Returns the head of the next frame, or its error; null while the head is incomplete. */
  #head(): Head | FrameError | null {
    const bytes = this.#pending;
    if (bytes.length < 2) return null;
    const firstByte = bytes[0]!;
    const secondByte = bytes[1]!;
    const error = headError(firstByte, secondByte, this.#sender);
    if (error !== null) return error;
    const shortLength = secondByte & LENGTH_BITS;
    const lengthBytes = extendedLengthBytes(shortLength);
    if (bytes.length < 2 + lengthBytes) return null;
    const length = lengthBytes === 0 ? shortLength : wholeNumberIn(bytes.subarray(2, 2 + lengthBytes));
    if (length > this.#maxBytes) return { code: CLOSE.tooBig, reason: `a message of more than ${this.#maxBytes} bytes` };
    const maskStart = 2 + lengthBytes;
    const payloadStart = maskStart + (this.#sender === 'client' ? MASK_BYTES : 0);
    if (bytes.length < payloadStart) return null;
    return { opcode: firstByte & OPCODE_BITS, mask: bytes.subarray(maskStart, payloadStart), length, payloadStart };
  }
}

/** Returns the number of bytes after the seven length bits that hold the length of a longer payload; 0 if the bits hold it themselves. */
function extendedLengthBytes(shortLength: number): 0 | 2 | 8 {
  if (shortLength === LENGTH_IN_2_BYTES) return 2;
  return shortLength === LENGTH_IN_8_BYTES ? 8 : 0;
}

/** Returns the error that the first two bytes of a frame already show; null if they are valid. */
function headError(firstByte: number, secondByte: number, sender: 'client' | 'server'): FrameError | null {
  const opcode = firstByte & OPCODE_BITS;
  const isWholeMessage = (firstByte & FINAL_BIT) !== 0 && opcode !== OPCODE.continuation;
  if ((firstByte & RESERVED_BITS) !== 0) return { code: CLOSE.protocol, reason: 'reserved bits are set' };
  if (!KNOWN_OPCODES.has(opcode)) return { code: CLOSE.protocol, reason: `unknown opcode ${opcode}` };
  const isMasked = (secondByte & MASK_BIT) !== 0;
  if (isMasked !== (sender === 'client')) return { code: CLOSE.protocol, reason: 'exactly the frames of a client must be masked' };
  const isControl = opcode >= OPCODE.close;
  if (isControl && (!isWholeMessage || (secondByte & LENGTH_BITS) > MAX_CONTROL_BYTES)) {
    return { code: CLOSE.protocol, reason: `a control frame in parts or of more than ${MAX_CONTROL_BYTES} bytes` };
  }
  return isWholeMessage ? null : { code: CLOSE.unsupported, reason: 'messages in several frames are not read' };
}

/** Returns the bytes as a whole number. Above 2^53 it is not exact, but then it exceeds every limit. */
const wholeNumberIn = (bytes: Uint8Array): number => bytes.reduce((sum, byte) => sum * 256 + byte, 0);

/** Returns the parts one after the other. */
function joinBytes(...parts: readonly Uint8Array[]): Uint8Array {
  const joinedBytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    joinedBytes.set(part, offset);
    offset += part.length;
  }
  return joinedBytes;
}

/** Returns the payload with its mask put on or taken off, which is the same operation. An empty mask changes nothing. */
const maskBytes = (payload: Uint8Array, mask: Uint8Array): Uint8Array =>
  mask.length === 0 ? payload : payload.map((byte, index) => byte ^ mask[index & 3]!);

/** Returns a frame with one message of at most 65,535 bytes. `mask`: four bytes for a client, null for a server. */
export function frameOf(opcode: number, payload: Uint8Array, mask: Uint8Array | null = null): Uint8Array {
  const { length } = payload;
  const firstByte = FINAL_BIT | opcode;
  const maskBit = mask === null ? 0 : MASK_BIT;
  const isShort = length < LENGTH_IN_2_BYTES;
  const head = Uint8Array.from(
    isShort ? [firstByte, maskBit | length] : [firstByte, maskBit | LENGTH_IN_2_BYTES, length >> 8, length & 0xff],
  );
  return mask === null ? joinBytes(head, payload) : joinBytes(head, mask, maskBytes(payload, mask));
}

const ENCODER = new TextEncoder();

/** Returns the payload of a close frame. `reason` is cut to the maximum size. */
export const closePayload = (code: number, reason: string): Uint8Array =>
  joinBytes(Uint8Array.from([code >> 8, code & 0xff]), ENCODER.encode(reason).subarray(0, MAX_CONTROL_BYTES - 2));

/** Returns the code that answers a close frame: its own code, or a protocol error if it is invalid. */
export function closeReplyCode(payload: Uint8Array): number {
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
