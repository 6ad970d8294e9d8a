// Makes untrusted text, such as an exchange's message, safe for a terminal and a log: no control characters, at most `max` characters.

/** Control characters of one and two bytes, line and paragraph separators, invisible characters, direction marks, and lone surrogates. */
const UNFIT = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const UNFIT_IN_LINES = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Returns `text` in one line of at most `max` characters; the number of characters cut off is shown. */
export function sanitizeText(text: string, max = 200): string {
  // Escapes lengthen the text, so text that could not be shown anyway is cut first.
  const shown = text.slice(0, max).replace(UNFIT, (unfit) => SHORT[unfit] ?? escapeCharacter(unfit));
  const kept = shown.length <= max ? shown : shown.slice(0, max);
  const isWhole = text.length <= max && shown.length <= max;
  return isWhole ? kept : `${kept}... (${text.length} characters)`;
}

/** Returns JSON text with these characters as JSON escapes: same meaning, and safe for a terminal. */
export function sanitizeJson(json: string): string {
  return json.replace(UNFIT, (unfit) => (unfit === '\n' ? unfit : unicode(unfit)));
}

/** Colour codes of `report/terminal`, which a command may write besides plain text. */
// oxlint-disable-next-line no-control-regex -- our own colours are found by the character with which they begin
const COLOUR = /(\u001b\[(?:3[0-9]|39|9[0-7])m)/;

/** Returns text of several lines with the unsafe characters of untrusted files and names escaped. Line ends and colours stay. */
export function terminalText(text: string): string {
  // Most text is safe as it is.
  if (text.search(UNFIT_IN_LINES) < 0) return text;
  return text
    .split(COLOUR)
    .map((part, at) => (at % 2 === 1 ? part : part.replaceAll(UNFIT_IN_LINES, (unfit) => SHORT[unfit] ?? escapeCharacter(unfit))))
    .join('');
}

function escapeCharacter(unfit: string): string {
  const code = unfit.charCodeAt(0);
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : unicode(unfit);
}

const unicode = (unfit: string): string =>
  Array.from({ length: unfit.length }, (_, at) => `\\u${unfit.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
