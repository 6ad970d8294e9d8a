// Draws the table of returns by hour of the week, tinted by value.

import { largestOf } from '../../../base/number/extremes.ts';
import { byId, element } from '../../page/browser/dom.ts';
import { fixed, tone } from '../../../base/text/format.ts';

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
/** Strongest tint of a cell, in percent of its colour. */
const MAX_TINT_PERCENT = 32;
/** Below this width in pixels, the days are the columns. */
const NARROW_WIDTH = 600;

/** Draws the table. `returns` are fractions, one for each hour of the week from Monday 00:00 UTC. */
export function drawWeek(returns: readonly number[]): void {
  const host = byId('hours');
  if (!host) return;
  const maxReturn = Math.max(1e-9, largestOf(returns.map(Math.abs)));
  const cell = (value: number) => {
    const signClass = value > 0 ? 'up' : 'down';
    const cellElement = value === 0 ? element('td', { class: 'none' }, '·') : element('td', { class: signClass }, fixed(value * 100, 1));
    cellElement.style.setProperty('--tint', `${Math.round((Math.abs(value) / maxReturn) * MAX_TINT_PERCENT)}%`);
    return cellElement;
  };
  const hours = Array.from({ length: 24 }, (_, hour) => hour);
  // On a narrow screen the days are the columns.
  const isNarrow = host.clientWidth < NARROW_WIDTH;
  const cellAt = (day: number, hour: number) => cell(returns[day * 24 + hour]!);
  const hourLine = (hour: number) => element('tr', {}, rowHeader(twoDigits(hour)), ...DAYS.map((_, day) => cellAt(day, hour)));
  const dayLine = (name: string, day: number) =>
    element('tr', {}, rowHeader(name), ...hours.map((hour) => cellAt(day, hour)), dayTotal(returns, day));
  const lines = isNarrow ? hours.map(hourLine) : DAYS.map(dayLine);
  const headings = isNarrow ? ['h', ...DAYS] : ['', ...hours.map(twoDigits), 'day'];
  const table = element(
    'table',
    { class: 'week', 'aria-label': 'Returns by hour of the week' },
    element('thead', {}, element('tr', {}, ...headings.map(columnHeader))),
    element('tbody', {}, ...lines),
  );
  host.replaceChildren(
    element('h3', {}, 'By hour of the week (UTC), compounded over the run, %'),
    element('div', { class: 'scroll' }, table),
  );
}

function twoDigits(hour: number): string {
  return String(hour).padStart(2, '0');
}

function columnHeader(text: string): HTMLElement {
  return element('th', { scope: 'col' }, text);
}

function rowHeader(text: string): HTMLElement {
  return element('th', { scope: 'row' }, text);
}

/** Returns the cell with the compounded return of a day. */
function dayTotal(returns: readonly number[], day: number): HTMLElement {
  const growth = returns.slice(day * 24, day * 24 + 24).reduce((product, value) => product * (1 + value), 1);
  return element('td', { class: tone(growth - 1) }, fixed((growth - 1) * 100, 1));
}
