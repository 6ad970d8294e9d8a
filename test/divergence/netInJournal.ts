// Computes the net profit of a bot from its journal alone, with BigInt. It shares no code with the tested comparison.

import { readdirSync, readFileSync } from 'node:fs';

/** Decimals of all scaled numbers here. */
const DECIMALS = 24;
/** The number 1, scaled. */
const ONE = 10n ** BigInt(DECIMALS);
/** Place of the close in a bar of a record: the index of its feed, its open time, then its prices. */
const CLOSE_INDEX = 5;
/** The smallest unit of money, 10^-8. The value of a position is a whole number of units. */
const UNIT = 10n ** BigInt(DECIMALS - 8);

/** Rounds a scaled amount of money to whole units. */
const inWholeUnits = (money: bigint): bigint => ((money + (money < 0n ? -UNIT : UNIT) / 2n) / UNIT) * UNIT;

/** Returns a decimal as a scaled integer. */
function scaledOf(text: string): bigint {
  const [integerPart = '0', fraction = ''] = text.replace('-', '').split('.');
  const magnitude = BigInt(integerPart + fraction.padEnd(DECIMALS, '0'));
  return text.startsWith('-') ? -magnitude : magnitude;
}
/** Returns a scaled integer as a decimal. */
function textOf(scaled: bigint): string {
  const isNegative = scaled < 0n;
  const digits = String(isNegative ? -scaled : scaled).padStart(DECIMALS + 1, '0');
  const integerPart = digits.slice(0, -DECIMALS);
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '');
  return (isNegative ? '-' : '') + integerPart + (fraction === '' ? '' : `.${fraction}`);
}

/** Returns the exact sum of decimals. */
export const total = (amounts: readonly string[]): string => textOf(amounts.reduce((sum, text) => sum + scaledOf(text), 0n));

/** The members of journal records that are read here. */
interface JournalLine {
  readonly k: string;
  readonly decided?: boolean;
  readonly bars?: readonly (readonly number[])[];
  readonly side?: string;
  readonly qty?: string;
  readonly price?: string;
  readonly notional?: string;
  readonly fee?: string;
  readonly feeCoin?: string;
  readonly amount?: string;
  readonly symbol?: string;
}

/** Returns the net profit of the bot, as a decimal. */
export const netInJournal = (folder: string): string => moneyInJournal(folder).net;

/** Returns the net profit and the value of the position at the close of the newest decided bar, for a journal of one instrument. */
export function moneyInJournal(folder: string): { readonly net: string; readonly held: string } {
  const files = readdirSync(`${folder}/journal`).filter((name) => name.endsWith('.jsonl'));
  const lines = files.toSorted().flatMap((name) => readFileSync(`${folder}/journal/${name}`, 'utf8').trim().split('\n'));
  const records = lines.map((line) => JSON.parse(line) as JournalLine);
  const lastDecision = records.findLastIndex(({ k, decided, bars }) => k === 'INSTANT' && decided === true && (bars ?? []).length > 0);
  let cash = 0n;
  let heldQty = 0n;
  // The value of a contract is its coins at the price, times the ratio of notional to coins of the last fill.
  let fillNotional = ONE;
  let fillCoins = ONE;
  for (const record of records.slice(0, lastDecision)) {
    const { k, side, qty = '0', price = '0', notional = '0', fee = '0', feeCoin, amount = '0', symbol = '' } = record;
    if (k === 'FUNDED') cash += scaledOf(amount);
    if (k !== 'FILL') continue;
    const sign = side === 'buy' ? 1n : -1n;
    cash -= sign * scaledOf(notional);
    heldQty += sign * scaledOf(qty);
    if (symbol.startsWith('futures:')) {
      fillNotional = scaledOf(notional);
      fillCoins = (scaledOf(qty) * scaledOf(price)) / ONE;
    }
    const isFeeInBase = symbol.startsWith('spot:') && symbol.includes(`:${feeCoin ?? ''}`);
    if (isFeeInBase) heldQty -= scaledOf(fee);
    else cash -= scaledOf(fee);
  }
  const close = records[lastDecision]!.bars!.at(-1)![CLOSE_INDEX]!;
  const heldCoins = (heldQty * scaledOf(String(close))) / ONE;
  const heldValue = inWholeUnits((heldCoins * fillNotional) / fillCoins);
  return { net: textOf(cash + heldValue), held: textOf(heldValue) };
}
