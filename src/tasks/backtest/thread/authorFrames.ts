// The lines of a stack that are the author's own: those of the framework and of Node say nothing to them.

import { fileURLToPath } from 'node:url';

/** This file lies as deep in dist as in src, and source maps name the latter for the former. */
const OWN = ['src', 'dist'].map((folder) => fileURLToPath(new URL(`../../../../${folder}/`, import.meta.url)));

export function authorFrames(stack: string): readonly string[] {
  return placesIn(stack).filter((line) => !OWN.some((folder) => line.includes(folder)));
}

/** Whether what was thrown came out of the author's code, not out of what that called. */
export function isAuthors(stack: string): boolean {
  const [first] = placesIn(stack);
  return first !== undefined && authorFrames(first).length > 0;
}

function placesIn(stack: string): readonly string[] {
  return stack.split('\n').filter((line) => /^\s+at .*:\d+:\d+/.test(line) && !line.includes('node:'));
}
