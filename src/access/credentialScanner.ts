// Finds credentials in the replies of a service, in every likely encoding, without storing the credentials.

import { smallestOf } from '../base/number/extremes.ts';

/** Returns a digest of bytes under a secret key. */
type Digest = (bytes: Uint8Array) => string;

/** Base of the rolling checksum. */
const CHECKSUM_BASE = 0x01000193;
const MASK = '*'.charCodeAt(0);
const UPPER_HALVES = 1 << 16;

/**
 * Masks credentials in every likely encoding. An encoding of a credential is called a form. Letters match in any case, and base64url matches
 * base64. The scanner stores only a keyed digest of each form and a checksum of its beginning. A window with a rolling checksum moves over
 * the bytes and finds candidates. The digest then decides whether a candidate is a form.
 */
export class CredentialScanner {
  readonly #digest: Digest;
  readonly #digests = new Set<string>();
  /** Lengths of the forms, by the checksum of their beginnings. */
  readonly #lengths = new Map<number, readonly number[]>();
  /** Marks the upper halves of the checksums of `#lengths`, so that one lookup excludes nearly every window. */
  readonly #hasUpperHalf = new Uint8Array(UPPER_HALVES);
  /** Length of the shortest form. Shorter text contains no credential. */
  readonly #minLength: number;
  /** Weight in the checksum of the byte that leaves the window. */
  readonly #leavingWeight: number;

  constructor(credentials: readonly string[], digest: Digest) {
    this.#digest = digest;
    const forms = Array.from(new Set(credentials.flatMap(formsOf)), (form) => foldCase(Buffer.from(form)));
    this.#minLength = smallestOf(forms.map(({ length }) => length));
    this.#leavingWeight = powerOf(this.#minLength - 1);
    for (const form of forms) this.#storeForm(form);
  }

  /** Stores the digest of a form and the checksum of its beginning. */
  #storeForm(form: Uint8Array): void {
    const checksum = form.subarray(0, this.#minLength).reduce((sumBefore, byte) => (Math.imul(sumBefore, CHECKSUM_BASE) + byte) | 0, 0);
    const lengths = this.#lengths.get(checksum) ?? [];
    if (!lengths.includes(form.length)) this.#lengths.set(checksum, [...lengths, form.length]);
    this.#hasUpperHalf[checksum >>> 16] = 1;
    this.#digests.add(this.#digest(form));
  }

  /** Returns the bytes with credentials replaced by asterisks. Returns the same array if it contains no credential. */
  maskBytes(bytes: Uint8Array): Uint8Array {
    const min = this.#minLength;
    if (bytes.length < min) return bytes;
    const hasUpperHalf = this.#hasUpperHalf;
    const leavingWeight = this.#leavingWeight;
    let clean = bytes;
    let checksum = 0;
    for (let index = 0; index < min - 1; index++) checksum = (Math.imul(checksum, CHECKSUM_BASE) + FOLD[bytes[index]!]!) | 0;
    for (let start = 0, windowEnd = min - 1; windowEnd < bytes.length; start++, windowEnd++) {
      checksum = (Math.imul(checksum, CHECKSUM_BASE) + FOLD[bytes[windowEnd]!]!) | 0;
      if (hasUpperHalf[checksum >>> 16] === 1) clean = this.#maskAt(start, checksum, bytes, clean);
      checksum = (checksum - Math.imul(FOLD[bytes[start]!]!, leavingWeight)) | 0;
    }
    return clean;
  }

  /** Masks the forms that begin at `start`. `clean` has the earlier replacements. Returns `clean` with the new ones. */
  #maskAt(start: number, checksum: number, bytes: Uint8Array, clean: Uint8Array): Uint8Array {
    let masked = clean;
    for (const length of this.#lengths.get(checksum) ?? []) {
      const formEnd = start + length;
      if (formEnd > bytes.length || !this.#digests.has(this.#digest(foldCase(bytes.subarray(start, formEnd))))) continue;
      // The caller's array must not change. `slice` of a Buffer would share its memory.
      if (masked === bytes) masked = Uint8Array.from(bytes);
      masked.fill(MASK, start, formEnd);
    }
    return masked;
  }

  /** Returns the text with credentials replaced by asterisks. */
  maskText(text: string): string {
    if (text.length < this.#minLength) return text;
    const bytes = Buffer.from(text);
    const clean = this.maskBytes(bytes);
    return clean === bytes ? text : Buffer.from(clean).toString();
  }
}

/** Returns CHECKSUM_BASE to this power, as a 32-bit integer. */
const powerOf = (exponent: number): number =>
  Array.from({ length: exponent }).reduce<number>((power) => Math.imul(power, CHECKSUM_BASE), 1);

/** Maps each byte to lower case, and the letters of base64url to those of base64. */
const FOLD = Uint8Array.from({ length: 256 }, (_, byte) => {
  const isCapital = byte >= 0x41 && byte <= 0x5a;
  if (isCapital) return byte + 0x20;
  if (byte === '-'.charCodeAt(0)) return '+'.charCodeAt(0);
  return byte === '_'.charCodeAt(0) ? '/'.charCodeAt(0) : byte;
});

/** Returns a copy of the bytes in which equivalent letters are equal. */
function foldCase(bytes: Uint8Array): Uint8Array {
  const folded = new Uint8Array(bytes.length);
  for (let index = 0; index < bytes.length; index++) folded[index] = FOLD[bytes[index]!]!;
  return folded;
}

/** Returns the encodings in which a service could send a credential back. */
function formsOf(credential: string): readonly string[] {
  const swappedCase = credential.replace(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()));
  const cases = [credential, credential.toLowerCase(), credential.toUpperCase(), swappedCase];
  const hex = cases.map((text) => Buffer.from(text).toString('hex'));
  const percent = hex.map((digits) => digits.replace(/../g, '%$&'));
  return [credential, encodeURIComponent(credential), ...hex, ...percent, ...cases.flatMap(base64Within)];
}

/**
 * Returns the base64 forms of `text` inside longer data. Base64 encodes three bytes at a time, so there is one form for each offset of the
 * text from such a group. The forms leave out the characters that depend on neighbouring bytes.
 */
function base64Within(text: string): readonly string[] {
  return [0, 1, 2].map((bytesBefore) => {
    const encoded = Buffer.concat([Buffer.alloc(bytesBefore), Buffer.from(text)]).toString('base64url');
    const firstCharacter = Math.ceil((bytesBefore * 8) / 6);
    const endCharacter = Math.floor(((bytesBefore + Buffer.byteLength(text)) * 8) / 6);
    return encoded.slice(firstCharacter, endCharacter);
  });
}
