// Sets leverage, margin mode and position mode of contracts until the venue confirms them. No position opens before that.

import { marginSettingsText } from '../../../protocol/contractModes.ts';
import { assertNever } from '../../../base/assert.ts';
import { resultOf, sleep, start, type Task, type Work } from '../../../base/task.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { VENUE_CODES } from '../../../model/venueCodes.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { Calls } from '../calls/calls.ts';
import type { ContractSettingsTarget, ExchangeNotes } from '../calls/types.ts';
import type { ExchangeContext } from '../order/exchangeContext.ts';
import type { RaisedCauses } from '../order/raisedCauses.ts';
import type { VenueCalls } from '../calls/venueCalls.ts';

/** What the settings of contracts take. */
export interface ContractSettingsDeps {
  readonly calls: Calls;
  readonly venue: Pick<VenueCalls, 'positions' | 'openOrderSettings'>;
  readonly scheduler: Scheduler;
  readonly instruments: readonly Instrument[];
  readonly target: (instrumentIndex: number) => ContractSettingsTarget;
  readonly raisedCauses: RaisedCauses;
  readonly notes: ExchangeNotes | null;
  readonly retryMs: number;
  readonly retryMaxMs: number;
}

const SETTING_NAMES = ['positionModel', 'positionType', 'leverage'] as const;
type SettingName = (typeof SETTING_NAMES)[number];

/** The settings of the contracts of one account. No order of a contract is sent before the venue has confirmed them. */
export class ContractSettings {
  readonly #deps: ContractSettingsDeps;
  readonly #ready = new Set<number>();
  /** The pause before the next attempt, by instrument. */
  readonly #pauses = new Map<number, Task<void>>();

  constructor(deps: ContractSettingsDeps) {
    this.#deps = deps;
  }

  /** True once the venue has confirmed all settings of the contract. */
  isReady(instrumentIndex: number): boolean {
    return this.#ready.has(instrumentIndex);
  }

  /** Sets everything at start-up. Settings are idempotent and cannot be read back, so an earlier confirmation does not count. */
  sendAll(instruments: readonly number[]): void {
    for (const instrument of instruments) {
      this.#deps.raisedCauses.raise('SETTINGS', instrument, 'leverage and margin mode are not confirmed yet');
      start(this.#setAll(instrument));
    }
  }
  /** Ends all attempts. */
  stop(): void {
    for (const pause of this.#pauses.values()) pause.cancel();
    this.#pauses.clear();
  }

  *#setAll(instrumentIndex: number): Work<void> {
    for (const name of SETTING_NAMES) if (!(yield* this.#sendUntilConfirmed(instrumentIndex, name))) return;
    this.#ready.add(instrumentIndex);
    this.#deps.raisedCauses.clearIfAllowed('SETTINGS', instrumentIndex);
  }
  /** Sends the setting until the venue confirms it. Returns false if the exchange is stopped before: the journal may have ended then. */
  *#sendUntilConfirmed(instrumentIndex: number, name: SettingName): Work<boolean> {
    const { calls, retryMs, retryMaxMs } = this.#deps;
    for (let pauseMs = retryMs; ; pauseMs = Math.min(2 * pauseMs, retryMaxMs)) {
      if (calls.isStopped) return false;
      this.#journalSetting(instrumentIndex, name, { isConfirmed: false });
      if (yield* this.#isConfirmed(instrumentIndex, name)) {
        this.#journalSetting(instrumentIndex, name, { isConfirmed: true });
        return true;
      }
      // A pause that begins after the stop would outlive the journal.
      if (calls.isStopped) return false;
      yield* this.#pause(instrumentIndex, pauseMs);
    }
  }
  *#isConfirmed(instrumentIndex: number, name: SettingName): Work<boolean> {
    const outcome = yield* this.#send(instrumentIndex, name);
    if (outcome.kind === 'acked') return true;
    const isInUse = outcome.kind === 'refused' && outcome.code === VENUE_CODES.unsupportedOperation.code;
    return isInUse ? yield* this.#isSetAlready(instrumentIndex) : false;
  }
  *#pause(instrumentIndex: number, ms: number): Work<void> {
    const pause = start(sleep(this.#deps.scheduler, Math.ceil(ms)));
    this.#pauses.set(instrumentIndex, pause);
    yield* resultOf(pause);
  }

  /** Sends one setting of a contract in its target value. */
  #send(instrumentIndex: number, name: SettingName): Work<Outcome<null>> {
    const { calls, target, instruments } = this.#deps;
    const { positionModel, positionType, leverage } = target(instrumentIndex);
    const contractName = instruments[instrumentIndex]!.wireName;
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

  /**
   * True if the contract's positions have the target settings; without a position, if its open orders have them. The venue refuses a change
   * while there is one of either, such as an entry that was resting as the last process ended. The halt names other settings.
   */
  *#isSetAlready(instrumentIndex: number): Work<boolean> {
    const { venue, instruments, target } = this.#deps;
    const { leverage, positionType } = target(instrumentIndex);
    const instrument = instruments[instrumentIndex]!;
    const options = { priority: 'reconcile' } as const;
    const page = yield* venue.positions(instrument, options);
    if (page?.isComplete !== true) return false;
    const hasPosition = page.rows.length > 0;
    const rows = hasPosition ? page.rows : ((yield* venue.openOrderSettings(instrument, options)) ?? []);
    const other = rows.find((row) => row.leverage !== leverage || row.positionType !== positionType);
    if (other === undefined) return rows.length > 0;
    // The operator has to know: the halt lasts as long as the position, or the order.
    const openText = hasPosition ? 'the open position' : 'an open order';
    this.#deps.raisedCauses.raise(
      'SETTINGS',
      instrumentIndex,
      `${openText} has ${marginSettingsText(other)}, the config ${marginSettingsText({ leverage, positionType })}: the exchange refuses a change before it has ended`,
    );
    return false;
  }

  /** Journals the target value of a setting: before it is sent, and again once the exchange has confirmed it. */
  #journalSetting(instrumentIndex: number, name: SettingName, { isConfirmed }: { readonly isConfirmed: boolean }): void {
    const { notes, instruments, target } = this.#deps;
    const value = String(target(instrumentIndex)[name]);
    notes?.setting({ contract: instruments[instrumentIndex]!.wireName, name, value, confirmed: isConfirmed });
  }
}

/** Returns the settings of the contracts of one market; null on spot and if no target settings are configured. */
export function contractSettingsOf(context: ExchangeContext): ContractSettings | null {
  const { deps, calls, venue, raisedCauses, settingsTarget: target } = context;
  const { market, scheduler, instruments, settings, notes = null } = deps;
  if (market === 'spot' || deps.contractSettingsTarget === undefined) return null;
  const { cancelRetryMs: retryMs, cancelRetryMaxMs: retryMaxMs } = settings;
  return new ContractSettings({ calls, venue, scheduler, instruments, raisedCauses, notes, target, retryMs, retryMaxMs });
}
