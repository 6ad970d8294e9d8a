// Makes untrusted text, such as an exchange's message, safe for a terminal and a log.

/** Control characters, line and paragraph separators, invisible characters, direction marks, and lone surrogates. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** The same without line ends. */
const UNSAFE_IN_LINES = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** Escapes with a letter. Other characters are escaped by their code. */
const LETTER_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Returns `text` as one line of at most `max` characters without control characters. A cut text ends with the original length. */
export function sanitizeText(text: string, max = 200): string {
  // Cut the text first, so that only `max` characters are escaped. Escapes make it longer, so cut again.
  const escaped = text.slice(0, max).replace(UNSAFE, (unsafe) => LETTER_ESCAPES[unsafe] ?? codeEscape(unsafe));
  const shortened = escaped.length <= max ? escaped : escaped.slice(0, max);
  const isWhole = text.length <= max && escaped.length <= max;
  return isWhole ? shortened : `${shortened}... (${text.length} characters)`;
}

/** Returns JSON text with unsafe characters as JSON escapes. Its meaning is the same. */
export function sanitizeJson(json: string): string {
  return json.replace(UNSAFE, (unsafe) => (unsafe === '\n' ? unsafe : unicodeEscape(unsafe)));
}

/** The colour codes of `report/terminal`, which commands may print. */
// oxlint-disable-next-line no-control-regex -- colour codes begin with a control character
const COLOUR = /(\u001b\[(?:3[0-9]|39|9[0-7])m)/;

/** Returns text of several lines with the unsafe characters of untrusted files and names escaped. Line ends and colours stay. */
export function terminalText(text: string): string {
  // Most text is safe as it is.
  if (text.search(UNSAFE_IN_LINES) < 0) return text;
  return (
    text
      .split(COLOUR)
      // A split by a pattern with a group puts what it matched, the colours, at the odd positions.
      .map((segment, index) =>
        index % 2 === 1 ? segment : segment.replaceAll(UNSAFE_IN_LINES, (unsafe) => LETTER_ESCAPES[unsafe] ?? codeEscape(unsafe)),
      )
      .join('')
  );
}

/** Returns one character as `\xNN`, or as `\uNNNN` from 256 on. */
function codeEscape(unsafe: string): string {
  const code = unsafe.charCodeAt(0);
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : unicodeEscape(unsafe);
}

/** Returns each UTF-16 unit of a character as `\uNNNN`. */
const unicodeEscape = (unsafe: string): string =>
  Array.from({ length: unsafe.length }, (_, index) => `\\u${unsafe.charCodeAt(index).toString(16).padStart(4, '0')}`).join('');
