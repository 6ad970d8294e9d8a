// Finds a credential in what a service sent, in every form in which it could come back, without keeping the credential.

/** Digest of bytes under a key that nobody else has. */
type Digest = (bytes: Uint8Array) => string;

const BASE = 0x01000193;
const MASK = '*'.charCodeAt(0);
const BUCKETS = 1 << 16;

/** What is known of all forms of one length. */
interface Forms {
  readonly length: number;
  /** Weight of the byte that leaves a window. */
  readonly power: number;
  readonly sums: Set<number>;
  /** The upper halves of the sums: one look here tells nearly every window from a form. */
  readonly buckets: Uint8Array;
}

/**
 * Letters count in any case, and base64url as base64: so one form stands for all that differ in no more. Of every form a rolling checksum
 * and a keyed digest are kept: the checksum finds candidates at a few instructions a byte, the digest decides.
 */
export class Echoes {
  readonly #digest: Digest;
  readonly #digests = new Set<string>();
  readonly #forms = new Map<number, Forms>();
  /** Length of the shortest form: in less there is none. */
  readonly #shortest: number;

  constructor(credentials: readonly string[], digest: Digest) {
    this.#digest = digest;
    for (const form of new Set(credentials.flatMap(formsOf))) this.#learn(folded(Buffer.from(form)));
    this.#shortest = Math.min(...this.#forms.keys());
  }

  #learn(form: Uint8Array): void {
    const { length } = form;
    const known = this.#forms.get(length) ?? { length, power: powerOf(length - 1), sums: new Set(), buckets: new Uint8Array(BUCKETS) };
    this.#forms.set(length, known);
    const sum = form.reduce((before, byte) => (Math.imul(before, BASE) + byte) | 0, 0);
    known.sums.add(sum);
    known.buckets[sum >>> 16] = 1;
    this.#digests.add(this.#digest(form));
  }

  /** The bytes with asterisks where a credential stood; the same array where none did. */
  hide(bytes: Uint8Array): Uint8Array {
    if (bytes.length < this.#shortest) return bytes;
    const text = folded(bytes);
    let clean = bytes;
    for (const forms of this.#forms.values()) {
      for (const start of this.#windows(text, forms)) {
        if (clean === bytes) clean = bytes.slice();
        clean.fill(MASK, start, start + forms.length);
      }
    }
    return clean;
  }

  /** Where forms of one length begin. */
  #windows(text: Uint8Array, { length, power, sums, buckets }: Forms): readonly number[] {
    const found: number[] = [];
    if (text.length < length) return found;
    let sum = 0;
    for (let at = 0; at < length - 1; at++) sum = (Math.imul(sum, BASE) + text[at]!) | 0;
    for (let start = 0, end = length - 1; end < text.length; start++, end++) {
      sum = (Math.imul(sum, BASE) + text[end]!) | 0;
      if (buckets[sum >>> 16] === 1 && sums.has(sum) && this.#digests.has(this.#digest(text.subarray(start, end + 1)))) found.push(start);
      sum = (sum - Math.imul(text[start]!, power)) | 0;
    }
    return found;
  }

  hideIn(text: string): string {
    if (text.length < this.#shortest) return text;
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
