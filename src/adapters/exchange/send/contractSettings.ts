// Sets leverage, margin mode and position mode of contracts until the venue confirms them. No position opens before that.

import { assertNever } from '../../../base/assert.ts';
import { start, type Work } from '../../../base/task.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { VENUE_CODES } from '../../../model/venueCodes.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { Calls } from '../calls/calls.ts';
import type { ContractSettingsTarget, ExchangeNotes } from '../calls/types.ts';
import type { RaisedCauses } from '../order/raisedCauses.ts';
import type { VenueCalls } from '../calls/venueCalls.ts';

export interface ContractSettingsDeps {
  readonly calls: Calls;
  readonly venue: VenueCalls;
  readonly scheduler: Scheduler;
  readonly instruments: readonly Instrument[];
  readonly target: (instrument: number) => ContractSettingsTarget;
  readonly raisedCauses: RaisedCauses;
  readonly notes: ExchangeNotes | null;
  readonly retryMs: number;
  readonly retryMaxMs: number;
}

const NAMES = ['positionModel', 'positionType', 'leverage'] as const;
type Name = (typeof NAMES)[number];

export class ContractSettings {
  readonly #parts: ContractSettingsDeps;
  readonly #ready = new Set<number>();
  readonly #timers = new Map<number, number>();

  constructor(parts: ContractSettingsDeps) {
    this.#parts = parts;
  }

  isReady(instrument: number): boolean {
    return this.#ready.has(instrument);
  }

  /** Sets everything at start-up. Settings are idempotent and cannot be read back, so an earlier confirmation does not count. */
  begin(instruments: readonly number[]): void {
    for (const instrument of instruments) {
      this.#parts.raisedCauses.raise('SETTINGS', instrument, 'leverage and margin mode are not confirmed yet');
      this.#set(instrument, 0, this.#parts.retryMs);
    }
  }
  stop(): void {
    for (const handle of this.#timers.values()) this.#parts.scheduler.cancel(handle);
    this.#timers.clear();
  }

  #set(instrument: number, step: number, pauseMs: number): void {
    const name = NAMES[step];
    if (name === undefined) {
      this.#ready.add(instrument);
      return this.#parts.raisedCauses.resolve('SETTINGS', instrument);
    }
    this.#note(instrument, name, false);
    start(this.#send(instrument, name)).whenOver((outcome) => {
      if (outcome.kind === 'acked') return this.#done(instrument, name, step);
      const isInUse = outcome.kind === 'refused' && outcome.code === VENUE_CODES.unsupportedOperation.code;
      if (!isInUse) return this.#again(instrument, step, pauseMs);
      this.#isSetAlready(instrument, (isSet) => {
        if (isSet) this.#done(instrument, name, step);
        else this.#again(instrument, step, pauseMs);
      });
    });
  }

  #done(instrument: number, name: Name, step: number): void {
    this.#note(instrument, name, true);
    this.#set(instrument, step + 1, this.#parts.retryMs);
  }
  #again(instrument: number, step: number, pauseMs: number): void {
    const { scheduler, retryMaxMs } = this.#parts;
    const run = (): void => this.#set(instrument, step, Math.min(2 * pauseMs, retryMaxMs));
    this.#timers.set(instrument, scheduler.at(scheduler.nowMs + Math.ceil(pauseMs), run));
  }

  #send(instrument: number, name: Name): Work<Outcome<null>> {
    const { calls, target, instruments } = this.#parts;
    const { positionModel, positionType, leverage } = target(instrument);
    const contractName = instruments[instrument]!.wireName;
    switch (name) {
      case 'positionModel':
        return calls.call('futures.changePositionMode', { contractName, positionModel });
      case 'positionType':
        return calls.call('futures.changeMarginMode', { contractName, marginModel: positionType });
      case 'leverage':
        return calls.call('futures.changeLeverage', { contractName, nowLevel: leverage });
      default:
        return assertNever(name);
    }
  }

  /** The venue refuses settings for a contract with a position. Then the position shows its settings. */
  #isSetAlready(instrument: number, done: (isSet: boolean) => void): void {
    const { venue, instruments, target } = this.#parts;
    const { leverage, positionType } = target(instrument);
    start(venue.positions(instruments[instrument]!, { priority: 'reconcile' })).whenOver((page) => {
      const rows = page?.isWhole === true ? page.rows : [];
      done(rows.length > 0 && rows.every((row) => row.leverage === leverage && row.positionType === positionType));
    });
  }

  #note(instrument: number, name: Name, confirmed: boolean): void {
    const { notes, instruments, target } = this.#parts;
    notes?.setting({ contract: instruments[instrument]!.wireName, name, value: String(target(instrument)[name]), confirmed });
  }
}
