// Separates code from comments and strings in a strategy file, and finds embedded data. Each takes one pass, in time linear in the text.

/** This many numbers in a row are data, not settings. */
const MAX_NUMBERS_IN_A_ROW = 100;
/** Length limits: of one text without blanks or one number, and of all long texts in a file together. */
const MAX_TEXT_LENGTH = 512;
const MIN_LONG_TEXT_LENGTH = 80;
const MAX_LONG_TEXTS_LENGTH = 2_000;

const LITERAL =
  /\/\*[\s\S]*?(?:\*\/|$)|\/\/[^\n]*|'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"|`(?:[^`\\]|\\[\s\S])*`|(?<=(?:[=(,:;!&|?{}[\n]|=>|\breturn)[ \t]*)\/(?![*/])(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\//g;

/** Returns the code with unchanged positions: comments, strings and regular expressions become blanks; expressions in templates stay. */
export function codeOnly(text: string): string {
  return text.replace(LITERAL, (literal) => {
    const expressions = literal.startsWith('`') ? [...literal.matchAll(/\$\{[^}]*\}/g)] : [];
    const blank = literal.replace(/[^\n]/g, ' ');
    return expressions.reduce(
      (masked, { 0: expression, index }) => masked.slice(0, index) + expression + masked.slice(index + expression.length),
      blank,
    );
  });
}

/** Separators between the values of a table. */
const TABLE_SEPARATORS = /[\s,;|()[\]{}]+/y;
const QUOTED = /'[^'\n]{0,64}'|"[^"\n]{0,64}"/y;
const WORD = /[\w.+-]+/y;
const COLON = /\s*:/y;
const NUMBER = /^[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:e[+-]?\d+)?n?$|^(?:true|false)$/i;
/** Part of a date or time: it neither counts as a number nor ends a table. */
const DATE_PART = /^\d[\d.TZ+-]*$/;

/** Returns where a table of numbers or a long text begins, or -1. */
export function dataAt(text: string): number {
  const table = tableAt(text);
  return table >= 0 ? table : longTextAt(text);
}

/** Returns the offset of the first long list of numbers or of a very long number; -1 without one. */
function tableAt(text: string): number {
  let count = 0;
  let start = -1;
  for (let index = 0; index < text.length;) {
    const separatorLength = lengthAt(TABLE_SEPARATORS, text, index);
    if (separatorLength > 0) {
      index += separatorLength;
      continue;
    }
    const quotedLength = lengthAt(QUOTED, text, index);
    const length = quotedLength > 0 ? quotedLength : lengthAt(WORD, text, index);
    const value = quotedLength > 0 ? text.slice(index + 1, index + length - 1).trim() : text.slice(index, index + length);
    if (NUMBER.test(value)) {
      if (value.length >= MAX_TEXT_LENGTH) return index;
      if (count === 0) start = index;
      const colonLength = lengthAt(COLON, text, index + length);
      if (colonLength === 0 && ++count === MAX_NUMBERS_IN_A_ROW) return start;
      index += length + colonLength;
      continue;
    }
    const colonLength = length > 0 ? lengthAt(COLON, text, index + length) : 0;
    if (colonLength === 0 && !DATE_PART.test(value)) count = 0;
    index += Math.max(1, length + colonLength);
  }
  return -1;
}

/** Returns the offset of the first long text, or of the first of several texts that are long together; -1 without one. */
function longTextAt(text: string): number {
  let totalLength = 0;
  let firstIndex = -1;
  for (const { 0: constant, index } of text.matchAll(/'[^'\s\\]+'|"[^"\s\\]+"|`[^`\s\\]+`|\b0x[\da-f_]+n?/gi)) {
    if (constant.length < MIN_LONG_TEXT_LENGTH) continue;
    if (firstIndex < 0) firstIndex = index;
    totalLength += constant.length;
    if (constant.length >= MAX_TEXT_LENGTH || totalLength >= MAX_LONG_TEXTS_LENGTH) return firstIndex;
  }
  return -1;
}

function lengthAt(pattern: RegExp, text: string, offset: number): number {
  pattern.lastIndex = offset;
  return pattern.exec(text)?.[0].length ?? 0;
}
