// Separates code from comments and strings in a strategy file, and finds embedded data. Each takes one pass, in time linear in the text.

/** This many numbers in a row are data, not settings. */
const MANY_NUMBERS = 100;
/** Length limits: of one text without blanks or one number, and of all long texts in a file together. */
const LONG_TEXT = 512;
const LONG_PART = 80;
const LONG_PARTS = 2_000;

const LITERAL =
  /\/\*[\s\S]*?(?:\*\/|$)|\/\/[^\n]*|'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"|`(?:[^`\\]|\\[\s\S])*`|(?<=(?:[=(,:;!&|?{}[\n]|=>|\breturn)[ \t]*)\/(?![*/])(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\//g;

/** Returns the code with unchanged positions: comments, strings and regular expressions become blanks; expressions in templates stay. */
export function codeOnly(text: string): string {
  return text.replace(LITERAL, (literal) => {
    const expressions = literal.startsWith('`') ? [...literal.matchAll(/\$\{[^}]*\}/g)] : [];
    const blank = literal.replace(/[^\n]/g, ' ');
    return expressions.reduce((masked, { 0: part, index }) => masked.slice(0, index) + part + masked.slice(index + part.length), blank);
  });
}

/** Separators between the values of a table. */
const GAP = /[\s,;|()[\]{}]+/y;
const QUOTED = /'[^'\n]{0,64}'|"[^"\n]{0,64}"/y;
const WORD = /[\w.+-]+/y;
const KEY = /\s*:/y;
const NUMBER = /^[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:e[+-]?\d+)?n?$|^(?:true|false)$/i;
/** Part of a date or time: it neither counts as a number nor ends a table. */
const DATE = /^\d[\d.TZ+-]*$/;

/** Returns where a table of numbers or a long text begins, or -1. */
export function dataAt(text: string): number {
  const table = tableAt(text);
  return table >= 0 ? table : blobAt(text);
}

/** Returns the offset of the first long list of numbers or of a very long number; -1 without one. */
function tableAt(text: string): number {
  let count = 0;
  let start = -1;
  for (let index = 0; index < text.length;) {
    const gap = lengthAt(GAP, text, index);
    if (gap > 0) {
      index += gap;
      continue;
    }
    const quoted = lengthAt(QUOTED, text, index);
    const length = quoted > 0 ? quoted : lengthAt(WORD, text, index);
    const value = quoted > 0 ? text.slice(index + 1, index + length - 1).trim() : text.slice(index, index + length);
    if (NUMBER.test(value)) {
      if (value.length >= LONG_TEXT) return index;
      if (count === 0) start = index;
      const key = lengthAt(KEY, text, index + length);
      if (key === 0 && ++count === MANY_NUMBERS) return start;
      index += length + key;
      continue;
    }
    const key = length > 0 ? lengthAt(KEY, text, index + length) : 0;
    if (key === 0 && !DATE.test(value)) count = 0;
    index += Math.max(1, length + key);
  }
  return -1;
}

/** Returns the offset of the first long text, or of the first of several texts that are long together; -1 without one. */
function blobAt(text: string): number {
  let sum = 0;
  let first = -1;
  for (const { 0: constant, index } of text.matchAll(/'[^'\s\\]+'|"[^"\s\\]+"|`[^`\s\\]+`|\b0x[\da-f_]+n?/gi)) {
    if (constant.length < LONG_PART) continue;
    if (first < 0) first = index;
    sum += constant.length;
    if (constant.length >= LONG_TEXT || sum >= LONG_PARTS) return first;
  }
  return -1;
}

function lengthAt(pattern: RegExp, text: string, offset: number): number {
  pattern.lastIndex = offset;
  return pattern.exec(text)?.[0].length ?? 0;
}
