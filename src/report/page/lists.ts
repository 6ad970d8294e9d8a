// HTML of rows that all pages use: tables, terms with their values, and commands to copy.

import { html, type Markup, type MarkupPart } from './markup.ts';

/** Returns a table with a header. Cells after the first are right-aligned, except in the columns `words` (counted from 1). */
export function htmlTable(
  heads: readonly MarkupPart[],
  rows: readonly (readonly MarkupPart[])[],
  name: string,
  words: readonly number[] = [],
): Markup {
  const kind = (at: number) => (words.includes(at) ? 't' : '');
  return html`<div class="scroll">
    <table class="plain" aria-label="${name}">
      <thead>
        <tr>
          ${heads.map((heading, at) => html`<th scope="col" class="${kind(at)}">${heading}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([first, ...rest]) =>
            html`<tr>
              <th scope="row">${first ?? ''}</th>
              ${rest.map((cell, at) => html`<td class="${kind(at + 1)}">${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

export type Fact = readonly [term: MarkupPart, says: MarkupPart];

/** Returns a list of terms with their values. */
export function facts(list: readonly Fact[]): Markup {
  return html`<dl class="list text">
    ${list.map(
      ([term, message]) =>
        html`<div>
          <dt>${term}</dt>
          <dd>${message}</dd>
        </div>`,
    )}
  </dl>`;
}

/** Returns a command with a button that copies it. */
export function command(line: string): Markup {
  return html`<p class="command"><code>${line}</code> <button type="button" data-copy="${line}">copy</button></p>`;
}

export function versionsText(versions: Readonly<Record<string, string>>): string {
  return Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ');
}
