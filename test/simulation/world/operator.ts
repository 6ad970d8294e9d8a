// The operator of the simulated bot: halts and resumes it, kills it, looks at what a kill has left, and decides on foreign orders.

import { ConfigError } from '../../../src/base/errors.ts';
import type { DueQueue } from '../../../src/ports/dueQueue.ts';
import { rearm } from '../../../src/tasks/kill/killSwitch/killSwitch.ts';
import type { BotProcess } from './botProcess.ts';
import { decideForeignOrders, scopesOf } from './futures/contractDay.ts';
import { ContractVenue } from './futures/contractVenue.ts';
import type { JournalDisk } from './journalDisk.ts';
import type { Observer } from './observer.ts';
import { SYMBOLS, type SimulatedVenue } from './venue.ts';

/** What the operator sees and acts on. */
export interface OperatorDeps {
  readonly queue: DueQueue;
  readonly observer: Observer;
  readonly venue: SimulatedVenue;
  readonly journal: JournalDisk;
  /** Folder of the bot. */
  readonly folder: string;
  readonly print: (text: string) => void;
  /** The process that runs; null while the bot is down. */
  readonly process: () => BotProcess | null;
  /** Ends the process. The next one starts after `seconds`. */
  readonly endProcess: (seconds: number) => void;
}

/** Times from the start of the exchange, or from a change of its clock, until the operator looks. */
const EXPLANATIONS_MS = [600_000, 1_500_000, 2_700_000, 3_300_000] as const;

/** How often the operator looks whether a kill has ended, ms. */
const CHECK_MS = 2000;

export class Operator {
  /** The operator's halt that is in force; null without one. */
  halted: 'HALT_NEW' | 'CANCEL_ONLY' | null = null;
  kills = 0;
  readonly #deps: OperatorDeps;

  constructor(deps: OperatorDeps) {
    this.#deps = deps;
  }

  get #process(): BotProcess | null {
    return this.#deps.process();
  }
  /** Runs an act after `ms`. */
  #later(ms: number, act: () => void): void {
    const { queue } = this.#deps;
    queue.at(queue.nowMs + ms, act);
  }

  /** Counts an act of the operator as pending until it has ended. A failed act is a violation. */
  #trackAct(process: BotProcess, work: Promise<unknown>): void {
    process.pending++;
    work.then(
      () => process.pending--,
      (error: unknown) => {
        process.pending--;
        this.#deps.observer.report('ACT', String(error), this.#deps.queue.nowMs);
      },
    );
  }

  /** Halts the account for a while. */
  halt(size: number): void {
    const process = this.#process;
    const control = process?.control;
    if (!process || !control) return;
    const state = size < 0.5 ? 'HALT_NEW' : 'CANCEL_ONLY';
    const halting = control.halt({ scope: 'account', state, why: 'the operator looks' }, 'operator');
    this.#trackAct(
      process,
      halting.then(({ done }) => done && (this.halted = state)),
    );
    this.#later(60_000 + Math.floor(size * 1_200_000), () => this.resume());
  }
  /** Stops new orders, so that every order that is open at the end of the day is old enough to be known. */
  stopOpening(): void {
    const process = this.#process;
    const control = process?.control;
    if (!process || !control) return this.#later(5000, () => this.stopOpening());
    this.#trackAct(process, control.halt({ scope: 'account', state: 'CANCEL_ONLY', why: 'the day ends' }, 'operator'));
  }
  /** Resumes the bot. It may be down, end before it replies, or be killed and not yet re-armed, so the operator tries again after 30 s. */
  resume(code: string | null = null): void {
    const process = this.#process;
    const control = process?.control;
    if (code === null && control) this.halted = null;
    if (!process || !control) return this.#later(30_000, () => this.resume(code));
    this.#deps.observer.readHalts(process);
    let isAnswered = false;
    const isOfAccount = code === null || (this.#deps.venue.market === 'spot' && code !== 'STATUS');
    for (const scope of isOfAccount ? ['account'] : scopesOf(process, code)) {
      const resuming = control.resume({ scope, code, why: 'the operator has looked' }, 'operator');
      this.#trackAct(
        process,
        resuming.then(() => (isAnswered = process.control?.ownKill == null)),
      );
    }
    this.#later(30_000, () => isAnswered || this.resume(code));
  }

  /** The exchange has broken its own time window. The operator knows why, and clears what the bot says about it. */
  explainAdmissions(): void {
    for (const ms of EXPLANATIONS_MS) this.#later(ms, () => this.clearOnce('ADMISSION'));
  }

  /** The operator looks every 10 minutes at what the exchange has liquidated. */
  decideForeignOrders(): void {
    const process = this.#process;
    const { venue } = this.#deps;
    this.#later(600_000, () => this.decideForeignOrders());
    if (!process?.opened || !(venue instanceof ContractVenue)) return;
    decideForeignOrders(process, venue, (work) => this.#trackAct(process, work));
  }

  /** Clears a halt of the account once. An operator who tries again must first read what it says by then. */
  clearOnce(code: string): void {
    const process = this.#process;
    if (process?.control)
      this.#trackAct(process, process.control.resume({ scope: 'account', code, why: 'the operator has looked' }, 'operator'));
  }
  /** Ignores foreign orders, which a person has placed by hand. */
  ignore(venueIds: readonly string[]): void {
    const process = this.#process;
    const control = process?.control;
    if (!process || !control) return;
    for (const id of venueIds) this.#trackAct(process, control.decide({ what: 'ignore', id, why: 'placed by hand' }, 'operator'));
  }

  kill(process: BotProcess | null, flatten: boolean): void {
    const control = process?.control;
    if (!process || !control) return;
    this.kills++;
    process.isKilled = true;
    // A kill during one that closes positions does not stop it.
    process.isFlattening ||= flatten;
    if (flatten) this.#deps.journal.mirror();
    this.#trackAct(process, control.kill({ flatten, why: 'the operator kills' }, 'operator'));
    if (this.#deps.venue.market === 'futures') this.#later(CHECK_MS, () => this.#checkKilled(process));
    this.#later(900_000, () => this.#afterKill(process));
  }
  /** Checks at the end of a kill that no order stands that it does not name. Later one may have been triggered. */
  #checkKilled(process: BotProcess): void {
    const { observer, venue, queue } = this.#deps;
    const view = this.#process === process ? process.control?.ownKill : null;
    if (view == null) return;
    if (view.phase !== 'done') return this.#later(CHECK_MS, () => this.#checkKilled(process));
    const left = venue.liveAfterKill(view.flatten).length;
    if (view.residuals.length === 0 && left > 0)
      observer.report('KILL', `the kill has ended and says that all is cancelled, and ${left} orders stand`, queue.nowMs);
  }
  /** Waits for the end of the kill, checks what it says it has done, and re-arms the bot. */
  #afterKill(process: BotProcess): void {
    const { observer, venue, queue, print, endProcess, folder } = this.#deps;
    const view = this.#process === process ? process.control?.ownKill : null;
    if ((view && view.phase !== 'done') || venue.isDown) return this.#later(60_000, () => this.#afterKill(process));
    const left = venue.liveAfterKill(view?.flatten === true).length;
    if (view && view.residuals.length === 0 && left > 0)
      observer.report('KILL', `the kill says that all is cancelled, and ${left} orders stand`, queue.nowMs);
    if (view?.flatten && view.residuals.length === 0)
      for (const base of SYMBOLS)
        if (venue.closableLots(base) >= 1) observer.report('KILL', `the kill says that all is closed, and ${base} is held`, queue.nowMs);
    print(`the kill left ${view?.residuals.join('; ') || 'nothing'}`);
    // The operator reads the halts and re-arms the whole account.
    observer.readHalts(this.#process);
    endProcess(30);
    this.halted = null;
    try {
      rearm(folder, 'operator', 'all was looked at');
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
    }
  }
}
