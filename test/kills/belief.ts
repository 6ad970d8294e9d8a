// What the journal of a bot makes of its orders and its money, worked out from the records alone, and held against the exchange's truth.

import { FileSystemDisk } from '../../src/adapters/disk/fileSystemDisk.ts';
import { JournalState } from '../../src/adapters/journal/records/journalState.ts';
import { readJournal } from '../../src/adapters/journal/file/readJournal.ts';
import { Decimal } from '../../src/base/number/decimal.ts';
import type { Market } from '../../src/model/instrument.ts';
import type { TrueOrder, Truth } from '../faults/paperExchange.ts';

const ZERO = new Decimal(0);
const CASH_ASSET = 'USDT';

export class Belief {
  readonly state: JournalState;
  /** By client order id in capitals: what its fills add up to. */
  readonly filled = new Map<string, Decimal>();
  /** Orders that may have left. */
  readonly #sent = new Set<string>();
  /** By asset; of futures what moved is contracts, by the name of the contract, and money is not followed. */
  readonly money = new Map<string, Decimal>();

  private constructor(state: JournalState) {
    this.state = state;
  }

  /** Throws where the journal is damaged; what was torn off its end counts for nothing. */
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

/** The exchange keeps ids as they were sent, whatever case that is. */
const keyOf = (cid: string): string => cid.toUpperCase();

/** The differences as text: unknown orders, other fills, orders that are wrongly open or ended, money that differs by a unit. */
export function differences(
  belief: Belief,
  { accounts, orders: live, positions }: Truth,
  orders: readonly TrueOrder[],
  market: Market,
): readonly string[] {
  const found: string[] = [];
  const alive = new Set(live.map(({ id }) => id));
  const unfinished = new Set([...belief.state.unfinished.keys()].map(keyOf));
  for (const { id, clientOrderId, status, filled } of orders) {
    const key = keyOf(clientOrderId ?? '');
    if (!belief.hasSent(key)) found.push(`${clientOrderId} is not known`);
    const own = belief.filled.get(key) ?? ZERO;
    if (!own.equals(filled)) found.push(`${clientOrderId} (${status}): ${filled} filled, ${own.toFixed()} in the journal`);
    if (alive.has(id) !== unfinished.has(key))
      found.push(`${clientOrderId} is ${status}, the journal holds it to be ${unfinished.has(key) ? 'open' : 'over'}`);
    unfinished.delete(key);
  }
  for (const cid of unfinished) found.push(`${cid} is held to be open, and was never placed`);
  for (const [asset, isTrue] of market === 'spot' ? balances(accounts) : contracts(positions, belief)) {
    const own = belief.money.get(asset) ?? ZERO;
    if (!own.equals(isTrue)) found.push(`${asset}: ${isTrue.toFixed()} at the exchange, ${own.toFixed()} by the journal`);
  }
  if (belief.state.unattributedFills.length > 0)
    found.push(`${belief.state.unattributedFills.length} fills of orders that were never sent`);
  return found;
}

/** `BTC` of spot:BTCUSDT; a contract is its own. */
const assetOf = (symbol: string): string => symbol.replace(/^spot:(.*)USDT$/, '$1').replace(/^futures:/, '');

const balances = ([account]: Truth['accounts']): readonly (readonly [string, Decimal])[] =>
  account!.balances.map(({ asset, free, locked }) => [asset, new Decimal(free).plus(locked)]);

/** The positions of all contracts that were ever traded, closed ones too. */
function contracts(positions: Truth['positions'], { state }: Belief): readonly (readonly [string, Decimal])[] {
  return [...state.symbols].map((symbol) => {
    const own = positions.filter((each) => each.symbol === assetOf(symbol));
    return [assetOf(symbol), own.reduce((sum, { side, volume }) => (side === 'BUY' ? sum.plus(volume) : sum.minus(volume)), ZERO)];
  });
}
