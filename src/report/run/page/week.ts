// Draws the table of returns by hour of the week, tinted by value.

import { byId, element } from '../../page/browser/dom.ts';
import { fixed, tone } from '../../../base/text/format.ts';

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
/** Below this width in pixels, the days are the columns. */
const NARROW_WIDTH = 600;

/** Draws the table. `returns` are fractions, one for each hour of the week from Monday 00:00 UTC. */
export function drawWeek(returns: readonly number[]): void {
  const host = byId('hours');
  if (!host) return;
  const max = Math.max(1e-9, ...returns.map(Math.abs));
  const cell = (value: number) => {
    const made = element(
      'td',
      value === 0 ? { class: 'none' } : { class: value > 0 ? 'up' : 'down' },
      value === 0 ? '·' : fixed(value * 100, 1),
    );
    made.style.setProperty('--tint', `${Math.round((Math.abs(value) / max) * 32)}%`);
    return made;
  };
  const hours = Array.from({ length: 24 }, (_, hour) => hour);
  // On a narrow screen the days are the columns.
  const isNarrow = host.clientWidth < NARROW_WIDTH;
  const lines = isNarrow
    ? hours.map((hour) => element('tr', {}, side(twoDigits(hour)), ...DAYS.map((_, day) => cell(returns[day * 24 + hour]!))))
    : DAYS.map((name, day) => element('tr', {}, side(name), ...hours.map((hour) => cell(returns[day * 24 + hour]!)), total(returns, day)));
  const heads = isNarrow ? ['h', ...DAYS] : ['', ...hours.map(twoDigits), 'day'];
  const table = element(
    'table',
    { class: 'week', 'aria-label': 'Returns by hour of the week' },
    element('thead', {}, element('tr', {}, ...heads.map(head))),
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

function head(text: string): HTMLElement {
  return element('th', { scope: 'col' }, text);
}

function side(text: string): HTMLElement {
  return element('th', { scope: 'row' }, text);
}

/** Returns the cell with the compounded return of a day. */
function total(returns: readonly number[], day: number): HTMLElement {
  const growth = returns.slice(day * 24, day * 24 + 24).reduce((product, value) => product * (1 + value), 1);
  return element('td', { class: tone(growth - 1) }, fixed((growth - 1) * 100, 1));
}
