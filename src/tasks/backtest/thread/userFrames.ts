// Finds the lines of a stack trace that belong to the user's code, without those of the framework and Node.

import { fileURLToPath } from 'node:url';
import { OWN_FOLDERS } from '../../../base/inPackage.ts';

/** Paths of the folders of the framework's own code. */
const OWN_FOLDER_PATHS = OWN_FOLDERS.map((folder) => fileURLToPath(folder));

/** Returns the lines of a stack that lie in the user's code. */
export function userFrames(stack: string): readonly string[] {
  return frameLines(stack).filter(isUserFrame);
}

/** True when the error was thrown in the user's code itself, not in code that it called. */
export function isThrownByUserCode(stack: string): boolean {
  const [innermostFrame] = frameLines(stack);
  return innermostFrame !== undefined && isUserFrame(innermostFrame);
}

function isUserFrame(line: string): boolean {
  return !OWN_FOLDER_PATHS.some((folder) => line.includes(folder));
}

/** Returns the lines that name a place in a file, such as `at run (file:3:5)`. Lines of Node's own modules contain `node:`. */
function frameLines(stack: string): readonly string[] {
  return stack.split('\n').filter((line) => /^\s+at .*:\d+:\d+/.test(line) && !line.includes('node:'));
}
