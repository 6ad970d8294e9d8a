// Wraps text to lines of a given width.

import { COLUMNS } from '../../report/terminal/lines.ts';

/** Returns `text` wrapped at spaces into lines of at most `columns`. A word longer than a line is split. */
export function wrapText(text: string, columns = COLUMNS): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((longWord) => chunks(longWord, columns))) {
    if (line !== '' && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** Returns the wrapped text behind a label. Later lines align with the first word of the text. */
export function labelText(label: string, text: string): readonly string[] {
  const blank = ' '.repeat(label.length);
  return wrapText(text, COLUMNS - label.length).map((line, index) => (index === 0 ? label : blank) + line);
}

/** Returns the wrapped text with `by` spaces before each line. */
export function indentText(text: string, by: number): readonly string[] {
  return labelText(' '.repeat(by), text);
}

/** Returns the word in parts of at most `size` characters. */
function chunks(word: string, size: number): readonly string[] {
  if (word.length <= size) return [word];
  const chunkCount = Math.ceil(word.length / size);
  return Array.from({ length: chunkCount }, (_, index) => word.slice(index * size, (index + 1) * size));
}
