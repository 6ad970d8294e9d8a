// The journal of a backtest that is written down: it tells why risk refused orders, the first ones of each code, with the figures.

import { ReplayJournal } from '../adapters/replay/replayJournal.ts';
import type { LogLine } from '../ports/log.ts';
import type { Order } from '../model/order.ts';
import { obstacleText } from '../orders/obstacles.ts';
import type { RiskModule } from '../risk/riskModule.ts';
import { orderWords } from './orderWords.ts';

/** A strategy may be refused at every bar: what comes after so many with one code is counted in the summary, and no text is made of it. */
const MOST_OF_A_CODE = 10;

export interface RefusalTelling {
  readonly risk: RiskModule;
  readonly log: LogLine;
  /** Names of the strategies. */
  readonly names: readonly string[];
}

export class RefusalWords extends ReplayJournal {
  readonly #telling: RefusalTelling;
  readonly #byCode = new Map<string, { count: number }>();

  constructor(telling: RefusalTelling) {
    super();
    this.#telling = telling;
  }

  override denied(order: Order, code: string): number {
    let told = this.#byCode.get(code);
    if (told === undefined) this.#byCode.set(code, (told = { count: 0 }));
    if (told.count < MOST_OF_A_CODE) this.#tell(order, code, ++told.count);
    return super.denied(order, code);
  }

  #tell(order: Order, code: string, count: number): void {
    const { risk, log, names } = this.#telling;
    const why = obstacleText(code) ?? risk.detail();
    const isLast = count === MOST_OF_A_CODE ? { further: 'counted in summary.json' } : {};
    log(order.createdMs, names[order.strategy] ?? '', `${orderWords(order)}: denied: ${why}`, { order: order.id, code, ...isLast });
  }
}
