// Parses lossless JSON strictly: with bounded size and depth, no duplicate keys, nothing after the value, and exact numbers.

import { JsonNumber, MAX_NUMBER_CHARS, expandExponent, type Json } from './json.ts';

/**
 * The problem of a text. `syntax`: not JSON or not UTF-8. `trailing`: something after the value. `duplicateKey`: an object with a key
 * twice. `depth`, `size` and `number`: beyond the limits.
 */
export type JsonProblem = 'syntax' | 'trailing' | 'duplicateKey' | 'depth' | 'size' | 'number';
/** The parsed value, or what is wrong with the text. */
export type JsonResult =
  | { readonly ok: true; readonly value: Json }
  /** `offset`: offset of the problem in characters. */
  | { readonly ok: false; readonly problem: JsonProblem; readonly offset: number };

/** Bounds on untrusted JSON. */
export interface JsonLimits {
  /** Maximum size in bytes, or in characters for text input. The largest reply of the exchange, 1000 orders, has about 400 kB. */
  readonly maxSize: number;
  /** Maximum nesting of lists and objects. */
  readonly maxDepth: number;
}
/** Limits for a reply of an exchange. */
export const JSON_LIMITS: JsonLimits = { maxSize: 4 * 1024 * 1024, maxDepth: 32 };

/** Returns the value of `input`, or its first problem. Never throws. */
export function parseJson(input: Uint8Array | string, limits: JsonLimits = JSON_LIMITS): JsonResult {
  if (input.length > limits.maxSize) return { ok: false, problem: 'size', offset: limits.maxSize };
  const text = typeof input === 'string' ? input : decodeText(input);
  if (text === null) return { ok: false, problem: 'syntax', offset: 0 };
  const reader = new JsonReader(text, limits.maxDepth);
  const value = reader.document();
  return reader.problem === null && value !== undefined
    ? { ok: true, value }
    : { ok: false, problem: reader.problem ?? 'syntax', offset: reader.offset };
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns UTF-8 bytes as text. Null if they are not UTF-8. */
function decodeText(bytes: Uint8Array): string | null {
  try {
    return UTF8.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// Character codes.
const TAB = 9;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const COLON = 58;
const BRACKET = 91;
const END_BRACKET = 93;
const BRACE = 123;
const END_BRACE = 125;
const LETTER_A = 97;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
const HEX = /^[\da-fA-F]{4}$/;
const JSON_LITERALS: readonly (readonly [string, Json])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

/** A recursive-descent parser of one text. After the first problem, `problem` and `offset` say what and where it is. */
class JsonReader {
  offset = 0;
  problem: JsonProblem | null = null;
  readonly #text: string;
  readonly #maxDepth: number;

  constructor(text: string, maxDepth: number) {
    this.#text = text;
    this.#maxDepth = maxDepth;
  }

  /** Reads the whole text. Undefined after a problem. */
  document(): Json | undefined {
    const value = this.#value(0);
    this.#skipSpace();
    return value !== undefined && this.offset < this.#text.length ? this.#fail('trailing') : value;
  }

  /** Notes the problem, unless an earlier one is noted. Returns undefined, which every method returns after a problem. */
  #fail(problem: JsonProblem): undefined {
    this.problem ??= problem;
    return undefined;
  }

  #skipSpace(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.offset);
      if (code !== SPACE && code !== LINE_FEED && code !== CARRIAGE_RETURN && code !== TAB) return;
      this.offset++;
    }
  }

  /** Consumes the next character if it has this code. Returns false otherwise. */
  #take(code: number): boolean {
    this.#skipSpace();
    if (this.#text.charCodeAt(this.offset) !== code) return false;
    this.offset++;
    return true;
  }

  /** Reads any value, at this depth of nesting. */
  #value(depth: number): Json | undefined {
    this.#skipSpace();
    const first = this.#text.charCodeAt(this.offset);
    if (first === QUOTE) return this.#string();
    if (first === BRACE || first === BRACKET) {
      if (depth >= this.#maxDepth) return this.#fail('depth');
      this.offset++;
      return first === BRACE ? this.#object(depth + 1) : this.#list(depth + 1);
    }
    // The codes of digits and of the minus are below those of the letters with which `true`, `false` and `null` begin.
    if (first < LETTER_A) return this.#number();
    for (const [word, value] of JSON_LITERALS) {
      if (!this.#text.startsWith(word, this.offset)) continue;
      this.offset += word.length;
      return value;
    }
    return this.#number();
  }

  /** Reads the members of an object after its brace. A repeated name is a problem. */
  #object(depth: number): Json | undefined {
    const members = new Map<string, Json>();
    if (this.#take(END_BRACE)) return members;
    do {
      this.#skipSpace();
      const start = this.offset;
      const name = this.#text.charCodeAt(start) === QUOTE ? this.#string() : this.#fail('syntax');
      if (name === undefined) return undefined;
      if (members.has(name)) {
        this.offset = start;
        return this.#fail('duplicateKey');
      }
      if (!this.#take(COLON)) return this.#fail('syntax');
      const value = this.#value(depth);
      if (value === undefined) return undefined;
      members.set(name, value);
    } while (this.#take(COMMA));
    return this.#take(END_BRACE) ? members : this.#fail('syntax');
  }

  /** Reads the elements of a list after its bracket. */
  #list(depth: number): Json | undefined {
    const elements: Json[] = [];
    if (this.#take(END_BRACKET)) return elements;
    do {
      const value = this.#value(depth);
      if (value === undefined) return undefined;
      elements.push(value);
    } while (this.#take(COMMA));
    return this.#take(END_BRACKET) ? elements : this.#fail('syntax');
  }

  /** Reads a number without losing digits. */
  #number(): JsonNumber | undefined {
    // `test` and `slice` need less memory than `exec`, whose match arrays would be a third of a reply's memory.
    NUMBER.lastIndex = this.offset;
    if (!NUMBER.test(this.#text)) return this.#fail('syntax');
    const text = this.#text.slice(this.offset, NUMBER.lastIndex);
    const plain = text.length <= MAX_NUMBER_CHARS ? expandExponent(text) : null;
    if (plain === null) return this.#fail('number');
    this.offset += text.length;
    return new JsonNumber(plain);
  }

  /** Reads a text in quotes, with its escapes. */
  #string(): string | undefined {
    this.offset++;
    let value = '';
    for (;;) {
      const chunk = this.#plainChars();
      value = value === '' ? chunk : value + chunk;
      const stop = this.#text.charCodeAt(this.offset);
      if (stop === QUOTE) {
        this.offset++;
        return value;
      }
      const escaped = stop === BACKSLASH ? this.#escape() : undefined;
      if (escaped === undefined) return this.#fail('syntax');
      value += escaped;
    }
  }

  /** Returns the characters up to the next quote, backslash or control character. The caller rejects control characters. */
  #plainChars(): string {
    const text = this.#text;
    const from = this.offset;
    let index = from;
    // Beyond the end of the text the code is NaN, which ends the loop.
    for (let code = text.charCodeAt(index); code >= SPACE && code !== QUOTE && code !== BACKSLASH; code = text.charCodeAt(index)) index++;
    this.offset = index;
    return text.slice(from, index);
  }

  /** Returns the character of the current escape; undefined if the escape is invalid. */
  #escape(): string | undefined {
    const kind = this.#text[this.offset + 1] ?? '';
    if (kind !== 'u') {
      this.offset += 2;
      return Object.hasOwn(ESCAPES, kind) ? ESCAPES[kind] : undefined;
    }
    const hex = this.#text.slice(this.offset + 2, this.offset + 6);
    if (!HEX.test(hex)) return undefined;
    this.offset += 6;
    return String.fromCharCode(Number.parseInt(hex, 16));
  }
}
