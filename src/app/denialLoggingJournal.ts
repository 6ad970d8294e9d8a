// Logs the reasons of denied orders in a backtest, for the first denials of each code.

import { ReplayJournal } from '../adapters/replay/replayJournal.ts';
import type { LogLine } from '../ports/log.ts';
import type { Order } from '../model/order.ts';
import { denialText } from '../orders/denialReasons.ts';
import type { RiskModule } from '../risk/riskModule.ts';
import { orderText } from './orderText.ts';

/** Maximum number of logged denials of one code, because risk can deny orders at every bar. The summary counts all denials. */
const MAX_PER_CODE = 10;

/** Options of `DenialLoggingJournal`. */
export interface DenialLogOptions {
  readonly risk: RiskModule;
  readonly log: LogLine;
  /** Names of the strategies. */
  readonly names: readonly string[];
}

/** A journal of a backtest that also logs the first denials of each code. */
export class DenialLoggingJournal extends ReplayJournal {
  readonly #options: DenialLogOptions;
  readonly #denialsByCode = new Map<string, { count: number }>();

  constructor(options: DenialLogOptions) {
    super();
    this.#options = options;
  }

  /** Logs the denial if it is among the first of its code, and passes it on to the journal. */
  override denied(order: Order, code: string): number {
    let denials = this.#denialsByCode.get(code);
    if (denials === undefined) this.#denialsByCode.set(code, (denials = { count: 0 }));
    if (denials.count < MAX_PER_CODE) this.#log(order, code, ++denials.count);
    return super.denied(order, code);
  }

  #log(order: Order, code: string, count: number): void {
    const { risk, log, names } = this.#options;
    const reason = denialText(code) ?? risk.detail();
    const lastNote = count === MAX_PER_CODE ? { further: 'counted in summary.json' } : {};
    log(order.createdMs, names[order.strategy] ?? '', `${orderText(order)}: denied: ${reason}`, { order: order.id, code, ...lastNote });
  }
}
