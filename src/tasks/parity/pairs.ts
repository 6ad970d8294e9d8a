// Pairs the orders of a rerun with the orders of the journal.

import { CAPPED } from '../../model/order.ts';
import { ENDINGS, ROLES, SIDES } from '../../model/run/run.ts';
import type { RecordedRun, ReportedOrder } from './recordedRun.ts';
import type { Rerun } from './rerun.ts';
import { finestMs, NOTHING_LEFT, OrderMatch, UNDECIDED } from './script.ts';

export interface OrderPair {
  /** Position in the columns of the rerun; null: the rerun has no such order. */
  readonly at: number | null;
  readonly recorded: ReportedOrder | null;
  /** Identifies the order. It is the same in every rerun. */
  readonly id: string;
}

/** Returns the role of an order as it was asked for: a market buy that its cap has turned into a limit is recorded as one. */
export function askedRole({ role, code, texts }: Rerun['orders'], at: number): string {
  const recorded = ROLES[role[at]!]!;
  return recorded === 'limit' && texts[code[at]!] === CAPPED ? 'market' : recorded;
}

/** Returns all orders of both sides, those of the rerun first. */
export function pairedOrders({ orders, instruments, feeds }: Rerun, run: RecordedRun): readonly OrderPair[] {
  const match = new OrderMatch(run.orders, finestMs(feeds));
  const numbers = new Map<number, number>();
  const counts = new Map<string, number>();
  // A backtest sends what waits with the end of the row; the bot has not come that far.
  const waiting = [...run.waiting];
  const pairs: OrderPair[] = [];
  for (let at = 0; at < orders.length; at++) {
    const code = orders.texts[orders.code[at]!]!;
    if (code === UNDECIDED || (code === NOTHING_LEFT && ENDINGS[orders.ending[at]!] === 'denied')) continue;
    const createdMs = orders.createdMs[at]!;
    const [side, role] = [SIDES[orders.side[at]!]!, askedRole(orders, at)];
    const parent = orders.parent[at]! > 0 ? (numbers.get(orders.parent[at]!) ?? -1) : 0;
    const symbol = instruments[orders.instrument[at]!]!.id;
    const recorded = match.find({ createdMs, strategy: orders.strategy[at]!, symbol, side, role, parent });
    if (recorded === null && createdMs === run.lastMs) {
      const place = waiting.findIndex((draft) => draft.symbol === symbol && draft.side === side && draft.strategy === orders.strategy[at]);
      if (place >= 0) {
        waiting.splice(place, 1);
        continue;
      }
    }
    if (recorded !== null) numbers.set(orders.id[at]!, recorded.number);
    const look = `${parent > 0 ? 0 : createdMs} ${symbol} ${side} ${role}`;
    const nth = (counts.get(look) ?? 0) + 1;
    counts.set(look, nth);
    pairs.push({ at, recorded, id: recorded === null ? `${look} ${nth}` : String(recorded.number) });
  }
  for (const recorded of match.rest(run.orders)) pairs.push({ at: null, recorded, id: String(recorded.number) });
  return pairs;
}
