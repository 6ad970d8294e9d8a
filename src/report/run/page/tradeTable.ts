// Shows the table of closed trades: sorting, filters, fifty trades a page, and export of the filtered trades.

import { byId, element } from '../../page/browser/dom.ts';
import { wholeText, tone } from '../../../base/text/format.ts';
import type { TimeWindow } from '../../page/browser/timeWindow.ts';
import { EXIT_REASONS, HOLD_GROUPS, holdGroupOf, hourOf } from '../../kernels/tradeGroups.ts';
import { columnsOf, type TradeTableColumn } from './tradeColumns.ts';
import type { UnpackedTrades } from './rows/tradeRows.ts';
import type { PageData } from '../../page/wire.ts';

/** Trades on one page of the table. */
const PAGE_ROWS = 50;

/** A group of the breakdowns. The table shows only its trades. */
interface ChosenGroup {
  readonly by: string;
  readonly key: string;
  readonly name: string;
}
/** How the button that removes the group names its kind. */
const GROUP_WORDS: Readonly<Record<string, string>> = {
  instrument: 'symbol',
  entryTag: 'entered by',
  exitReason: 'left by',
  holdTime: 'held',
  hour: 'hour',
};

/** The table. */
export class TradeTable {
  readonly #page: PageData;
  readonly #trades: UnpackedTrades;
  readonly #columns: readonly TradeTableColumn[];
  readonly #timeWindow: TimeWindow;
  readonly #onSelect: (row: number) => void;
  /** Rows of the trades that pass the filters, in the order of the table. */
  #order: number[] = [];
  #sorting = { column: 0, isDescending: false };
  /** Index of the current page. */
  #pageIndex = 0;
  #selected: number | null = null;
  #group: ChosenGroup | null = null;

  constructor(page: PageData, trades: UnpackedTrades, timeWindow: TimeWindow, onSelect: (row: number) => void) {
    this.#page = page;
    this.#trades = trades;
    this.#timeWindow = timeWindow;
    this.#onSelect = onSelect;
    this.#columns = columnsOf(page, trades);
    for (const id of ['filter-side', 'filter-result', 'filter-instrument', 'filter-strategy', 'filter-window']) {
      byId(id)?.addEventListener('change', () => this.#refresh());
    }
    timeWindow.onChange(() => {
      if (isChecked('filter-window')) this.#refresh();
    });
    byId('filter-group')?.addEventListener('click', () => this.#filterBy(null));
    for (const button of document.querySelectorAll<HTMLElement>('#breakdowns button[data-by]')) {
      const { by = '', key = '' } = button.dataset;
      button.addEventListener('click', () => {
        this.#filterBy({ by, key, name: `${GROUP_WORDS[by] ?? by}: ${button.textContent}` });
        byId('trades')?.scrollIntoView({ block: 'start' });
      });
    }
    byId('export')?.addEventListener('click', () => this.#export());
    this.#refresh();
  }

  /** Highlights a trade and turns to its page. Does nothing for a trade that the filters hide. */
  select(row: number): void {
    this.#selected = row;
    const position = this.#order.indexOf(row);
    if (position >= 0) this.#pageIndex = Math.floor(position / PAGE_ROWS);
    this.#draw();
  }

  /** Selects the trade that is `steps` further down in the current order. */
  step(steps: number): void {
    const position = this.#selected === null ? -1 : this.#order.indexOf(this.#selected);
    const nextRow = this.#order[position < 0 ? 0 : position + steps];
    if (nextRow !== undefined) this.#onSelect(nextRow);
  }

  /** Shows only the trades of one group. Null shows all trades. */
  #filterBy(group: ChosenGroup | null): void {
    this.#group = group;
    const button = byId('filter-group');
    if (button) {
      button.hidden = group === null;
      button.textContent = group === null ? '' : `${group.name} ×`;
      button.setAttribute('aria-label', group === null ? '' : `${group.name}, show all groups again`);
    }
    this.#refresh();
  }

  /** Applies the filters and the sorting, and draws the first page. */
  #refresh(): void {
    const { of, length } = this.#trades;
    const side = chosenNumber('filter-side');
    const result = chosenNumber('filter-result');
    const instrument = chosenNumber('filter-instrument');
    const strategy = chosenNumber('filter-strategy');
    const isWindowOnly = isChecked('filter-window');
    const isInGroup = this.#group === null ? null : groupTest(this.#group, this.#page, this.#trades);
    const passingRows: number[] = [];
    for (let row = 0; row < length; row++) {
      if (side !== null && of.side[row] !== side) continue;
      // The filter of results has the value 0 for trades that gained, and 1 for trades that lost.
      const hasOtherResult = result === 0 ? of.pnl[row]! <= 0 : of.pnl[row]! >= 0;
      if (result !== null && hasOtherResult) continue;
      if (instrument !== null && of.instrument[row] !== instrument) continue;
      if (strategy !== null && of.strategy[row] !== strategy) continue;
      if (isInGroup !== null && !isInGroup(row)) continue;
      const hasNoOverlap = of.exitMs[row]! < this.#timeWindow.fromMs || of.entryMs[row]! > this.#timeWindow.toMs;
      if (isWindowOnly && hasNoOverlap) continue;
      passingRows.push(row);
    }
    this.#order = this.#sorted(passingRows);
    this.#pageIndex = 0;
    this.#draw();
  }

  /** Returns rows in the chosen order. Trades without a recorded value come last in either direction. */
  #sorted(rows: readonly number[]): number[] {
    const sortValue = this.#columns[this.#sorting.column]?.value ?? ((row) => row);
    const direction = this.#sorting.isDescending ? -1 : 1;
    const rankOf = (row: number) => (Number.isNaN(sortValue(row)) ? Infinity : sortValue(row) * direction);
    const rankedRows = rows.map((row) => ({ row, rank: rankOf(row) }));
    const sortedRows = rankedRows.toSorted((a, b) => {
      // Two ranks may both be infinite, so their difference does not order them.
      if (a.rank === b.rank) return a.row - b.row;
      return a.rank < b.rank ? -1 : 1;
    });
    return sortedRows.map(({ row }) => row);
  }

  /** Draws the head and the current page of the table, and the number of trades that pass the filters. */
  #draw(): void {
    const table = byId('trade-table');
    const total = this.#page.trades.all;
    const count = byId('trade-count');
    const passing = this.#order.length;
    if (count) count.textContent = passing === total ? wholeText(total) : `${wholeText(passing)} of ${wholeText(total)}`;
    const headerCells = this.#columns.map((column, index) => this.#headerCell(column, index));
    table?.querySelector('thead')?.replaceChildren(element('tr', {}, ...headerCells));
    const firstPosition = this.#pageIndex * PAGE_ROWS;
    const rows = this.#order.slice(firstPosition, firstPosition + PAGE_ROWS).map((row) => this.#bodyRow(row));
    const emptyRow = element(
      'tr',
      {},
      element('td', { colspan: String(this.#columns.length), class: 'muted' }, 'No trade passes the filters: set one of them back to all.'),
    );
    table?.querySelector('tbody')?.replaceChildren(...(rows.length === 0 ? [emptyRow] : rows));
    this.#drawPageButtons();
  }

  /** Returns the header cell of a column. A click sorts by the column. */
  #headerCell({ name, isMain }: TradeTableColumn, columnIndex: number): HTMLElement {
    const isSorted = this.#sorting.column === columnIndex;
    const arrow = this.#sorting.isDescending ? ' ↓' : ' ↑';
    const button = element('button', { type: 'button' }, isSorted ? name + arrow : name);
    button.addEventListener('click', () => {
      this.#sorting = { column: columnIndex, isDescending: isSorted ? !this.#sorting.isDescending : columnIndex > 0 };
      this.#refresh();
      byId('trade-table')?.querySelectorAll('th')[columnIndex]?.querySelector('button')?.focus();
    });
    const sortAttribute = isSorted ? { 'aria-sort': this.#sorting.isDescending ? 'descending' : 'ascending' } : {};
    return element('th', { scope: 'col', class: isMain ? '' : 'wide', ...sortAttribute }, button);
  }

  /** Returns the row of a trade. A click or the enter key selects it. */
  #bodyRow(row: number): HTMLElement {
    const cells = this.#columns.map(({ text, exact, isTinted, value, isMain }, index) => {
      const sign = isTinted ? tone(value(row)) : '';
      const title = exact === undefined ? {} : { title: exact(row) };
      return element(index === 0 ? 'th' : 'td', { class: `${sign}${isMain ? '' : ' wide'}`.trim(), ...title }, text(row));
    });
    const tableRow = element('tr', { tabindex: '0', 'data-row': String(row), 'aria-selected': String(row === this.#selected) }, ...cells);
    tableRow.addEventListener('click', () => this.#onSelect(row));
    tableRow.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' || event.key === ' ') {
        event.preventDefault();
        this.#onSelect(row);
      }
    });
    return tableRow;
  }

  /** Draws the buttons that turn the pages. */
  #drawPageButtons(): void {
    const pages = Math.max(1, Math.ceil(this.#order.length / PAGE_ROWS));
    const pageButton = (label: string, pageIndex: number, name: string) => {
      const isDisabled = pageIndex < 0 || pageIndex >= pages || pageIndex === this.#pageIndex;
      const button = element('button', { type: 'button', 'aria-label': name, ...(isDisabled ? { disabled: '' } : {}) }, label);
      button.addEventListener('click', () => {
        this.#pageIndex = pageIndex;
        this.#draw();
      });
      return button;
    };
    const position = element('span', {}, `page ${wholeText(this.#pageIndex + 1)} of ${wholeText(pages)}`);
    byId('trade-pages')?.replaceChildren(
      pageButton('«', 0, 'First page'),
      pageButton('‹', this.#pageIndex - 1, 'Page before'),
      position,
      pageButton('›', this.#pageIndex + 1, 'Next page'),
      pageButton('»', pages - 1, 'Last page'),
    );
  }

  /** Exports the rows that pass the filters as CSV, in the current order. */
  #export(): void {
    const lines = [this.#columns.map(({ key }) => key).join(',')];
    for (const row of this.#order) {
      const cells = this.#columns.map(({ text, plain = text }) => quoteCell(plain(row)));
      lines.push(cells.join(','));
    }
    const url = URL.createObjectURL(new Blob([`${lines.join('\n')}\n`], { type: 'text/csv' }));
    const link = element('a', { href: url, download: `${this.#page.name}-trades.csv` });
    document.body.append(link);
    link.click();
    link.remove();
    URL.revokeObjectURL(url);
  }
}

/** Returns a function that is true for the row of a trade in the group. */
function groupTest(
  { by, key }: ChosenGroup,
  { instruments, strategies }: PageData,
  { of, tags }: UnpackedTrades,
): (row: number) => boolean {
  const keyReaders: Readonly<Record<string, (row: number) => string | undefined>> = {
    instrument: (row) => instruments[of.instrument[row]!]?.name,
    strategy: (row) => strategies[of.strategy[row]!],
    side: (row) => (of.side[row] === 0 ? 'long' : 'short'),
    entryTag: (row) => tags[of.entryTag[row]!],
    exitReason: (row) => EXIT_REASONS[of.exitReason[row]!],
    holdTime: (row) => HOLD_GROUPS[holdGroupOf(of.exitMs[row]! - of.entryMs[row]!)]?.name,
    hour: (row) => String(hourOf(of.entryMs[row]!)).padStart(2, '0'),
  };
  const keyOfRow = keyReaders[by];
  return (row) => keyOfRow?.(row) === key;
}

/** Returns a text as a CSV cell. */
function quoteCell(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

/** Returns the chosen option of a filter as a number. Null for `all`. */
function chosenNumber(id: string): number | null {
  const select = byId(id);
  return select instanceof HTMLSelectElement && select.value !== '' ? Number(select.value) : null;
}

/** True when a checkbox is checked. */
function isChecked(id: string): boolean {
  const box = byId(id);
  return box instanceof HTMLInputElement && box.checked;
}
