// Reads the funding rates of a live bot and journals each one before a strategy can see it.

import type { RecordBody } from '../../../adapters/journal/records/records.ts';
import { FundingRatePoller, type AskRate } from '../../../adapters/exchange/klines/fundingRatePoller.ts';
import type { ServerTime } from '../../../adapters/exchange/time/serverClock.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { GrowingRates } from '../../../model/bars/growingRates.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { formatMinute } from '../../../model/time.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { gridTimes, missingRates, rateFrom, growingRatesOf, rateText, type KnownRates } from './fundingRates.ts';

/** The contracts of a bot, and the exchange that reports their rates. */
export interface FundingReaderDeps {
  readonly engine: Engine;
  readonly plan: RunPlan;
  readonly scheduler: Scheduler;
  /** Time of the futures exchange. */
  readonly serverTime: () => ServerTime;
  readonly ask: (instrument: Instrument) => AskRate;
  readonly periodMs: number;
  /** The rates of each contract at the start. */
  readonly known: (instrument: Instrument) => KnownRates;
  /** Journals rates before strategies see them. */
  readonly journal: (body: RecordBody<'RATES'>) => void;
  /** `strategy` null: concerns no strategy in particular. */
  readonly log: (level: 'info' | 'warn', strategy: string | null, message: string) => void;
}

/** One contract with its rates. */
interface ContractRates {
  readonly instrument: Instrument;
  /** Index of the instrument in the engine. */
  readonly index: number;
  readonly rates: GrowingRates;
  readonly startRates: KnownRates;
  readonly poller: FundingRatePoller;
  /** Strategies that have been warned about missing rates. */
  readonly warnedStrategies: Set<number>;
  /** A sentence about missing rates, for strategies that read them; null: none is missing. */
  readonly missingText: string | null;
  /** The next funding time; NaN before the first. */
  dueMs: number;
}

/** The funding rates of one bot. */
export class FundingReader {
  readonly #deps: FundingReaderDeps;
  readonly #contracts: readonly ContractRates[];

  constructor(deps: FundingReaderDeps) {
    this.#deps = deps;
    this.#contracts = deps.engine.instruments.flatMap((instrument, index) =>
      instrument.contract === undefined ? [] : [this.#contractRatesOf(instrument, index)],
    );
  }

  /** True while a reply is pending. */
  get isBusy(): boolean {
    return this.#contracts.some(({ poller }) => poller.isBusy);
  }

  /** Starts to read the rates of every contract. */
  start(): void {
    for (const contract of this.#contracts) {
      this.#addStartRates(contract);
      if (contract.missingText !== null) this.#deps.log('info', null, contract.missingText);
      contract.poller.start();
    }
    this.warnReaders();
  }

  /** Adds the known rates that are later than the last one. A bot that continues with its journal already has its past rates. */
  #addStartRates(contract: ContractRates): void {
    const { times, rates } = contract.startRates;
    const { lastMs, length, rate } = contract.rates;
    const isNewestUnknown = length > 0 && Number.isNaN(rate[length - 1]!);
    const firstNew = times.findIndex((timeMs, index) => {
      const completesNewest = timeMs === lastMs && isNewestUnknown && !Number.isNaN(rates[index]!);
      return timeMs > lastMs || completesNewest;
    });
    if (firstNew >= 0) this.#setRates(contract, times.slice(firstNew), rates.slice(firstNew));
  }

  /** Stops all polls. */
  stop(): void {
    for (const { poller } of this.#contracts) poller.stop();
  }

  /** Warns each strategy that reads a contract with missing rates, once. */
  warnReaders(): void {
    for (const { missingText, index, warnedStrategies } of this.#contracts) {
      if (missingText === null) continue;
      for (const run of this.#deps.engine.runs) {
        if (warnedStrategies.has(run.index) || !run.readsFundingOf(index)) continue;
        warnedStrategies.add(run.index);
        this.#deps.log('warn', run.name, `funding rates are incomplete: ${missingText}; the strategy reads NaN`);
      }
    }
  }

  /** Returns the rates of a contract with their poller, and what is missing of them at the start. */
  #contractRatesOf(instrument: Instrument, index: number): ContractRates {
    const { plan, scheduler, serverTime, ask, periodMs, known, log } = this.#deps;
    const startRates = known(instrument);
    const nextMs = (Math.floor(serverTime().ms / periodMs) + 1) * periodMs;
    const contract: ContractRates = {
      instrument,
      index,
      startRates,
      rates: growingRatesOf(plan, instrument.id),
      missingText: missingRates(instrument, startRates, nextMs),
      warnedStrategies: new Set(),
      dueMs: NaN,
      poller: new FundingRatePoller({
        scheduler,
        serverTime,
        periodMs,
        ask: ask(instrument),
        sink: {
          next: (dueMs) => this.#addNextRate(contract, dueMs),
          rate: (dueMs, text) => this.#setRates(contract, [dueMs], [Number(text)]),
          onProblem: (problem) => log('warn', null, `funding rate of ${instrument.wireName}: ${problem}`),
        },
      }),
    };
    return contract;
  }

  /** Adds the next rate as NaN until it has been read, together with every funding time that was missed. */
  #addNextRate(contract: ContractRates, dueMs: number): void {
    const { instrument, rates } = contract;
    const { length, lastMs, rate } = rates;
    if (contract.dueMs === lastMs && Number.isNaN(rate[length - 1]!))
      this.#deps.log('warn', null, `the funding rate of ${instrument.wireName} of ${formatMinute(lastMs)} was missed: strategies read NaN`);
    contract.dueMs = dueMs;
    const times = length === 0 ? [dueMs] : gridTimes(lastMs, dueMs, this.#deps.periodMs);
    const unknownRates = times.map(() => NaN);
    this.#setRates(contract, times, unknownRates);
  }

  /** Journals rates, then shows them to strategies. */
  #setRates({ instrument, rates }: ContractRates, times: readonly number[], values: readonly number[]): void {
    if (times.length === 0) return;
    const texts = values.map(rateText);
    this.#deps.journal({ symbol: instrument.id, times, rates: texts });
    times.forEach((timeMs, index) => rates.set(timeMs, rateFrom(texts[index]!)));
  }
}
