// Text in lines of a given width.

/** `text` broken at blanks into lines of at most `columns`, and within a word that is longer than a line. */
export function wrapped(text: string, columns: number): readonly string[] {
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

const chunks = (word: string, size: number): readonly string[] =>
  word.length <= size ? [word] : Array.from({ length: Math.ceil(word.length / size) }, (_, at) => word.slice(at * size, (at + 1) * size));
