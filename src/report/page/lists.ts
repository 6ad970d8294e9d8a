// What every page sets in rows: tables, terms with what there is to say of them, a command to copy.

import { html, type Markup, type MarkupPart } from './markup.ts';

/** A table with its heads. Cells after the first are right-aligned, but not those of columns `words` (counted from 1). */
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
          ${heads.map((of, at) => html`<th scope="col" class="${kind(at)}">${of}</th>`)}
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

/** Terms and what there is to say of each. */
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

/** A command, and a button that copies it. */
export function command(line: string): Markup {
  return html`<p class="command"><code>${line}</code> <button type="button" data-copy="${line}">copy</button></p>`;
}

export function versionsText(versions: Readonly<Record<string, string>>): string {
  return Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ');
}
