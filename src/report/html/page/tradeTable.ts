// The table of closed trades: sorted, filtered, fifty a page, exported as it is shown.

import { byId, element } from './dom.ts';
import { count, exactText, fixed, minuteText, NONE, signed, spanText, tone } from './format.ts';
import type { TimeWindow } from './timeWindow.ts';
import type { TradeRows } from './tradeRows.ts';
import { FRACTION_DIGITS, PRICE_EXTRA_DIGITS, type PageData, type WireInstrument } from './wire.ts';

const PAGE_ROWS = 50;

interface Column {
  readonly name: string;
  /** Key in the exported file. */
  readonly key: string;
  /** What rows are sorted by. */
  readonly value: (row: number) => number;
  readonly text: (row: number) => string;
  /** Plain text for the file; `text` without its ornaments where absent. */
  readonly plain?: (row: number) => string;
  readonly tint?: boolean;
  /** Shown on a narrow screen too. */
  readonly isMain?: boolean;
}

export class TradeTable {
  readonly #page: PageData;
  readonly #trades: TradeRows;
  readonly #columns: readonly Column[];
  readonly #shown: TimeWindow;
  readonly #onSelect: (row: number) => void;
  #order: number[] = [];
  #sort = { column: 0, down: false };
  #at = 0;
  #selected: number | null = null;

  constructor(page: PageData, trades: TradeRows, shown: TimeWindow, onSelect: (row: number) => void) {
    this.#page = page;
    this.#trades = trades;
    this.#shown = shown;
    this.#onSelect = onSelect;
    this.#columns = columnsOf(page, trades);
    for (const id of ['filter-side', 'filter-result', 'filter-instrument', 'filter-strategy', 'filter-window']) {
      byId(id)?.addEventListener('change', () => this.#refresh());
    }
    shown.onChange(() => {
      if (isChecked('filter-window')) this.#refresh();
    });
    byId('export')?.addEventListener('click', () => this.#export());
    this.#refresh();
  }

  /** Marks a trade and turns to its page; a trade that the filters hide leaves the table as it is. */
  select(row: number): void {
    this.#selected = row;
    const at = this.#order.indexOf(row);
    if (at >= 0) this.#at = Math.floor(at / PAGE_ROWS);
    this.#draw();
  }

  /** The trade `steps` further down in the present order. */
  step(steps: number): void {
    const at = this.#selected === null ? -1 : this.#order.indexOf(this.#selected);
    const next = this.#order[at < 0 ? 0 : at + steps];
    if (next !== undefined) this.#onSelect(next);
  }

  #refresh(): void {
    const { of, length } = this.#trades;
    const [side, result, instrument, strategy] = ['side', 'result', 'instrument', 'strategy'].map((name) => chosen(`filter-${name}`));
    const inWindow = isChecked('filter-window');
    const order: number[] = [];
    for (let row = 0; row < length; row++) {
      if (side !== null && of.side[row] !== side) continue;
      if (result !== null && (result === 0 ? of.pnl[row]! <= 0 : of.pnl[row]! >= 0)) continue;
      if (instrument !== null && of.instrument[row] !== instrument) continue;
      if (strategy !== null && of.strategy[row] !== strategy) continue;
      if (inWindow && (of.exitMs[row]! < this.#shown.from || of.entryMs[row]! > this.#shown.to)) continue;
      order.push(row);
    }
    const value = this.#columns[this.#sort.column]?.value ?? ((row) => row);
    const way = this.#sort.down ? -1 : 1;
    // What was not recorded stands at the end either way.
    const rank = (row: number) => (Number.isNaN(value(row)) ? Infinity : value(row) * way);
    this.#order = order
      .map((row) => ({ row, rank: rank(row) }))
      .toSorted((a, b) => (a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : a.row - b.row))
      .map(({ row }) => row);
    this.#at = 0;
    this.#draw();
  }

  #draw(): void {
    const table = byId('trade-table');
    const total = this.#page.trades.all;
    const shown = byId('trade-count');
    if (shown) shown.textContent = this.#order.length === total ? count(total) : `${count(this.#order.length)} of ${count(total)}`;
    const heads = this.#columns.map((column, at) => this.#head(column, at));
    table?.querySelector('thead')?.replaceChildren(element('tr', {}, ...heads));
    const rows = this.#order.slice(this.#at * PAGE_ROWS, (this.#at + 1) * PAGE_ROWS).map((row) => this.#row(row));
    const none = element(
      'tr',
      {},
      element('td', { colspan: String(this.#columns.length), class: 'muted' }, 'No trade passes the filters: set one of them back to all.'),
    );
    table?.querySelector('tbody')?.replaceChildren(...(rows.length === 0 ? [none] : rows));
    this.#turn();
  }

  #head({ name, isMain }: Column, at: number): HTMLElement {
    const isSorted = this.#sort.column === at;
    const arrow = isSorted ? (this.#sort.down ? ' ↓' : ' ↑') : '';
    const button = element('button', { type: 'button' }, name + arrow);
    button.addEventListener('click', () => {
      this.#sort = { column: at, down: isSorted ? !this.#sort.down : at > 0 };
      this.#refresh();
      byId('trade-table')?.querySelectorAll('th')[at]?.querySelector('button')?.focus();
    });
    return element(
      'th',
      { scope: 'col', class: isMain ? '' : 'wide', ...(isSorted ? { 'aria-sort': this.#sort.down ? 'descending' : 'ascending' } : {}) },
      button,
    );
  }

  #row(row: number): HTMLElement {
    const cells = this.#columns.map(({ text, tint, value, isMain }, at) => {
      const sign = tint ? tone(value(row)) : '';
      return element(at === 0 ? 'th' : 'td', { class: `${sign}${isMain ? '' : ' wide'}`.trim() }, text(row));
    });
    const made = element('tr', { tabindex: '0', 'data-row': String(row), 'aria-selected': String(row === this.#selected) }, ...cells);
    made.addEventListener('click', () => this.#onSelect(row));
    made.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' || event.key === ' ') {
        event.preventDefault();
        this.#onSelect(row);
      }
    });
    return made;
  }

  #turn(): void {
    const pages = Math.max(1, Math.ceil(this.#order.length / PAGE_ROWS));
    const to = (label: string, at: number, name: string) => {
      const button = element(
        'button',
        { type: 'button', 'aria-label': name, ...(at < 0 || at >= pages || at === this.#at ? { disabled: '' } : {}) },
        label,
      );
      button.addEventListener('click', () => {
        this.#at = at;
        this.#draw();
      });
      return button;
    };
    const place = element('span', {}, `page ${count(this.#at + 1)} of ${count(pages)}`);
    byId('trade-pages')?.replaceChildren(
      to('«', 0, 'First page'),
      to('‹', this.#at - 1, 'Page before'),
      place,
      to('›', this.#at + 1, 'Next page'),
      to('»', pages - 1, 'Last page'),
    );
  }

  /** The rows that pass the filters, in the present order, as CSV. */
  #export(): void {
    const lines = [this.#columns.map(({ key }) => key).join(',')];
    for (const row of this.#order) lines.push(this.#columns.map(({ text, plain }) => quoted((plain ?? text)(row))).join(','));
    const url = URL.createObjectURL(new Blob([`${lines.join('\n')}\n`], { type: 'text/csv' }));
    const link = element('a', { href: url, download: `${this.#page.name}-trades.csv` });
    document.body.append(link);
    link.click();
    link.remove();
    URL.revokeObjectURL(url);
  }
}

function time(name: string, key: string, column: Float64Array): Column {
  const plain = (row: number) => new Date(column[row]!).toISOString();
  return { name, key, value: (row) => column[row]!, text: (row) => minuteText(column[row]!), plain, isMain: key === 'entry_utc' };
}

function columnsOf(page: PageData, { of, tags }: TradeRows): Column[] {
  const { asset, assetDigits, instruments, strategies } = page;
  const market = (row: number): WireInstrument | undefined => instruments[of.instrument[row]!];
  const priceDigits = (row: number) => market(row)?.priceDigits ?? 0;
  const scale = 10 ** FRACTION_DIGITS;
  const coins = instruments.length === 1 ? (instruments[0]?.base ?? '') : 'base';
  const units = [...new Set(instruments.map(({ isContract }) => (isContract ? 'contracts' : coins)))];
  const fraction = (name: string, key: string, column: Float64Array, tint = false): Column => ({
    name,
    key,
    value: (row) => column[row]!,
    text: (row) => (Number.isNaN(column[row]!) ? NONE : signed((column[row]! / scale) * 100, 2)),
    plain: (row) => (Number.isNaN(column[row]!) ? '' : (column[row]! / scale).toFixed(FRACTION_DIGITS)),
    tint,
    isMain: tint,
  });
  const price = (name: string, key: string, column: Float64Array): Column => {
    const value = (row: number) => column[row]! / 10 ** (priceDigits(row) + PRICE_EXTRA_DIGITS);
    return { name, key, value, text: (row) => fixed(value(row), priceDigits(row)), plain: (row) => String(value(row)) };
  };
  const money = (name: string, key: string, column: Float64Array, tint = false): Column => ({
    name,
    key,
    value: (row) => column[row]!,
    text: (row) => (tint && column[row]! > 0 ? '+' : '') + exactText(column[row]!, assetDigits, 2),
    plain: (row) => plainInteger(column[row]!, assetDigits),
    tint,
  });
  const tag = (name: string, key: string, column: Float64Array): Column => ({
    name,
    key,
    value: (row) => column[row]!,
    text: (row) => tags[column[row]!] || NONE,
    plain: (row) => tags[column[row]!] ?? '',
  });
  return [
    { name: '#', key: 'trade', value: (row) => row, text: (row) => count(row + 1), plain: (row) => String(row + 1), isMain: true },
    ...(instruments.length > 1
      ? [
          {
            name: 'instrument',
            key: 'instrument',
            value: (row: number) => of.instrument[row]!,
            text: (row: number) => market(row)?.name ?? NONE,
          },
        ]
      : []),
    ...(strategies.length > 1
      ? [
          {
            name: 'strategy',
            key: 'strategy',
            value: (row: number) => of.strategy[row]!,
            text: (row: number) => strategies[of.strategy[row]!] ?? NONE,
          },
        ]
      : []),
    {
      name: 'side',
      key: 'side',
      value: (row) => of.side[row]!,
      text: (row) => (of.side[row] === 0 ? '▲ long' : '▼ short'),
      plain: (row) => (of.side[row] === 0 ? 'long' : 'short'),
      isMain: true,
    },
    time('entry, UTC', 'entry_utc', of.entryMs),
    time('exit, UTC', 'exit_utc', of.exitMs),
    {
      name: 'held',
      key: 'held_ms',
      value: (row) => of.exitMs[row]! - of.entryMs[row]!,
      text: (row) => spanText(of.exitMs[row]! - of.entryMs[row]!),
      plain: (row) => String(of.exitMs[row]! - of.entryMs[row]!),
    },
    {
      name: `quantity, ${units.join(' or ')}`,
      key: units.length > 1 ? 'quantity' : instruments[0]?.isContract ? 'quantity_contracts' : 'quantity_base',
      value: (row) => of.lots[row]! / 10 ** (market(row)?.quantityDigits ?? 0),
      text: (row) => exactText(of.lots[row]!, market(row)?.quantityDigits ?? 0),
      plain: (row) => plainInteger(of.lots[row]!, market(row)?.quantityDigits ?? 0),
    },
    price(`entry, ${asset}`, 'entry_price', of.entryPrice),
    price(`exit, ${asset}`, 'exit_price', of.exitPrice),
    money(`result, ${asset}`, 'result', of.pnl, true),
    fraction('result, %', 'result_fraction', of.return, true),
    money(`fees, ${asset}`, 'fees', of.fees),
    fraction('MAE, %', 'mae_fraction', of.mae),
    fraction('MFE, %', 'mfe_fraction', of.mfe),
    ...(tags.length > 1 ? [tag('entered by', 'entry_tag', of.entryTag), tag('left by', 'exit_tag', of.exitTag)] : []),
  ];
}

function quoted(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

function plainInteger(value: number, digits: number): string {
  const text = String(Math.abs(value)).padStart(digits + 1, '0');
  return `${value < 0 ? '-' : ''}${digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`}`;
}

function chosen(id: string): number | null {
  const select = byId(id);
  return select instanceof HTMLSelectElement && select.value !== '' ? Number(select.value) : null;
}

function isChecked(id: string): boolean {
  const box = byId(id);
  return box instanceof HTMLInputElement && box.checked;
}
