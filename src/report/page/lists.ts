// HTML parts that all pages use: tables, lists of terms, and commands to copy.

import { html, type Markup, type MarkupPart } from './markup.ts';

/** Returns a table with a header. Cells after the first are right-aligned, except in the columns `words` (counted from 1). */
export function htmlTable(
  heads: readonly MarkupPart[],
  rows: readonly (readonly MarkupPart[])[],
  name: string,
  words: readonly number[] = [],
): Markup {
  const cellClass = (columnIndex: number) => (words.includes(columnIndex) ? 't' : '');
  return html`<div class="scroll">
    <table class="plain" aria-label="${name}">
      <thead>
        <tr>
          ${heads.map((heading, column) => html`<th scope="col" class="${cellClass(column)}">${heading}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([first, ...rest]) =>
            html`<tr>
              <th scope="row">${first ?? ''}</th>
              ${rest.map((cell, index) => html`<td class="${cellClass(index + 1)}">${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** A term with its value. */
export type Fact = readonly [term: MarkupPart, value: MarkupPart];

/** Returns a list of terms with their values. */
export function factList(list: readonly Fact[]): Markup {
  return html`<dl class="list text">
    ${list.map(
      ([term, value]) =>
        html`<div>
          <dt>${term}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

/** Returns a command with a button that copies it. */
export function commandBlock(line: string): Markup {
  return html`<p class="command"><code>${line}</code> <button type="button" data-copy="${line}">copy</button></p>`;
}

/** Returns versions as text, such as `isobar 1.0.0, node 20.11.0`. */
export function versionsText(versions: Readonly<Record<string, string>>): string {
  return Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ');
}
