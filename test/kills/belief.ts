// Computes the orders and money of a bot from its journal alone, and compares them with the true state of the exchange.

import { FileSystemDisk } from '../../src/adapters/disk/fileSystemDisk.ts';
import { JournalState } from '../../src/adapters/journal/records/journalState.ts';
import { readJournal } from '../../src/adapters/journal/file/readJournal.ts';
import { Decimal } from '../../src/base/number/decimal.ts';
import type { Market } from '../../src/model/instrument.ts';
import type { TrueOrder, Truth } from '../faults/paperExchange.ts';

const ZERO = new Decimal(0);
const CASH_ASSET = 'USDT';

/** The orders and money of a bot, as its journal has them. */
export class Belief {
  readonly state: JournalState;
  /** Filled quantity by client order id in upper case. */
  readonly filled = new Map<string, Decimal>();
  /** Client order ids of orders that may have left. */
  readonly #sent = new Set<string>();
  /** Balances by asset. For futures, contracts by the name of the contract, and no money. */
  readonly money = new Map<string, Decimal>();

  private constructor(state: JournalState) {
    this.state = state;
  }

  /** Reads the journal in `folder`. Ignores a torn tail. Throws when the journal is damaged. */
  static of(folder: string, cash: string): Belief {
    const belief = new Belief(new JournalState());
    belief.#add(CASH_ASSET, new Decimal(cash));
    const { damage } = readJournal(new FileSystemDisk(), folder, (record) => {
      belief.state.add(record);
      if (record.k === 'SEND') belief.#sent.add(keyOf(record.cid));
      if (record.k !== 'FILL') return;
      if (record.cid !== null) belief.filled.set(keyOf(record.cid), (belief.filled.get(keyOf(record.cid)) ?? ZERO).plus(record.qty));
      const sign = record.side === 'buy' ? 1 : -1;
      belief.#add(assetOf(record.symbol), new Decimal(record.qty).times(sign));
      belief.#add(CASH_ASSET, new Decimal(record.notional).times(-sign));
      belief.#add(record.feeCoin, new Decimal(record.fee).neg());
    });
    if (damage !== null) throw new Error(`the journal is damaged: ${damage.path}:${damage.line}: ${damage.message}`);
    return belief;
  }

  hasSent(cid: string): boolean {
    return this.#sent.has(keyOf(cid));
  }

  #add(asset: string, amount: Decimal): void {
    this.money.set(asset, (this.money.get(asset) ?? ZERO).plus(amount));
  }
}

/** Returns the id in upper case. The exchange keeps the case in which an id was sent. */
const keyOf = (cid: string): string => cid.toUpperCase();

/** Returns the differences as text: unknown orders, other fills, orders that are wrongly open or ended, and money. */
export function differences(
  belief: Belief,
  { accounts, orders: live, positions }: Truth,
  orders: readonly TrueOrder[],
  market: Market,
): readonly string[] {
  const result: string[] = [];
  const liveIds = new Set(live.map(({ id }) => id));
  const unfinished = new Set([...belief.state.unfinished.keys()].map(keyOf));
  for (const { id, clientOrderId, status, filled } of orders) {
    const key = keyOf(clientOrderId ?? '');
    if (!belief.hasSent(key)) result.push(`${clientOrderId} is not known`);
    const inJournal = belief.filled.get(key) ?? ZERO;
    if (!inJournal.equals(filled)) result.push(`${clientOrderId} (${status}): ${filled} filled, ${inJournal.toFixed()} in the journal`);
    if (liveIds.has(id) !== unfinished.has(key))
      result.push(`${clientOrderId} is ${status}, the journal has it as ${unfinished.has(key) ? 'open' : 'ended'}`);
    unfinished.delete(key);
  }
  for (const cid of unfinished) result.push(`${cid} is open in the journal, and was never placed`);
  for (const [asset, atExchange] of market === 'spot' ? balances(accounts) : contracts(positions, belief)) {
    const inJournal = belief.money.get(asset) ?? ZERO;
    if (!inJournal.equals(atExchange))
      result.push(`${asset}: ${atExchange.toFixed()} at the exchange, ${inJournal.toFixed()} by the journal`);
  }
  if (belief.state.unattributedFills.length > 0)
    result.push(`${belief.state.unattributedFills.length} fills of orders that were never sent`);
  return result;
}

/** Returns `BTC` for spot:BTCUSDT, and the name of a contract for a contract. */
const assetOf = (symbol: string): string => symbol.replace(/^spot:(.*)USDT$/, '$1').replace(/^futures:/, '');

const balances = ([account]: Truth['accounts']): readonly (readonly [string, Decimal])[] =>
  account!.balances.map(({ asset, free, locked }) => [asset, new Decimal(free).plus(locked)]);

/** Returns the positions of all contracts that were ever traded, also of closed ones. */
function contracts(positions: Truth['positions'], { state }: Belief): readonly (readonly [string, Decimal])[] {
  return [...state.symbols].map((symbol) => {
    const inJournal = positions.filter((position) => position.symbol === assetOf(symbol));
    return [assetOf(symbol), inJournal.reduce((sum, { side, volume }) => (side === 'BUY' ? sum.plus(volume) : sum.minus(volume)), ZERO)];
  });
}
