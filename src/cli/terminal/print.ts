// Prints results on stdout: lines for people, or one JSON value for programs.

import { sanitizeJson, terminalText } from '../../base/text/untrustedText.ts';

/** Prints a text on stdout. Escapes terminal control characters, because the text can contain untrusted names. */
export function print(text: string): void {
  process.stdout.write(`${terminalText(text)}\n`);
}

/** Prints a text on stderr, with the same escapes as `print`. */
export function printError(text: string): void {
  process.stderr.write(`${terminalText(text)}\n`);
}

/** Prints lines on stdout. */
export function printLines(lines: readonly string[]): void {
  print(lines.join('\n'));
}

/** Prints a value as JSON on stdout. */
export function printJson(value: unknown): void {
  process.stdout.write(`${sanitizeJson(jsonText(value))}\n`);
}

/** Returns indented JSON without a final line break. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
