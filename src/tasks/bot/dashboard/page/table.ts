// Tables and text of the dashboard page. All values are set as text, never as markup, because they may come from the exchange.
/// <reference lib="dom" />

import { byId, element } from '../../../../report/page/browser/dom.ts';
import { MINUS, NO_VALUE, THIN, grouped } from '../../../../base/text/format.ts';

/** A table cell: text and its style. */
export interface TableCell {
  readonly text: string;
  readonly kind?: 'text' | 'gain' | 'loss' | 'amber';
}

/** Returns a cell. */
export const cell = (text: string, kind?: TableCell['kind']): TableCell => (kind ? { text, kind } : { text });

/** Shows a table, or `emptyText` if it has no rows. In `columns`, a leading `<` aligns a column to the left. */
export function showTable(id: string, columns: readonly string[], rows: readonly (readonly TableCell[])[], emptyText: string): void {
  const root = byId(id);
  if (!root) return;
  if (rows.length === 0) {
    root.replaceChildren(element('p', { class: 'empty' }, emptyText));
    return;
  }
  // The style class `t` aligns to the left.
  const alignments = columns.map((name) => (name.startsWith('<') ? 't' : ''));
  const heads = columns.map((name, column) => element('th', { scope: 'col', class: alignments[column] ?? '' }, name.replace('<', '')));
  const body = rows.map((row) =>
    element(
      'tr',
      {},
      ...row.map(({ text, kind }, column) => element('td', { class: `${alignments[column] ?? ''} ${kind ?? ''}`.trim() }, text)),
    ),
  );
  root.replaceChildren(element('table', {}, element('thead', {}, element('tr', {}, ...heads)), element('tbody', {}, ...body)));
}

/** Formats decimal text with a sign, except for zero. */
export function signedText(text: string): string {
  const isPositive = !text.startsWith('-') && /[1-9]/.test(text);
  return isPositive ? `+${grouped(text)}` : grouped(text);
}

/** Returns the style of a signed decimal; plain for zero. */
export function signKind(text: string): 'gain' | 'loss' | 'text' {
  if (!/[1-9]/.test(text)) return 'text';
  return text.startsWith('-') ? 'loss' : 'gain';
}

/** Cuts or fills decimal text to two decimals, without grouping. */
export function twoDecimals(text: string): string {
  const [whole = '', fraction = ''] = text.split('.');
  return `${whole}.${fraction.padEnd(2, '0').slice(0, 2)}`;
}

/** Formats money for a card: two decimals, grouped. */
export const shortMoneyText = (text: string): string => grouped(twoDecimals(text));

/** Formats ms as `4 s`, `12 min`, `3 h 05 min` or `2 d`. */
export function ageText(durationMs: number | null): string {
  if (durationMs === null) return NO_VALUE;
  const seconds = Math.max(0, Math.round(durationMs / 1000));
  if (seconds < 120) return `${seconds}${THIN}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes}${THIN}min`;
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return `${Math.floor(hours / 24)}${THIN}d`;
  return `${hours}${THIN}h ${String(minutes % 60).padStart(2, '0')}${THIN}min`;
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
