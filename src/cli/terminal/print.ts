// Prints results on stdout: lines for people, or one JSON value for programs.

import { sanitizeJson, terminalText } from '../../base/text/untrustedText.ts';

/** Prints a text. It can contain untrusted names and texts, so terminal control characters are escaped. */
export function print(text: string): void {
  process.stdout.write(`${terminalText(text)}\n`);
}

/** Prints a text on stderr in the same way. */
export function printError(text: string): void {
  process.stderr.write(`${terminalText(text)}\n`);
}

export function printLines(lines: readonly string[]): void {
  print(lines.join('\n'));
}

export function printJson(value: unknown): void {
  process.stdout.write(`${sanitizeJson(jsonText(value))}\n`);
}

/** Returns JSON without a final \n. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
