// HTML templates that escape every inserted value except markup.

/** HTML text that is inserted as it is. */
export class Markup {
  /** HTML text, already escaped. */
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A value that a template can insert. */
export type MarkupPart = Markup | string | number | null | readonly MarkupPart[];

/** Template tag: escapes text, joins lists, and omits null. */
export function html(strings: TemplateStringsArray, ...parts: readonly MarkupPart[]): Markup {
  return new Markup(strings.reduce((text, string, index) => text + writePart(parts[index - 1] ?? null) + string));
}

/** Returns a part of a template as HTML. Everything except markup is escaped. */
function writePart(part: MarkupPart): string {
  if (part === null) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'object') return part.map(writePart).join('');
  return escapeHtml(String(part));
}

/** Returns text that is safe in HTML content and attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

/**
 * Returns a script element. `attributes` are written as in HTML. The end tag is not part of an `html` template: compilers rewrite templates
 * with that tag, and call a helper of a package instead.
 */
export function scriptElement(code: string, attributes = ''): Markup {
  return new Markup(`<script${attributes === '' ? '' : ` ${attributes}`}>${code}</script>`);
}

/** Returns JSON that is safe inside a script element: it cannot start an end tag or a comment. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replace(/</g, '\\u003c');
}
