// Acts on halts in a live bot: cancels orders that open a position, and closes unprotected positions. The engine calls `act` after each change.

import type { WaitingDraft } from '../../orders/drafts.ts';
import type { OrderManager } from '../../orders/orderManager.ts';
import type { BotOrder } from '../../orders/botOrder.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import { NAKED_EXIT } from '../../risk/live/stalenessRules.ts';
import type { HaltCause, HaltState } from '../../risk/live/halts.ts';
import type { RiskModule } from '../../risk/riskModule.ts';
import type { FeedRun } from '../feeds/feed.ts';

/** For each cause: the risk state from which on working orders that open a position are cancelled. Protective and closing orders stay. */
const CANCELS_OPENING_FROM: ReadonlyMap<string, HaltState> = new Map([
  ['DAILY_LOSS', 'HALT_NEW'],
  ['DRAWDOWN', 'HALT_NEW'],
  ['STALE_ACCOUNT', 'CANCEL_ONLY'],
  ['MAINTENANCE_CANCEL', 'HALT_NEW'],
]);

/** What `HaltActions` needs of the engine. */
export interface HaltHost {
  readonly risk: RiskModule;
  readonly orders: OrderManager;
  readonly ledger: Ledger;
  readonly execution: readonly FeedRun[];
  readonly runs: readonly { readonly index: number; leave(feed: FeedRun): unknown }[];
  readonly drafts: { release(): void; dropAll(code: string): void; withdrawAll(isWithdrawn: (draft: WaitingDraft) => boolean): void };
  readonly nowMs: number;
}

/** Acts once on each new halt cause: cancels orders, and closes positions where the cause demands it. */
export class HaltActions {
  private readonly engine: HaltHost;
  private previousCauses: readonly HaltCause[] = [];

  constructor(engine: HaltHost) {
    this.engine = engine;
  }

  /**
   * Acts once on each cause that was raised since the last call. The actions depend only on the ledger, the orders and the causes, all of
   * them journalled, so a replay takes the same actions.
   */
  act(): void {
    const { previousCauses } = this;
    const causes = this.engine.risk.halts.causes();
    if (causes === previousCauses) return;
    this.previousCauses = causes;
    for (const cause of causes) if (!previousCauses.includes(cause)) this.actOn(cause);
    // A cleared cause may have ended the start, so drafts that were ready meanwhile are sent.
    this.engine.drafts.release();
  }

  private actOn({ scope, state, code }: HaltCause): void {
    if (state === 'KILLED') this.engine.drafts.dropAll(code);
    if (code === NAKED_EXIT && scope.kind === 'symbol') this.closePositions(scope.instrument);
    else if (CANCELS_OPENING_FROM.get(code) === state && scope.kind === 'account') this.cancelOpeningOrders();
  }

  /**
   * Exits every strategy that holds a position in the instrument: its orders there are cancelled, then a reduce-only order is sent.
   */
  private closePositions(instrumentIndex: number): void {
    const { runs, ledger } = this.engine;
    for (const run of runs) if (!ledger.isFlat(run.index, instrumentIndex)) run.leave(this.engine.execution[instrumentIndex]!);
  }

  private cancelOpeningOrders(): void {
    const { orders, drafts, nowMs } = this.engine;
    drafts.withdrawAll(({ order }) => opensPosition(order));
    // Copy the list, because a cancel that acts at once removes its order from it.
    for (const order of orders.active().slice()) if (opensPosition(order)) orders.cancel(order, nowMs);
  }
}

/** True when the order opens a position. On spot every sell closes. */
const opensPosition = ({ reduceOnly, side, instrument }: BotOrder): boolean =>
  !reduceOnly && (side === 'buy' || instrument.contract !== undefined);
