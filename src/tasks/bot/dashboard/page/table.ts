// Tables and text helpers of the page. They set text, never markup.
/// <reference lib="dom" />

import { byId, element } from '../../../../report/page/browser/dom.ts';
import { MINUS, NONE, THIN, grouped } from '../../../../base/text/format.ts';

/** A table cell: text and its style. */
export interface TableCell {
  readonly text: string;
  readonly kind?: 'text' | 'gain' | 'loss' | 'amber';
}

/** Returns a cell. */
export const cell = (text: string, kind?: TableCell['kind']): TableCell => (kind ? { text, kind } : { text });

/** Shows a table, or the text `empty` if it has no rows. In `head`, a leading `<` aligns a column to the left. */
export function showTable(id: string, head: readonly string[], rows: readonly (readonly TableCell[])[], empty: string): void {
  const root = byId(id);
  if (!root) return;
  if (rows.length === 0) {
    root.replaceChildren(element('p', { class: 'empty' }, empty));
    return;
  }
  const isLeft = head.map((name) => name.startsWith('<'));
  const heads = head.map((name, column) => element('th', { scope: 'col', class: isLeft[column] ? 't' : '' }, name.replace('<', '')));
  const body = rows.map((row) =>
    element(
      'tr',
      {},
      ...row.map(({ text, kind }, column) => element('td', { class: [isLeft[column] ? 't' : '', kind ?? ''].join(' ').trim() }, text)),
    ),
  );
  root.replaceChildren(element('table', {}, element('thead', {}, element('tr', {}, ...heads)), element('tbody', {}, ...body)));
}

/** Formats decimal text with a sign, except for zero. */
export function signedText(text: string): string {
  return /^[^-]*[1-9]/.test(text) && !text.startsWith('-') ? `+${grouped(text)}` : grouped(text);
}

/** Returns the style of a signed decimal; plain for zero. */
export function signKind(text: string): 'gain' | 'loss' | 'text' {
  if (!/[1-9]/.test(text)) return 'text';
  return text.startsWith('-') ? 'loss' : 'gain';
}

/** Formats money for a card: two decimals. */
export function shortMoneyText(text: string): string {
  const [whole = '', part = ''] = text.split('.');
  return grouped(`${whole}.${part.padEnd(2, '0').slice(0, 2)}`);
}

/** Formats ms as `4 s`, `12 min`, `3 h 05 min` or `2 d`. */
export function ageText(ms: number | null): string {
  if (ms === null) return NONE;
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds}${THIN}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes}${THIN}min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}${THIN}h ${String(minutes % 60).padStart(2, '0')}${THIN}min` : `${Math.floor(hours / 24)}${THIN}d`;
}

/** Formats whole ms with a typographic minus. */
export const msText = (ms: number): string => `${ms < 0 ? MINUS : ''}${Math.abs(Math.round(ms))}${THIN}ms`;

/** Sets the text of an element if it differs. */
export function setText(id: string, text: string): void {
  const node = byId(id);
  if (node && node.textContent !== text) node.textContent = text;
}

/** Hides or shows an element. */
export function setHidden(id: string, isHidden: boolean): void {
  const node = byId(id);
  if (node) node.hidden = isHidden;
}
