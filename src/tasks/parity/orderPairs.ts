// Pairs each order of a rerun with its order in the journal.

import { CAPPED } from '../../model/order.ts';
import { ENDINGS, ROLES, SIDES } from '../../model/run/run.ts';
import type { RecordedRun, ReportedOrder } from './recordedRun.ts';
import type { Rerun } from './rerunStrategies.ts';
import { finestBars } from './barTimes.ts';
import { isWatchedEntry, NOTHING_LEFT, OrderMatch, UNDECIDED } from './rerunScript.ts';

/** An order of the rerun and its order in the journal. One of them can be missing. */
export interface OrderPair {
  /** Row in the columns of the rerun. Null when the rerun does not have the order. */
  readonly row: number | null;
  readonly recorded: ReportedOrder | null;
  /** Identifies the order. It is the same in every rerun. */
  readonly id: string;
}

/** Returns the role that the strategy chose. When the cap of a market buy has turned it into a limit order, the columns record it as that. */
export function chosenRole({ role, code, texts }: Rerun['orders'], row: number): string {
  const recorded = ROLES[role[row]!]!;
  return recorded === 'limit' && texts[code[row]!] === CAPPED ? 'market' : recorded;
}

/** True for an order that never left the bot: it was withdrawn, or it waits. */
const isUnsent = ({ arrivedMs, ending }: Rerun['orders'], row: number): boolean =>
  Number.isNaN(arrivedMs[row]) && ['canceled', 'open'].includes(ENDINGS[ending[row]!]!);

/** Removes the first of the bot's waiting orders with these terms. Returns false without one. */
function takeWaiting(
  waiting: RecordedRun['waiting'][number][],
  { symbol, side, strategy }: Pick<RecordedRun['waiting'][number], 'symbol' | 'side' | 'strategy'>,
): boolean {
  const index = waiting.findIndex((draft) => draft.symbol === symbol && draft.side === side && draft.strategy === strategy);
  if (index >= 0) waiting.splice(index, 1);
  return index >= 0;
}

/** Returns all orders of both sides, those of the rerun first. */
export function pairedOrders({ orders, instruments, feeds }: Rerun, run: RecordedRun): readonly OrderPair[] {
  const match = new OrderMatch(run.orders, finestBars(feeds));
  // By order id in the rerun: the number of the order in the journal.
  const numbersInJournal = new Map<number, number>();
  const countsBySignature = new Map<string, number>();
  // A backtest sends waiting orders at the end of the row. The bot had not reached that point when the comparison ends.
  const waiting = [...run.waiting];
  const pairs: OrderPair[] = [];
  for (let index = 0; index < orders.length; index++) {
    const code = orders.texts[orders.code[index]!]!;
    if (code === UNDECIDED || (code === NOTHING_LEFT && ENDINGS[orders.ending[index]!] === 'denied')) continue;
    const createdMs = orders.createdMs[index]!;
    const side = SIDES[orders.side[index]!]!;
    const role = chosenRole(orders, index);
    const parent = orders.parent[index]! > 0 ? (numbersInJournal.get(orders.parent[index]!) ?? -1) : 0;
    const symbol = instruments[orders.instrument[index]!]!.id;
    // An entry that was withdrawn, or still waits for its price, was not sent. The journal has no intent of it either.
    if (isWatchedEntry({ role, symbol }) && isUnsent(orders, index)) continue;
    const recorded = match.find({ createdMs, strategy: orders.strategy[index]!, symbol, side, role, parent });
    const strategy = orders.strategy[index]!;
    if (recorded === null && createdMs === run.lastMs && takeWaiting(waiting, { symbol, side, strategy })) continue;
    if (recorded !== null) numbersInJournal.set(orders.id[index]!, recorded.number);
    const signature = `${parent > 0 ? 0 : createdMs} ${symbol} ${side} ${role}`;
    const count = (countsBySignature.get(signature) ?? 0) + 1;
    countsBySignature.set(signature, count);
    pairs.push({ row: index, recorded, id: recorded === null ? `${signature} ${count}` : String(recorded.number) });
  }
  for (const recorded of match.unmatched(run.orders)) pairs.push({ row: null, recorded, id: String(recorded.number) });
  return pairs;
}
