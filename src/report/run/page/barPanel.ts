// Shows the panel below the price chart: the orders and fills of the clicked bar, and the command that explains them.

import { exactText, timeText } from '../../../base/text/format.ts';
import { ENDINGS, ROLES, SIDES } from '../../../model/run/run.ts';
import { byId, element } from '../../page/browser/dom.ts';
import type { PageData, WireInstrument } from '../../page/wire.ts';
import type { ClickedBar } from './clickedBar.ts';
import { isDrawnByMinute } from './rows/levels.ts';
import { eventsOfBar, unpackBarEvents, type BarEventRows } from './rows/barEvents.ts';

/** Maximum number of rows of a table. */
const MAX_ROWS = 40;

const ORDER_HEADINGS = ['order', 'side', 'role', 'size', 'price', 'ending', 'code', 'tag'];
const FILL_HEADINGS = ['order', 'side', 'role', 'size', 'price', 'as', 'time'];

/** The panel. It is empty until the reader clicks a bar. */
export class BarPanel {
  readonly #page: PageData;
  readonly #root: HTMLElement;
  #rows: BarEventRows | null = null;

  constructor(page: PageData) {
    this.#page = page;
    this.#root = element('div', { id: 'bar-panel', 'aria-live': 'polite' });
    this.#root.append(element('p', { class: 'muted note' }, 'A click on a bar lists its orders, fills and denials.'));
    byId('price-legend')?.after(this.#root);
  }

  /** Unpacks the orders and fills. */
  async unpack(): Promise<void> {
    if (this.#page.barEvents !== null) this.#rows = await unpackBarEvents(this.#page.barEvents);
  }

  /** Shows a bar of an instrument. */
  show(instrumentIndex: number, bar: ClickedBar): void {
    const wire = this.#page.instruments[instrumentIndex];
    if (wire === undefined) return;
    const close = element('button', { type: 'button' }, 'close');
    close.addEventListener('click', () => this.#root.replaceChildren());
    this.#root.replaceChildren(
      element('div', { class: 'bar' }, element('h3', {}, `Bar ${timeText(bar.openMs)}, ${bar.interval}`), close),
      element('p', { class: 'read' }, ...bar.texts.map((text) => element('span', {}, text))),
      ...this.#events(instrumentIndex, wire, bar),
      ...commandOf(wire, bar),
    );
  }

  /** Returns the tables of the orders that a bar decided, filled or ended, or why there are none. */
  #events(instrumentIndex: number, wire: WireInstrument, { openMs, closeMs }: ClickedBar): readonly HTMLElement[] {
    const rows = this.#rows;
    if (this.#page.barEvents === null)
      return [element('p', { class: 'muted note' }, 'The run has too many orders for this page: orders.csv and fills.csv have them.')];
    if (rows === null) return [element('p', { class: 'muted note' }, 'The page is still loading.')];
    const { decided, fills, ended } = eventsOfBar(rows, instrumentIndex, openMs, closeMs);
    if (decided.length + fills.length + ended.length === 0)
      return [element('p', { class: 'muted note' }, 'No order was decided, filled or ended at this bar.')];
    const orderRow = (row: number) => orderCells(rows, row, wire, this.#page.assetDigits);
    const fillRow = (row: number) => fillCells(rows, row, wire);
    return [
      ...titledTable('Orders made at it', ORDER_HEADINGS, decided.map(orderRow)),
      ...titledTable('Filled in it', FILL_HEADINGS, fills.map(fillRow)),
      ...titledTable('Ended in it without a fill', ORDER_HEADINGS, ended.map(orderRow)),
    ];
  }
}

/** Returns the cells of an order. An order by amount has its amount in the quote asset, which has the digits of the reporting asset. */
function orderCells({ orders, texts }: BarEventRows, row: number, wire: WireInstrument, assetDigits: number): readonly string[] {
  const lots = orders.lots[row]!;
  const amount = orders.quoteUnits[row]!;
  const price = orders.price[row]!;
  const amountText = amount > 0 ? `for ${exactText(amount, assetDigits)} ${wire.quote}` : '';
  return [
    String(orders.id[row]),
    SIDES[orders.side[row]!] ?? '',
    ROLES[orders.role[row]!] ?? '',
    lots > 0 ? exactText(lots, wire.quantityDigits) : amountText,
    price > 0 ? exactText(price, wire.priceDigits) : 'market',
    ENDINGS[orders.ending[row]!] ?? '',
    texts[orders.code[row]!] ?? '',
    texts[orders.tag[row]!] ?? '',
  ];
}

/** Returns the cells of a fill. */
function fillCells({ orders, fills }: BarEventRows, row: number, wire: WireInstrument): readonly string[] {
  const order = fills.order[row]! - (orders.id[0] ?? 1);
  return [
    String(fills.order[row]),
    SIDES[orders.side[order]!] ?? '',
    ROLES[orders.role[order]!] ?? '',
    exactText(fills.lots[row]!, wire.quantityDigits),
    exactText(fills.price[row]!, wire.priceDigits),
    fills.isMaker[row] === 1 ? 'maker' : 'taker',
    timeText(fills.timeMs[row]!),
  ];
}

/** Returns a titled table of at most `MAX_ROWS` rows. Empty without rows. */
function titledTable(title: string, headings: readonly string[], rows: readonly (readonly string[])[]): readonly HTMLElement[] {
  if (rows.length === 0) return [];
  const line = (name: string, cells: readonly string[]): HTMLElement => element('tr', {}, ...cells.map((cell) => element(name, {}, cell)));
  const shownRows = rows.slice(0, MAX_ROWS);
  const omitted = rows.length - shownRows.length;
  const head = element('thead', {}, line('th', headings));
  const body = element('tbody', {}, ...shownRows.map((cells) => line('td', cells)));
  return [
    element('h4', {}, title),
    element('div', { class: 'scroll', tabindex: '0' }, element('table', {}, head, body)),
    ...(omitted > 0 ? [element('p', { class: 'muted note' }, `${omitted} more: zoom in to shorter bars`)] : []),
  ];
}

/** Returns the command that explains the bar. The run does not have this bar when the page shows coarser bars. */
function commandOf(wire: WireInstrument, { openMs, interval }: ClickedBar): readonly HTMLElement[] {
  if (interval !== wire.ranOn) {
    const hint = isDrawnByMinute(wire.ranOn) ? '' : ': zoom in to see one of them';
    return [element('p', { class: 'muted note' }, `The run was made on bars of ${wire.ranOn}${hint}.`)];
  }
  const [symbol = '', market] = wire.name.split(' (');
  const name = market === undefined ? symbol : `${market.replace(')', '')}:${symbol}`;
  const command = `isobar why . --at ${new Date(openMs).toISOString().slice(0, 16)} --symbol ${name}`;
  return [element('p', { class: 'note' }, 'In the run folder, with values, conditions, risk and matching: ', element('code', {}, command))];
}
