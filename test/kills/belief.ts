// Computes the orders and the money of a bot from its journal alone (`Belief`), and compares them with the true state of the exchange
// (`differences`). The tests of killed bots use it at the end of each run.

import { FileSystemDisk } from '../../src/adapters/disk/fileSystemDisk.ts';
import { JournalState } from '../../src/adapters/journal/records/journalState.ts';
import { readJournal } from '../../src/adapters/journal/file/readJournal.ts';
import { Decimal } from '../../src/base/number/decimal.ts';
import type { Market } from '../../src/model/instrument.ts';
import type { TrueOrder, Truth } from '../faults/paperExchange.ts';

const ZERO = new Decimal(0);
/** The asset in which the instruments of these tests are quoted. */
const CASH_ASSET = 'USDT';

/** The orders and money of a bot, as its journal has them. */
export class Belief {
  readonly state: JournalState;
  /** Filled quantity by client order id in upper case. */
  readonly filledQty = new Map<string, Decimal>();
  /** Client order ids in upper case of the orders whose SEND record is in the journal. */
  readonly #sentIds = new Set<string>();
  /** Spot: balances by asset. Futures: net contracts by contract name; the cash of futures is not compared. */
  readonly balances = new Map<string, Decimal>();

  private constructor(state: JournalState) {
    this.state = state;
  }

  /** Reads the journal in `folder`. `cash`: deposit at the start. Ignores a torn tail. Throws when the journal is damaged. */
  static of(folder: string, cash: string): Belief {
    const belief = new Belief(new JournalState());
    belief.#add(CASH_ASSET, new Decimal(cash));
    const { damage } = readJournal(new FileSystemDisk(), folder, (record) => {
      belief.state.add(record);
      if (record.k === 'SEND') belief.#sentIds.add(keyOf(record.cid));
      if (record.k !== 'FILL') return;
      if (record.cid !== null) {
        const qtyBefore = belief.filledQty.get(keyOf(record.cid)) ?? ZERO;
        belief.filledQty.set(keyOf(record.cid), qtyBefore.plus(record.qty));
      }
      const sign = record.side === 'buy' ? 1 : -1;
      belief.#add(assetOf(record.symbol), new Decimal(record.qty).times(sign));
      belief.#add(CASH_ASSET, new Decimal(record.notional).times(-sign));
      belief.#add(record.feeCoin, new Decimal(record.fee).neg());
    });
    if (damage !== null) throw new Error(`the journal is damaged: ${damage.path}:${damage.line}: ${damage.message}`);
    return belief;
  }

  /** True if the journal has the SEND record of the order. */
  hasSent(cid: string): boolean {
    return this.#sentIds.has(keyOf(cid));
  }

  /** Adds to the balance of an asset; subtracts a negative amount. */
  #add(asset: string, amount: Decimal): void {
    this.balances.set(asset, (this.balances.get(asset) ?? ZERO).plus(amount));
  }
}

/** Returns the client order id in upper case, because the journal and the exchange may write it in different cases. */
const keyOf = (cid: string): string => cid.toUpperCase();

/**
 * Returns the differences between the journal and the exchange as text: unknown orders, other filled quantities, orders that are open on one side
 * only, and other balances. `orders`: all orders that the exchange ever had.
 */
export function differences(
  belief: Belief,
  { accounts, orders: openOrders, positions }: Truth,
  orders: readonly TrueOrder[],
  market: Market,
): readonly string[] {
  const differenceTexts: string[] = [];
  const openIds = new Set(openOrders.map(({ id }) => id));
  const unfinished = new Set([...belief.state.unfinished.keys()].map(keyOf));
  for (const { id, clientOrderId, status, filled } of orders) {
    const key = keyOf(clientOrderId ?? '');
    if (!belief.hasSent(key)) differenceTexts.push(`${clientOrderId} is not known`);
    const journalQty = belief.filledQty.get(key) ?? ZERO;
    if (!journalQty.equals(filled))
      differenceTexts.push(`${clientOrderId} (${status}): ${filled} filled, ${journalQty.toFixed()} in the journal`);
    if (openIds.has(id) !== unfinished.has(key))
      differenceTexts.push(`${clientOrderId} is ${status}, the journal has it as ${unfinished.has(key) ? 'open' : 'ended'}`);
    unfinished.delete(key);
  }
  for (const cid of unfinished) differenceTexts.push(`${cid} is open in the journal, and was never placed`);
  for (const [asset, exchangeBalance] of market === 'spot' ? spotBalances(accounts) : netContracts(positions, belief)) {
    const journalBalance = belief.balances.get(asset) ?? ZERO;
    if (!journalBalance.equals(exchangeBalance))
      differenceTexts.push(`${asset}: ${exchangeBalance.toFixed()} at the exchange, ${journalBalance.toFixed()} by the journal`);
  }
  if (belief.state.unattributedFills.length > 0)
    differenceTexts.push(`${belief.state.unattributedFills.length} fills of orders that were never sent`);
  return differenceTexts;
}

/** Returns `BTC` for the spot symbol `spot:BTCUSDT`, and `E-BTC-USDT` for the contract `futures:E-BTC-USDT`. */
const assetOf = (symbol: string): string => symbol.replace(/^spot:(.*)USDT$/, '$1').replace(/^futures:/, '');

/** Returns the balance of each asset of the only account at the exchange. */
const spotBalances = ([account]: Truth['accounts']): readonly (readonly [string, Decimal])[] =>
  account!.balances.map(({ asset, free, locked }) => [asset, new Decimal(free).plus(locked)]);

/** Returns the net position at the exchange of each contract that the journal mentions, 0 for a closed one. */
function netContracts(positions: Truth['positions'], { state }: Belief): readonly (readonly [string, Decimal])[] {
  return [...state.symbols].map((symbol) => {
    const contract = assetOf(symbol);
    const positionsOfContract = positions.filter((position) => position.symbol === contract);
    const netVolume = positionsOfContract.reduce((sum, { side, volume }) => (side === 'BUY' ? sum.plus(volume) : sum.minus(volume)), ZERO);
    return [contract, netVolume];
  });
}
