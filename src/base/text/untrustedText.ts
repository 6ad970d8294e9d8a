// Text of strangers, such as an exchange's message, made fit for a terminal and a log: no control characters, no more than so many.

/** Controls of one and two bytes, line and paragraph separators, what is invisible or turns the direction of text, halves of characters. */
const UNFIT = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const UNFIT_IN_LINES = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** `text` in one line of at most `max` characters; what was cut off is counted. */
export function sanitizeText(text: string, max = 200): string {
  // Escapes lengthen the text, so what could not be shown anyway is left out first.
  const shown = text.slice(0, max).replace(UNFIT, (unfit) => SHORT[unfit] ?? escaped(unfit));
  const kept = shown.length <= max ? shown : shown.slice(0, max);
  const isWhole = text.length <= max && shown.length <= max;
  return isWhole ? kept : `${kept}... (${text.length} characters)`;
}

/** JSON text with the same characters as escapes of JSON: it says what it said, and a terminal may show it. */
export function sanitizeJson(json: string): string {
  return json.replace(UNFIT, (unfit) => (unfit === '\n' ? unfit : unicode(unfit)));
}

/** What a command may write beside plain text: the colours of `report/terminal`. */
// oxlint-disable-next-line no-control-regex -- our own colours are found by the character with which they begin
const COLOUR = /(\u001b\[(?:3[0-9]|39|9[0-7])m)/;

/** `text` of several lines, with what strangers' files and names have brought into it escaped; line ends and colours stay. */
export function terminalText(text: string): string {
  // Most text is fit as it is.
  if (text.search(UNFIT_IN_LINES) < 0) return text;
  return text
    .split(COLOUR)
    .map((part, at) => (at % 2 === 1 ? part : part.replaceAll(UNFIT_IN_LINES, (unfit) => SHORT[unfit] ?? escaped(unfit))))
    .join('');
}

function escaped(unfit: string): string {
  const code = unfit.charCodeAt(0);
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : unicode(unfit);
}

const unicode = (unfit: string): string =>
  Array.from({ length: unfit.length }, (_, at) => `\\u${unfit.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
