// The line format of the control socket: one JSON object per request and per reply, each with the protocol version.

/** The version of the format. A request of another version is rejected. */
export const PROTOCOL_VERSION = 1;
/** Maximum size of a request. */
export const MAX_REQUEST_BYTES = 64 * 1024;
/** Maximum size of a reply. The view of a busy bot has some hundred kilobytes. */
export const MAX_ANSWER_BYTES = 32 * 2 ** 20;

/** Maximum length of the name of a sender. */
const MAX_WHO_LENGTH = 100;

/** A request. `v` is the protocol version, `id` is returned with the reply; the journal records `who`. */
export interface RequestLine {
  readonly v: number;
  readonly id: number;
  readonly who: string;
  readonly request: unknown;
}

/** A reply. */
export type AnswerLine =
  | { readonly v: number; readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly v: number; readonly id: number; readonly ok: false; readonly problem: string };

/** Returns a JSON object as members; null for other text. */
const parseMembers = (text: string): Readonly<Record<string, unknown>> | null => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
};

/** Returns null for an invalid request line. */
export function readRequestLine(text: string): RequestLine | null {
  const { v, id, who, request } = parseMembers(text) ?? {};
  const isValid = typeof v === 'number' && typeof id === 'number' && typeof who === 'string' && who.length <= MAX_WHO_LENGTH;
  return isValid ? { v, id, who, request } : null;
}

/** Returns null for an invalid reply line. */
export function readAnswerLine(text: string): AnswerLine | null {
  const { v, id, ok, value, problem } = parseMembers(text) ?? {};
  if (typeof v !== 'number' || typeof id !== 'number') return null;
  if (ok === true) return { v, id, ok, value };
  return ok === false && typeof problem === 'string' ? { v, id, ok, problem } : null;
}

/** Returns a line with its line feed. */
export const lineText = (line: RequestLine | AnswerLine): string => `${JSON.stringify(line)}\n`;

/** Splits a stream of text into lines. Calls `onTooLong` once if a line is longer than `maxLength` characters. */
export class ControlLines {
  readonly #maxLength: number;
  readonly #onLine: (text: string) => void;
  readonly #onTooLong: () => void;
  #incompleteLine = '';

  constructor(maxLength: number, onLine: (text: string) => void, onTooLong: () => void) {
    this.#maxLength = maxLength;
    this.#onLine = onLine;
    this.#onTooLong = onTooLong;
  }

  /** Adds the next part of the stream. */
  add(text: string): void {
    const lines = (this.#incompleteLine + text).split('\n');
    this.#incompleteLine = lines.pop() ?? '';
    if (this.#incompleteLine.length > this.#maxLength || lines.some((line) => line.length > this.#maxLength)) {
      this.#incompleteLine = '';
      this.#onTooLong();
      return;
    }
    for (const line of lines) this.#onLine(line);
  }
}
