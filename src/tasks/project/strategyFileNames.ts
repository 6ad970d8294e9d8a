// Derives the file name and the class name of a strategy from the name that the user gives.

import { ConfigError } from '../../base/errors.ts';
import type { StrategyNames } from './templateTexts.ts';

/** Most characters of a name. */
const MAX_NAME_LENGTH = 60;

/**
 * Returns the file and class names of a strategy: `mean-cross`, `mean cross` and `MeanCross` give meanCross and MeanCross. Throws ConfigError
 * for an invalid name.
 */
export function strategyFileNames(name: string): StrategyNames {
  const words = name.split(/[-_\s]+/).filter((word) => word !== '');
  const joined = words.map((word, index) => (index === 0 ? word : capitalize(word))).join('');
  if (!/^[A-Za-z][A-Za-z0-9]*$/.test(joined) || joined.length > MAX_NAME_LENGTH) {
    throw new ConfigError(
      `${name}: expected a name of at most ${MAX_NAME_LENGTH} letters and digits that begins with a letter`,
      'such as: isobar strategy new meanCross',
    );
  }
  const className = capitalize(joined);
  if (className === 'Strategy') {
    throw new ConfigError(`${name}: Strategy is the class that every strategy extends`, 'choose another name, such as meanCross');
  }
  return { file: lowerFirst(joined), className };
}

/** Returns the word with a capital first letter. */
function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Returns the word with a lower-case start. Leading capitals count as one word: `RSICross` becomes `rsiCross`. */
function lowerFirst(word: string): string {
  return word.replace(/^(?:[A-Z]+(?=[A-Z][a-z]|\d|$)|[A-Z])/, (capitals) => capitals.toLowerCase());
}
