// The frame of every page: one HTML file without network access, light and dark, with a remembered choice of theme.

import { factList, type Fact } from './lists.ts';
import { html, Markup, scriptElement } from './markup.ts';

/** The parts of a page that differ from page to page. */
export interface ShellParts {
  readonly title: string;
  /** Version of isobar. */
  readonly version: string;
  readonly style: string;
  /** Content of the `main` element. */
  readonly content: Markup;
  /** Content after `main`: dialogs, data, scripts. */
  readonly afterMain: Markup;
}

/** Script that sets the theme which the reader chose earlier. It runs before the page is drawn. */
const THEME_SCRIPT = `
try {
  const theme = localStorage.getItem('isobar-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {}
`;

/** Returns the text of a page. */
export function shell({ title, version, style, content, afterMain }: ShellParts): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="generator" content="isobar ${version}" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        <style>
          ${new Markup(style)}
        </style>
        ${scriptElement(THEME_SCRIPT)}
      </head>
      <body>
        <main>${content}</main>
        ${afterMain}
      </body>
    </html> `.text;
}

/** Returns a list of keys and their actions. */
export function keyList(keys: readonly Fact[]): Markup {
  return html`<dialog id="keys-list" aria-label="Keys">
    <h2>Keys</h2>
    ${factList(keys)}
    <form method="dialog"><button>close</button></form>
  </dialog>`;
}

/** The script after the packed columns. It reports to the page that all of them are loaded. */
const COLUMNS_END = scriptElement("document.dispatchEvent(new Event('isobar-columns'));");
/** Minimum length of a piece of a page, except the last one. */
const MIN_PIECE_LENGTH = 2 ** 20;

/** A packed column of a page: the id of its element, and its compressed bytes as base64. */
interface ColumnText {
  readonly id: string;
  readonly text: string;
}

const columnElement = ({ id, text }: ColumnText): string => `${scriptElement(text, `type="text/plain" id="${id}"`).text}\n`;

/** Returns the elements of the packed columns. They stand last, so that the browser draws the page while they are still loading. */
export function packedScripts(columns: readonly ColumnText[]): Markup {
  return html`${new Markup(columns.map(columnElement).join(''))} ${COLUMNS_END}`;
}

/**
 * Returns a page in pieces, so that a large page is never in memory as one string. `text`: the page with `packedScripts([])`, in whose place the
 * columns are inserted.
 */
export function withColumns(text: string, columns: readonly ColumnText[]): readonly string[] {
  const place = text.lastIndexOf(` ${COLUMNS_END.text}`);
  const pieces: string[] = [];
  let piece = text.slice(0, place);
  for (const column of columns) {
    if (piece.length >= MIN_PIECE_LENGTH) {
      pieces.push(piece);
      piece = '';
    }
    piece += columnElement(column);
  }
  return [...pieces, piece + text.slice(place)];
}

/** Returns a script element whose code has its own scope. */
export function scopedScript(code: string): Markup {
  return scriptElement(`(() => {\n'use strict';\n${code};\n})();`);
}
