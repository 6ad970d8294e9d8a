// Text in lines of a given width.

import { COLUMNS } from '../../report/terminal/lines.ts';

/** `text` broken at blanks into lines of at most `columns`, and within a word that is longer than a line. */
export function wrapped(text: string, columns = COLUMNS): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((each) => chunks(each, columns))) {
    if (line !== '' && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** The same behind a label; later lines stand under the first word. */
export function labelled(label: string, text: string): readonly string[] {
  const blank = ' '.repeat(label.length);
  return wrapped(text, COLUMNS - label.length).map((line, at) => (at === 0 ? label : blank) + line);
}

export function indented(text: string, by: number): readonly string[] {
  return labelled(' '.repeat(by), text);
}

const chunks = (word: string, size: number): readonly string[] =>
  word.length <= size ? [word] : Array.from({ length: Math.ceil(word.length / size) }, (_, at) => word.slice(at * size, (at + 1) * size));
