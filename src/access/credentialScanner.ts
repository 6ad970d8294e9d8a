// Finds a credential in what a service sent, in every form in which it could come back, without keeping the credential.

/** Digest of bytes under a key that nobody else has. */
type Digest = (bytes: Uint8Array) => string;

const BASE = 0x01000193;
const MASK = '*'.charCodeAt(0);
const BUCKETS = 1 << 16;

/**
 * Letters count in any case, and base64url as base64: so one form stands for all that differ in no more. Of every form a keyed digest is
 * kept, and a rolling checksum of its beginning, as much of it as the shortest form has: one way through the bytes finds the candidates of
 * all forms at a few instructions a byte, the digest decides.
 */
export class CredentialScanner {
  readonly #digest: Digest;
  readonly #digests = new Set<string>();
  /** Lengths of the forms that begin with a sum. */
  readonly #lengths = new Map<number, readonly number[]>();
  /** The upper halves of the sums: one look here tells nearly every window from a form. */
  readonly #buckets = new Uint8Array(BUCKETS);
  /** Length of the shortest form: in less there is none. */
  readonly #minLength: number;
  /** Weight of the byte that leaves a window of that length. */
  readonly #power: number;

  constructor(credentials: readonly string[], digest: Digest) {
    this.#digest = digest;
    const forms = Array.from(new Set(credentials.flatMap(formsOf)), (form) => folded(Buffer.from(form)));
    this.#minLength = Math.min(...forms.map(({ length }) => length));
    this.#power = powerOf(this.#minLength - 1);
    for (const form of forms) this.#learn(form);
  }

  #learn(form: Uint8Array): void {
    const sum = form.subarray(0, this.#minLength).reduce((before, byte) => (Math.imul(before, BASE) + byte) | 0, 0);
    const known = this.#lengths.get(sum) ?? [];
    if (!known.includes(form.length)) this.#lengths.set(sum, [...known, form.length]);
    this.#buckets[sum >>> 16] = 1;
    this.#digests.add(this.#digest(form));
  }

  /** The bytes with asterisks where a credential stood; the same array where none did. */
  hide(bytes: Uint8Array): Uint8Array {
    const min = this.#minLength;
    if (bytes.length < min) return bytes;
    const buckets = this.#buckets;
    const power = this.#power;
    let clean = bytes;
    let sum = 0;
    for (let at = 0; at < min - 1; at++) sum = (Math.imul(sum, BASE) + FOLD[bytes[at]!]!) | 0;
    for (let start = 0, end = min - 1; end < bytes.length; start++, end++) {
      sum = (Math.imul(sum, BASE) + FOLD[bytes[end]!]!) | 0;
      if (buckets[sum >>> 16] === 1) clean = this.#hideAt(start, sum, bytes, clean);
      sum = (sum - Math.imul(FOLD[bytes[start]!]!, power)) | 0;
    }
    return clean;
  }

  /** `clean`: what was made of `bytes` so far. */
  #hideAt(start: number, sum: number, bytes: Uint8Array, clean: Uint8Array): Uint8Array {
    let found = clean;
    for (const length of this.#lengths.get(sum) ?? []) {
      const end = start + length;
      if (end > bytes.length || !this.#digests.has(this.#digest(folded(bytes.subarray(start, end))))) continue;
      // A buffer's own slice would be the same memory.
      if (found === bytes) found = Uint8Array.from(bytes);
      found.fill(MASK, start, end);
    }
    return found;
  }

  hideIn(text: string): string {
    if (text.length < this.#minLength) return text;
    const bytes = Buffer.from(text);
    const clean = this.hide(bytes);
    return clean === bytes ? text : Buffer.from(clean).toString();
  }
}

const powerOf = (exponent: number): number => Array.from({ length: exponent }).reduce<number>((power) => Math.imul(power, BASE), 1);

const FOLD = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x41 && byte <= 0x5a) return byte + 0x20;
  return byte === 0x2d ? 0x2b : byte === 0x5f ? 0x2f : byte; // - is +, _ is /
});

function folded(bytes: Uint8Array): Uint8Array {
  const text = new Uint8Array(bytes.length);
  for (let at = 0; at < bytes.length; at++) text[at] = FOLD[bytes[at]!]!;
  return text;
}

function formsOf(credential: string): readonly string[] {
  const swapped = credential.replace(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()));
  const cases = [credential, credential.toLowerCase(), credential.toUpperCase(), swapped];
  const hex = cases.map((text) => Buffer.from(text).toString('hex'));
  const percent = hex.map((digits) => digits.replace(/../g, '%$&'));
  return [credential, encodeURIComponent(credential), ...hex, ...percent, ...cases.flatMap(base64Within)];
}

/** The base64 of `text` within a longer one: wherever it begins among groups of three bytes, without the characters that it shares. */
function base64Within(text: string): readonly string[] {
  return [0, 1, 2].map((before) => {
    const all = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]).toString('base64url');
    const first = Math.ceil((before * 8) / 6);
    return all.slice(first, Math.floor(((before + Buffer.byteLength(text)) * 8) / 6));
  });
}
