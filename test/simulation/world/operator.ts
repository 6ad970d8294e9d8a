// The operator of the simulated bot: halts and resumes it, kills it, looks at what a kill has left, and decides on foreign orders.

import { ConfigError } from '../../../src/base/errors.ts';
import type { DueQueue } from '../../../src/ports/dueQueue.ts';
import { rearm } from '../../../src/tasks/kill/killSwitch/killSwitch.ts';
import type { BotProcess } from './botProcess.ts';
import { reviewForeignOrders, scopesOf } from './futures/contractDay.ts';
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
  readonly currentProcess: () => BotProcess | null;
  /** Ends the process. The next one starts after `seconds`. */
  readonly endProcess: (seconds: number) => void;
}

/** Times from the start of the exchange, or from a change of its clock, until the operator clears the halts that this causes. */
const CLEAR_ADMISSION_MS = [600_000, 1_500_000, 2_700_000, 3_300_000] as const;
/** Shortest halt by the operator, ms. A draw adds up to the range. */
const MIN_HALT_MS = 60_000;
const HALT_RANGE_MS = 1_200_000;
/** Time until the operator repeats an act that the bot could not do or has not confirmed, ms. */
const RETRY_MS = 30_000;
/** As `RETRY_MS`, at the end of the day: no order may open in the meantime. */
const STOP_RETRY_MS = 5000;
/** How often the operator reviews foreign orders, ms. */
const REVIEW_MS = 600_000;
/** How often the operator reads whether a kill has ended, ms. */
const KILL_CHECK_MS = 2000;
/** Time from a kill until the operator reads its report, and until the next attempt while it is not done, ms. */
const AFTER_KILL_MS = 900_000;
const AFTER_KILL_RETRY_MS = 60_000;
/** Time from the end of a killed process until the next one starts, seconds. */
const RESTART_SECONDS = 30;

/** Codes of halts of a symbol on spot. */
const SYMBOL_CODES: ReadonlySet<string> = new Set(['STATUS', 'LATE_LANDING']);

/** The operator of one simulated bot. */
export class Operator {
  /** The operator's halt that is in force; null without one. */
  haltState: 'HALT_NEW' | 'CANCEL_ONLY' | null = null;
  /** Number of kills by the operator. */
  killCount = 0;
  readonly #deps: OperatorDeps;

  constructor(deps: OperatorDeps) {
    this.#deps = deps;
  }

  get #process(): BotProcess | null {
    return this.#deps.currentProcess();
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

  /** Halts the account for a time. The risk state and the length follow from `draw`, a random number in [0, 1). */
  halt(draw: number): void {
    const process = this.#process;
    const control = process?.control;
    if (!process || !control) return;
    const state = draw < 0.5 ? 'HALT_NEW' : 'CANCEL_ONLY';
    const halting = control.halt({ scope: 'account', state, why: 'the operator looks' }, 'operator');
    this.#trackAct(
      process,
      halting.then(({ done }) => done && (this.haltState = state)),
    );
    this.#later(MIN_HALT_MS + Math.floor(draw * HALT_RANGE_MS), () => this.resume());
  }
  /** Stops new orders, so that every order that is open at the end of the day is old enough to be known. */
  stopOpening(): void {
    const process = this.#process;
    const control = process?.control;
    if (!process || !control) return this.#later(STOP_RETRY_MS, () => this.stopOpening());
    this.#trackAct(process, control.halt({ scope: 'account', state: 'CANCEL_ONLY', why: 'the day ends' }, 'operator'));
  }
  /**
   * Clears the halts of one code, or the operator's own halt. Tries again until a bot that is not killed has replied: the bot may be down, end
   * before it replies, or be killed and not yet re-armed.
   */
  resume(code: string | null = null): void {
    const process = this.#process;
    const control = process?.control;
    if (code === null && control) this.haltState = null;
    if (!process || !control) return this.#later(RETRY_MS, () => this.resume(code));
    this.#deps.observer.readHalts(process);
    let hasResumed = false;
    // A bot that is killed replies too, but stays killed. Then the retry below is due. The replies for all scopes say the same.
    const noteReply = (): void => {
      hasResumed = process.control?.ownKill == null;
    };
    for (const scope of this.#scopesToClear(process, code))
      this.#trackAct(process, control.resume({ scope, code, why: 'the operator has looked' }, 'operator').then(noteReply));
    this.#later(RETRY_MS, () => {
      if (!hasResumed) this.resume(code);
    });
  }
  /** Returns the scopes on which the operator must clear halts of this code. On spot only the halts of `SYMBOL_CODES` are not of the account. */
  #scopesToClear(process: BotProcess, code: string | null): readonly string[] {
    const isOfAccount = code === null || (this.#deps.venue.market === 'spot' && !SYMBOL_CODES.has(code));
    return isOfAccount ? ['account'] : scopesOf(process, code);
  }

  /** Clears the halts of the code ADMISSION, which the bot raises when the exchange breaks its own admission window. The operator knows the reason. */
  clearAdmissionHalts(): void {
    for (const ms of CLEAR_ADMISSION_MS) this.#later(ms, () => this.clearOnce('ADMISSION'));
  }

  /** Reviews the foreign orders of a day of contracts now and every 10 minutes. They are the orders by which the exchange liquidates positions. */
  startForeignOrderReviews(): void {
    const process = this.#process;
    const { venue } = this.#deps;
    this.#later(REVIEW_MS, () => this.startForeignOrderReviews());
    if (!process?.opened || !(venue instanceof ContractVenue)) return;
    reviewForeignOrders(process, venue, (work) => this.#trackAct(process, work));
  }

  /** Clears the account's halts of one code, without a retry: by the time of a retry there may be a halt with another reason, unread. */
  clearOnce(code: string): void {
    const process = this.#process;
    if (process?.control)
      this.#trackAct(process, process.control.resume({ scope: 'account', code, why: 'the operator has looked' }, 'operator'));
  }
  /** Marks foreign orders that were placed by hand as not the bot's. */
  ignore(venueIds: readonly string[]): void {
    const process = this.#process;
    const control = process?.control;
    if (!process || !control) return;
    for (const id of venueIds) this.#trackAct(process, control.decide({ what: 'ignore', id, why: 'placed by hand' }, 'operator'));
  }

  /** Kills the bot; with `flatten` the kill closes all positions. The operator re-arms the bot once the kill has ended. */
  kill(process: BotProcess | null, flatten: boolean): void {
    const control = process?.control;
    if (!process || !control) return;
    this.killCount++;
    process.isKilled = true;
    // A second kill does not stop one that closes positions.
    process.isFlattening ||= flatten;
    if (flatten) this.#deps.journal.mirrorToDisk();
    this.#trackAct(process, control.kill({ flatten, why: 'the operator kills' }, 'operator'));
    if (this.#deps.venue.market === 'futures') this.#later(KILL_CHECK_MS, () => this.#checkWorkingOrders(process));
    this.#later(AFTER_KILL_MS, () => this.#afterKill(process));
  }
  /**
   * Waits for the end of a kill of contracts, and reports working orders that its residuals do not name. `#afterKill` compares again, but much
   * later: by then a trigger order may have fired.
   */
  #checkWorkingOrders(process: BotProcess): void {
    const { observer, venue, queue } = this.#deps;
    const view = this.#process === process ? process.control?.ownKill : null;
    if (view == null) return;
    if (view.phase !== 'done') return this.#later(KILL_CHECK_MS, () => this.#checkWorkingOrders(process));
    const workingCount = venue.openOrdersAfterKill(view.flatten).length;
    if (view.residuals.length === 0 && workingCount > 0)
      observer.report('KILL', `the kill has ended and says that all is cancelled, and ${workingCount} orders are working`, queue.nowMs);
  }
  /** Waits for the end of the kill, compares its report with the exchange, and re-arms the bot. */
  #afterKill(process: BotProcess): void {
    const { observer, venue, queue, print, endProcess, folder } = this.#deps;
    const view = this.#process === process ? process.control?.ownKill : null;
    if ((view && view.phase !== 'done') || venue.exchange.isDown) return this.#later(AFTER_KILL_RETRY_MS, () => this.#afterKill(process));
    const workingCount = venue.openOrdersAfterKill(view?.flatten === true).length;
    if (view && view.residuals.length === 0 && workingCount > 0)
      observer.report('KILL', `the kill says that all is cancelled, and ${workingCount} orders are working`, queue.nowMs);
    if (view?.flatten && view.residuals.length === 0)
      for (const base of SYMBOLS)
        if (venue.closableLots(base) >= 1) observer.report('KILL', `the kill says that all is closed, and ${base} is held`, queue.nowMs);
    print(`the kill left ${view?.residuals.join('; ') || 'nothing'}`);
    // The operator reads the halts and re-arms the whole account.
    observer.readHalts(this.#process);
    endProcess(RESTART_SECONDS);
    this.haltState = null;
    try {
      rearm(folder, 'operator', 'all was looked at');
    } catch (error) {
      // The kill record may be missing, because the process died before it was written. Then there is nothing to re-arm.
      if (!(error instanceof ConfigError)) throw error;
    }
  }
}
