// Finds a credential in a service's reply, in every encoding in which it could come back, without storing the credential.

/** Returns a keyed digest of the bytes. The key is secret. */
type Digest = (bytes: Uint8Array) => string;

const BASE = 0x01000193;
const MASK = '*'.charCodeAt(0);
const BUCKETS = 1 << 16;

/**
 * Letters are matched in any case, and base64url as base64, so that one form covers such variants. For every form the scanner keeps a keyed
 * digest, and a rolling checksum of its beginning, as long as the shortest form. One pass over the bytes finds candidates of all forms at a
 * few instructions a byte; the digest decides.
 */
export class CredentialScanner {
  readonly #digest: Digest;
  readonly #digests = new Set<string>();
  /** Lengths of the forms whose beginning has a given checksum. */
  readonly #lengths = new Map<number, readonly number[]>();
  /** The upper halves of the checksums. One lookup rules out nearly every window. */
  readonly #buckets = new Uint8Array(BUCKETS);
  /** Length of the shortest form. Shorter text contains no credential. */
  readonly #minLength: number;
  /** Weight of the byte that leaves a window of that length. */
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
    const known = this.#lengths.get(sum) ?? [];
    if (!known.includes(form.length)) this.#lengths.set(sum, [...known, form.length]);
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
    for (let at = 0; at < min - 1; at++) sum = (Math.imul(sum, BASE) + FOLD[bytes[at]!]!) | 0;
    for (let start = 0, end = min - 1; end < bytes.length; start++, end++) {
      sum = (Math.imul(sum, BASE) + FOLD[bytes[end]!]!) | 0;
      if (buckets[sum >>> 16] === 1) clean = this.#hideAt(start, sum, bytes, clean);
      sum = (sum - Math.imul(FOLD[bytes[start]!]!, power)) | 0;
    }
    return clean;
  }

  /** `clean`: the result of the replacements before this one. */
  #hideAt(start: number, sum: number, bytes: Uint8Array, clean: Uint8Array): Uint8Array {
    let found = clean;
    for (const length of this.#lengths.get(sum) ?? []) {
      const end = start + length;
      if (end > bytes.length || !this.#digests.has(this.#digest(foldCase(bytes.subarray(start, end))))) continue;
      // A Buffer's own slice would share the memory.
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

function foldCase(bytes: Uint8Array): Uint8Array {
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

/**
 * Returns the base64 forms of `text` inside longer data, one for each offset modulo three bytes, without the characters that depend on
 * neighbouring bytes.
 */
function base64Within(text: string): readonly string[] {
  return [0, 1, 2].map((before) => {
    const all = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]).toString('base64url');
    const first = Math.ceil((before * 8) / 6);
    return all.slice(first, Math.floor(((before + Buffer.byteLength(text)) * 8) / 6));
  });
}
