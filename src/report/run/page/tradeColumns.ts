// Defines the columns of the table of closed trades: the text, the sorting value and the exported text of each.

import {
  amountText,
  wholeText,
  exactText,
  fixed,
  minuteText,
  NO_VALUE,
  signed,
  signedAmount,
  spanText,
} from '../../../base/text/format.ts';
import type { UnpackedTrades } from './rows/tradeRows.ts';
import { FRACTION_DIGITS, PRICE_EXTRA_DIGITS, type PageData, type WireInstrument } from '../../page/wire.ts';

/** One column. The functions take the row of a trade. */
export interface TradeTableColumn {
  readonly name: string;
  /** Key in the exported file. */
  readonly key: string;
  /** The value to sort by. */
  readonly value: (row: number) => number;
  readonly text: (row: number) => string;
  /** Plain text for the exported file. Without it, the file gets `text` without its formatting. */
  readonly plain?: (row: number) => string;
  /** Text with all digits, if `text` has fewer. */
  readonly exact?: (row: number) => string;
  /** True when gains and losses have different colours. */
  readonly isTinted?: boolean;
  /** True when a narrow screen shows the column too. */
  readonly isMain?: boolean;
}

const FRACTION_SCALE = 10 ** FRACTION_DIGITS;

/** Returns the columns of a page. */
export function columnsOf(page: PageData, trades: UnpackedTrades): readonly TradeTableColumn[] {
  const { of, tags } = trades;
  const { asset } = page;
  return [
    { name: '#', key: 'trade', value: (row) => row, text: (row) => wholeText(row + 1), plain: (row) => String(row + 1), isMain: true },
    ...ownerColumns(page, trades),
    sideColumn(of.side),
    timeColumn('entry, UTC', 'entry_utc', of.entryMs),
    timeColumn('exit, UTC', 'exit_utc', of.exitMs),
    holdTimeColumn(of),
    quantityColumn(page, trades),
    priceColumn(page, trades, { name: `entry, ${asset}`, key: 'entry_price', column: of.entryPrice }),
    priceColumn(page, trades, { name: `exit, ${asset}`, key: 'exit_price', column: of.exitPrice }),
    moneyColumn(page, { name: `result, ${asset}`, key: 'result', column: of.pnl, isTinted: true }),
    fractionColumn('result, %', 'result_fraction', of.return, true),
    moneyColumn(page, { name: `fees, ${asset}`, key: 'fees', column: of.fees, isTinted: false }),
    fractionColumn('MAE, %', 'mae_fraction', of.mae),
    fractionColumn('MFE, %', 'mfe_fraction', of.mfe),
    ...(tags.length > 1
      ? [tagColumn('entered by', 'entry_tag', of.entryTag, tags), tagColumn('left by', 'exit_tag', of.exitTag, tags)]
      : []),
  ];
}

/** Returns the columns for instrument and strategy. Each appears only when the run has more than one. */
function ownerColumns({ instruments, strategies }: PageData, { of }: UnpackedTrades): readonly TradeTableColumn[] {
  const nameColumn = (name: string, column: ArrayLike<number>, nameOf: (index: number) => string | undefined): TradeTableColumn => ({
    name,
    key: name,
    value: (row) => column[row]!,
    text: (row) => nameOf(column[row]!) ?? NO_VALUE,
  });
  return [
    ...(instruments.length > 1 ? [nameColumn('instrument', of.instrument, (index) => instruments[index]?.name)] : []),
    ...(strategies.length > 1 ? [nameColumn('strategy', of.strategy, (index) => strategies[index])] : []),
  ];
}

/** Returns the column of sides. The exported text has no arrow. */
function sideColumn(column: ArrayLike<number>): TradeTableColumn {
  const text = (row: number) => (column[row] === 0 ? '▲ long' : '▼ short');
  return { name: 'side', key: 'side', value: (row) => column[row]!, text, plain: (row) => text(row).slice(2), isMain: true };
}

/** Returns a column of times (ms UTC). */
function timeColumn(name: string, key: string, column: Float64Array): TradeTableColumn {
  const plain = (row: number) => new Date(column[row]!).toISOString();
  return { name, key, value: (row) => column[row]!, text: (row) => minuteText(column[row]!), plain, isMain: key === 'entry_utc' };
}

/** Returns the column of holding times. */
function holdTimeColumn({ entryMs, exitMs }: UnpackedTrades['of']): TradeTableColumn {
  const value = (row: number) => exitMs[row]! - entryMs[row]!;
  return { name: 'held', key: 'held_ms', value, text: (row) => spanText(value(row)), plain: (row) => String(value(row)) };
}

/** Returns the instrument of a trade. */
const instrumentOf = ({ instruments }: PageData, { of }: UnpackedTrades, row: number): WireInstrument | undefined =>
  instruments[of.instrument[row]!];

/** Returns the column of quantities, in coins or contracts. */
function quantityColumn(page: PageData, trades: UnpackedTrades): TradeTableColumn {
  const { instruments } = page;
  const { lots } = trades.of;
  const coinName = instruments.length === 1 ? (instruments[0]?.base ?? '') : 'base';
  const unitNames = [...new Set(instruments.map(({ isContract }) => (isContract ? 'contracts' : coinName)))];
  const digits = (row: number) => instrumentOf(page, trades, row)?.quantityDigits ?? 0;
  const singleKey = instruments[0]?.isContract ? 'quantity_contracts' : 'quantity_base';
  return {
    name: `quantity, ${unitNames.join(' or ')}`,
    key: unitNames.length > 1 ? 'quantity' : singleKey,
    value: (row) => lots[row]! / 10 ** digits(row),
    text: (row) => exactText(lots[row]!, digits(row)),
    plain: (row) => plainInteger(lots[row]!, digits(row)),
  };
}

/** A column of numbers: its heading, its key in the exported file, and a value for each trade. */
interface TradeNumberColumn {
  readonly name: string;
  readonly key: string;
  readonly column: Float64Array;
}

/** Returns a column of prices, which are in ticks times 10^PRICE_EXTRA_DIGITS. */
function priceColumn(page: PageData, trades: UnpackedTrades, { name, key, column }: TradeNumberColumn): TradeTableColumn {
  const digits = (row: number) => instrumentOf(page, trades, row)?.priceDigits ?? 0;
  const value = (row: number) => column[row]! / 10 ** (digits(row) + PRICE_EXTRA_DIGITS);
  return { name, key, value, text: (row) => fixed(value(row), digits(row)), plain: (row) => String(value(row)) };
}

/** Returns a column of amounts in units of the reporting asset. A tinted column shows the sign, also by its colour. */
function moneyColumn(
  { asset, assetDigits: digits }: PageData,
  { name, key, column, isTinted }: TradeNumberColumn & { readonly isTinted: boolean },
): TradeTableColumn {
  return {
    name,
    key,
    value: (row) => column[row]!,
    text: (row) => (isTinted ? signedAmount : amountText)(column[row]! / 10 ** digits, asset),
    exact: (row) => exactText(column[row]!, digits),
    plain: (row) => plainInteger(column[row]!, digits),
    isTinted,
  };
}

/** Returns a column of fractions in 10^-FRACTION_DIGITS, shown in percent. NaN means no figure. */
function fractionColumn(name: string, key: string, column: Float64Array, isTinted = false): TradeTableColumn {
  return {
    name,
    key,
    value: (row) => column[row]!,
    text: (row) => (Number.isNaN(column[row]!) ? NO_VALUE : signed((column[row]! / FRACTION_SCALE) * 100, 2)),
    plain: (row) => (Number.isNaN(column[row]!) ? '' : (column[row]! / FRACTION_SCALE).toFixed(FRACTION_DIGITS)),
    isTinted,
    isMain: isTinted,
  };
}

/** Returns a column of tags, given by their index. */
function tagColumn(name: string, key: string, column: Float64Array, tags: readonly string[]): TradeTableColumn {
  const plain = (row: number) => tags[column[row]!] ?? '';
  return { name, key, value: (row) => column[row]!, text: (row) => plain(row) || NO_VALUE, plain };
}

/** Returns a whole number of 10^-digits as a decimal without separators. */
function plainInteger(value: number, digits: number): string {
  const sign = value < 0 ? '-' : '';
  const text = String(Math.abs(value)).padStart(digits + 1, '0');
  return digits === 0 ? `${sign}${text}` : `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}
