// Finds credentials in the replies of a service, in every likely encoding, without storing the credentials.

/** A function that returns a digest of bytes under a secret key. */
type Digest = (bytes: Uint8Array) => string;

/** Base of the rolling checksum. */
const BASE = 0x01000193;
const MASK = '*'.charCodeAt(0);
const BUCKETS = 1 << 16;

/**
 * Masks credentials. A form is an encoding of a credential; letters match in any case, and base64url matches base64. For each form the
 * scanner keeps a keyed digest of all of it, and a checksum of its beginning. The checksum of a window moves over the bytes and finds
 * candidates. The digest decides whether a candidate is a form.
 */
export class CredentialScanner {
  readonly #digest: Digest;
  readonly #digests = new Set<string>();
  /** Lengths of the forms, by the checksum of their beginnings. */
  readonly #lengths = new Map<number, readonly number[]>();
  /** Marks the upper halves of these checksums. One lookup excludes nearly every window. */
  readonly #buckets = new Uint8Array(BUCKETS);
  /** Length of the shortest form. Shorter text contains no credential. */
  readonly #minLength: number;
  /** Weight in the checksum of the byte that leaves the window. */
  readonly #power: number;

  constructor(credentials: readonly string[], digest: Digest) {
    this.#digest = digest;
    const forms = Array.from(new Set(credentials.flatMap(formsOf)), (form) => foldCase(Buffer.from(form)));
    this.#minLength = Math.min(...forms.map(({ length }) => length));
    this.#power = powerOf(this.#minLength - 1);
    for (const form of forms) this.#learn(form);
  }

  #learn(form: Uint8Array): void {
    const sum = form.subarray(0, this.#minLength).reduce((before, byte) => (Math.imul(before, BASE) + byte) | 0, 0);
    const lengths = this.#lengths.get(sum) ?? [];
    if (!lengths.includes(form.length)) this.#lengths.set(sum, [...lengths, form.length]);
    this.#buckets[sum >>> 16] = 1;
    this.#digests.add(this.#digest(form));
  }

  /** Returns the bytes with credentials replaced by asterisks; the same array if there are none. */
  hide(bytes: Uint8Array): Uint8Array {
    const min = this.#minLength;
    if (bytes.length < min) return bytes;
    const buckets = this.#buckets;
    const power = this.#power;
    let clean = bytes;
    let sum = 0;
    for (let index = 0; index < min - 1; index++) sum = (Math.imul(sum, BASE) + FOLD[bytes[index]!]!) | 0;
    for (let start = 0, end = min - 1; end < bytes.length; start++, end++) {
      sum = (Math.imul(sum, BASE) + FOLD[bytes[end]!]!) | 0;
      if (buckets[sum >>> 16] === 1) clean = this.#hideAt(start, sum, bytes, clean);
      sum = (sum - Math.imul(FOLD[bytes[start]!]!, power)) | 0;
    }
    return clean;
  }

  /** Masks the forms that begin at `start`. `clean`: the bytes with the earlier replacements. Returns the new bytes. */
  #hideAt(start: number, sum: number, bytes: Uint8Array, clean: Uint8Array): Uint8Array {
    let masked = clean;
    for (const length of this.#lengths.get(sum) ?? []) {
      const end = start + length;
      if (end > bytes.length || !this.#digests.has(this.#digest(foldCase(bytes.subarray(start, end))))) continue;
      // A Buffer's own slice would share the memory.
      if (masked === bytes) masked = Uint8Array.from(bytes);
      masked.fill(MASK, start, end);
    }
    return masked;
  }

  /** Returns the text with credentials replaced by asterisks. */
  hideIn(text: string): string {
    if (text.length < this.#minLength) return text;
    const bytes = Buffer.from(text);
    const clean = this.hide(bytes);
    return clean === bytes ? text : Buffer.from(clean).toString();
  }
}

const powerOf = (exponent: number): number => Array.from({ length: exponent }).reduce<number>((power) => Math.imul(power, BASE), 1);

/** Each byte in lower case, and in base64 instead of base64url. */
const FOLD = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x41 && byte <= 0x5a) return byte + 0x20;
  return byte === 0x2d ? 0x2b : byte === 0x5f ? 0x2f : byte; // - is +, _ is /
});

function foldCase(bytes: Uint8Array): Uint8Array {
  const folded = new Uint8Array(bytes.length);
  for (let index = 0; index < bytes.length; index++) folded[index] = FOLD[bytes[index]!]!;
  return folded;
}

/** Returns the encodings in which a credential could be sent back. */
function formsOf(credential: string): readonly string[] {
  const swapped = credential.replace(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()));
  const cases = [credential, credential.toLowerCase(), credential.toUpperCase(), swapped];
  const hex = cases.map((text) => Buffer.from(text).toString('hex'));
  const percent = hex.map((digits) => digits.replace(/../g, '%$&'));
  return [credential, encodeURIComponent(credential), ...hex, ...percent, ...cases.flatMap(base64Within)];
}

/**
 * Returns the base64 forms of `text` inside longer data, one for each offset modulo three bytes, without the characters that depend on
 * neighbouring bytes.
 */
function base64Within(text: string): readonly string[] {
  return [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]).toString('base64url');
    const first = Math.ceil((before * 8) / 6);
    return encoded.slice(first, Math.floor(((before + Buffer.byteLength(text)) * 8) / 6));
  });
}
