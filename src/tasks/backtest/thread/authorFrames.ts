// Finds the lines of a stack trace that belong to the user's code, without those of the framework and Node.

import { fileURLToPath } from 'node:url';
import { OWN_FOLDERS } from '../../../base/inPackage.ts';

const OWN = OWN_FOLDERS.map((folder) => fileURLToPath(folder));

/** Returns the lines of a stack that lie in the author's code. */
export function authorFrames(stack: string): readonly string[] {
  return placesIn(stack).filter((line) => !OWN.some((folder) => line.includes(folder)));
}

/** True when the error was thrown in the user's code itself, not in code that it called. */
export function isAuthors(stack: string): boolean {
  const [first] = placesIn(stack);
  return first !== undefined && authorFrames(first).length > 0;
}

function placesIn(stack: string): readonly string[] {
  return stack.split('\n').filter((line) => /^\s+at .*:\d+:\d+/.test(line) && !line.includes('node:'));
}
