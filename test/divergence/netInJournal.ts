// The net profit of a bot, computed from the lines of its journal alone with BigInt, independent of the tested code.

import { readdirSync, readFileSync } from 'node:fs';

const DIGITS = 24;
const ONE = 10n ** BigInt(DIGITS);
/** What is held has a value in whole units of money: 10^-8 here. */
const UNIT = 10n ** BigInt(DIGITS - 8);
const inWholeUnits = (value: bigint): bigint => ((value + UNIT / 2n) / UNIT) * UNIT;

function scaled(text: string): bigint {
  const [whole = '0', part = ''] = text.replace('-', '').split('.');
  const value = BigInt(whole + part.padEnd(DIGITS, '0'));
  return text.startsWith('-') ? -value : value;
}
function textOf(value: bigint): string {
  const digits = String(value < 0n ? -value : value).padStart(DIGITS + 1, '0');
  const part = digits.slice(-DIGITS).replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -DIGITS)}${part === '' ? '' : `.${part}`}`;
}

/** The exact sum of decimals. */
export const total = (amounts: readonly string[]): string => textOf(amounts.reduce((sum, text) => sum + scaled(text), 0n));

interface Line {
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

export const netInJournal = (folder: string): string => moneyInJournal(folder).net;

/** Cash of the fills and payments up to the newest decided bar, and what is held at its close. One instrument. */
export function moneyInJournal(folder: string): { readonly net: string; readonly held: string } {
  const files = readdirSync(`${folder}/journal`).filter((name) => name.endsWith('.jsonl'));
  const lines = files.toSorted().flatMap((name) => readFileSync(`${folder}/journal/${name}`, 'utf8').trim().split('\n'));
  const records = lines.map((line) => JSON.parse(line) as Line);
  const last = records.findLastIndex(({ k, decided, bars }) => k === 'INSTANT' && decided === true && (bars ?? []).length > 0);
  let [cash, held] = [0n, 0n];
  // The value of a contract beside its coins: as the notional of its fills says.
  let [notionals, coins] = [ONE, ONE];
  for (const { k, side, qty = '0', price = '0', notional = '0', fee = '0', feeCoin, amount = '0', symbol = '' } of records.slice(0, last)) {
    if (k === 'FUNDED') cash += scaled(amount);
    if (k !== 'FILL') continue;
    const sign = side === 'buy' ? 1n : -1n;
    cash -= sign * scaled(notional);
    held += sign * scaled(qty);
    if (symbol.startsWith('futures:')) [notionals, coins] = [scaled(notional), (scaled(qty) * scaled(price)) / ONE];
    if (symbol.startsWith('spot:') && symbol.includes(`:${feeCoin ?? ''}`)) held -= scaled(fee);
    else cash -= scaled(fee);
  }
  const close = records[last]!.bars!.at(-1)![5]!;
  const value = inWholeUnits((((held * scaled(String(close))) / ONE) * notionals) / coins);
  return { net: textOf(cash + value), held: textOf(value) };
}
