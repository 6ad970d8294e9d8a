// Tests untrusted text on a terminal: control characters are escaped, and colours are kept.

import { expect, it } from 'vitest';
import { terminalText } from './untrustedText.ts';

it.each([
  ['plain text\nof two lines', 'plain text\nof two lines'],
  ['a \u001b[31mred\u001b[39m word', 'a \u001b[31mred\u001b[39m word'],
  ['the screen \u001b[2J is kept', 'the screen \\x1b[2J is kept'],
  ['a title \u001b]0;x\u0007 is not set', 'a title \\x1b]0;x\\x07 is not set'],
  ['over\rwritten', 'over\\rwritten'],
  ['hidden \u001b[8m text', 'hidden \\x1b[8m text'],
  ['\u009b31m as one byte', '\\x9b31m as one byte'],
  ['turned \u202e round', 'turned \\u202e round'],
])('a terminal shows the untrusted text %j as %j', (rawText, expectedText) => {
  expect(terminalText(rawText)).toBe(expectedText);
});
