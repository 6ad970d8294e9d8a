// The account sections of the control page: balances, positions, trigger orders, orders.

import { html, type Markup } from '../../../report/page/markup.ts';
import { grouped } from '../../../base/text/format.ts';
import type { ServiceConfig } from '../../dialect/config.ts';
import type { truthOfMarkets } from '../../faults/truth.ts';
import type { UserOrder } from '../../orders/userOrder.ts';
import type { Service } from '../../service.ts';
import { fromScaled } from '../../../base/number/decimal.ts';
import { emptyRow, priceOf, quantityOf, timeOfDayText, sideText } from './marketParts.ts';

type Truth = ReturnType<typeof truthOfMarkets>;

/** Number of recent orders shown. */
const MAX_SHOWN_ORDERS = 30;

/** A column of a table. Without `isText` its cells are numbers. */
interface Column {
  readonly head: string;
  readonly isText?: boolean;
  /** True for a column that phones do not show. */
  readonly isWide?: boolean;
}

/** Returns a table that the page refreshes. `emptyText` is shown instead of rows if there are none. */
function table(id: string, columns: readonly Column[], rows: readonly (readonly (Markup | string)[])[], emptyText: string): Markup {
  const classOf = ({ isText, isWide }: Column): string => `${isText === true ? 'left ' : ''}${isWide === true ? 'wide' : ''}`;
  return html`<div class="scroll">
    <table>
      <thead>
        <tr>
          ${columns.map((column) => html`<th class="${classOf(column)}">${column.head}</th>`)}
        </tr>
      </thead>
      <tbody id="${id}" data-live>
        ${rows.length === 0 ? emptyRow(columns.length, emptyText) : null}
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((cell, column) => html`<td class="${classOf(columns[column]!)}">${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Returns the table of accounts with their balances, in exact amounts. */
export function accountsSection({ accounts }: Truth): Markup {
  const rows = accounts.flatMap(({ name, uid, balances, futures }) => [
    ...balances.map(({ asset, free, locked }) => [name, uid, 'spot', asset, grouped(free), grouped(locked), '']),
    ...futures.map(({ asset, free, locked, margin }) => [name, uid, 'futures', asset, grouped(free), grouped(locked), grouped(margin)]),
  ]);
  const columns: readonly Column[] = [
    { head: 'Account' },
    { head: 'uid', isText: true, isWide: true },
    { head: 'Market', isText: true },
    { head: 'Asset', isText: true },
    { head: 'Free' },
    { head: 'Locked' },
    { head: 'Margin', isWide: true },
  ];
  return html`<section id="accounts">
    <h2>Accounts</h2>
    ${table('accounts-live', columns, rows, 'the exchange has no accounts: add accounts to its config')}
  </section>`;
}

/** Returns the tables of open positions and of waiting trigger orders. */
export function positionsSection({ positions, triggers }: Truth): Markup {
  const rows = positions.map(({ account, symbol, side, volume, margin, leverage }) => [
    account ?? '',
    symbol,
    sideText(side === 'BUY' ? 'buy' : 'sell'),
    grouped(volume),
    `${margin} ${leverage}x`,
  ]);
  const waitingTriggers = triggers.map(({ account, symbol, kind, price }) => [account ?? '', symbol, kind, grouped(price)]);
  const leadingColumns: readonly Column[] = [{ head: 'Account' }, { head: 'Contract', isText: true }];
  return html`<section id="positions">
    <h2>Positions</h2>
    ${table('positions-live', [...leadingColumns, { head: 'Side', isText: true }, { head: 'Contracts' }, { head: 'Margin' }], rows, 'no open positions')}
    <h3>Waiting for a price</h3>
    ${table('triggers-live', [...leadingColumns, { head: 'Kind', isText: true }, { head: 'Price' }], waitingTriggers, 'no waiting orders')}
  </section>`;
}

/** Returns the table of the newest orders of both markets. */
export function ordersSection({ sides: { spot, futures } }: Service, { accounts }: ServiceConfig): Markup {
  const latest: readonly UserOrder[] = [...(spot?.orders.latest() ?? []), ...(futures?.orders.latest() ?? [])];
  const rows = latest
    .toSorted((a, b) => b.placedMs - a.placedMs)
    .slice(0, MAX_SHOWN_ORDERS)
    .map((order) => orderRow(order, accounts[order.account]?.name ?? ''));
  const columns: readonly Column[] = [
    { head: 'Instrument', isText: true },
    { head: 'Time, UTC', isText: true, isWide: true },
    { head: 'Account', isText: true, isWide: true },
    { head: 'Side', isText: true },
    { head: 'Type', isText: true, isWide: true },
    { head: 'Price' },
    { head: 'Quantity' },
    { head: 'Filled', isWide: true },
    { head: 'Status', isText: true },
    { head: 'Order id', isWide: true },
  ];
  return html`<section id="orders">
    <h2>Recent orders</h2>
    ${table('orders-live', columns, rows, 'no orders yet: POST /sapi/v1/order places one')}
  </section>`;
}

/** Returns the cells of an order. */
function orderRow({ id, intent, placedMs, venueOrder, ended }: UserOrder, account: string): readonly (Markup | string)[] {
  const { instrument, side, limit, lots, quoteUnits } = intent;
  const visibleState = ended ?? venueOrder;
  const orderedText =
    quoteUnits > 0 ? `${grouped(fromScaled(quoteUnits, instrument.quoteDigits))} ${instrument.quote}` : quantityOf(instrument, lots);
  return [
    instrument.wireName,
    timeOfDayText(placedMs),
    account,
    sideText(side),
    limit === 0 ? 'market' : 'limit',
    limit === 0 ? 'market' : priceOf(instrument, limit),
    orderedText,
    quantityOf(instrument, visibleState?.filledLots ?? 0),
    (visibleState?.status ?? 'NEW').toLowerCase().replaceAll('_', ' '),
    id,
  ];
}
