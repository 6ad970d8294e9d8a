// Runs one simulated day: a production bot and the production exchange on one virtual clock. Its last hour has no faults. `runDay` creates a
// World for each seed.

import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DueQueue } from '../../../src/ports/dueQueue.ts';
import { settlePromises } from '../../../src/worlds/computer/simulatedProcess.ts';
import { writeBotConfig } from './botConfig.ts';
import type { BotProcess } from './botProcess.ts';
import { drawContracts, FIRST_HOUR_MS, type ContractDayTerms } from './futures/contractDay.ts';
import { ContractRules } from './futures/contractRules.ts';
import { ContractVenue } from './futures/contractVenue.ts';
import { manualActOf, ManualTradeKill } from './futures/manualTradeKill.ts';
import { BurstTrader } from './hard/burstTrader.ts';
import { dayTermsOf, isHardDay, isHardTimed, type DayTerms } from './hard/hardDay.ts';
import { rngOf } from './draws.ts';
import { HardFaults } from './hard/hardFaults.ts';
import { Observer } from './observer.ts';
import type { DayOptions } from './dayResult.ts';
import { openSecondBot } from './pair/secondBot.ts';
import { cutClient, sharesAccount } from './pair/pairDay.ts';
import { CALM_MS, DAY_MS, isBusyDay, isTimed, requestFaultsOf, type ScheduledFault, type TimedFault } from './schedule.ts';
import { SimulatedBot } from './simulatedBot.ts';
import { CancelRule } from './themes/cancelRule.ts';
import { CrowdTrader } from './themes/crowdTrader.ts';
import { EqualTrader } from './themes/equalTrader.ts';
import { RepeatingModule, hasRepeatingModule } from './themes/repeatingModule.ts';
import { LastKill } from './themes/lastKill.ts';
import { isThemedTimed, arrivesAfterReservation, themeOf, type Theme } from './themes/themedDay.ts';
import { SceneTrader } from './themes/scenes/sceneTrader.ts';
import { ThemedFaults } from './themes/themedFaults.ts';
import { BusyTrader, Trader } from './trader.ts';
import { SimulatedVenue, SYMBOLS } from './venue.ts';

/** Length of the last part of the day, in which the operator allows no opening order, ms. */
const NO_OPENING_MS = 900_000;
/** When a simulated day begins, ms UTC. */
export const START_MS = Date.UTC(2026, 0, 5);
/** Time within which a bot learns of a trade while nothing goes wrong, ms. */
const KNOWN_AFTER_MS = 30_000;
/** Largest position of a symbol on a quiet and on a busy day, in lots. On a busy day orders are close to the limit. */
const MAX_LOTS = { quiet: 80_000, busy: 25_000 };
/** Time from the start of a day of contracts until the operator first reviews foreign orders, ms. */
const FIRST_REVIEW_MS = 90_000;

/** One simulated day: the bot, the exchange, the network between them, the operator, and the faults of the day, on one clock. */
export class World {
  readonly queue = new DueQueue();
  readonly observer: Observer;
  /** The rules of contracts; null on a day of coins. */
  readonly contractRules: ContractRules | null;
  readonly venue: SimulatedVenue;
  /** Folder of the bots' files, in memory where the system has such a folder. Removed by `close`. */
  readonly folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'isobar-world-'));
  /** Hash of the requests, violations and results of the day. Recorded hashes show that a day can be repeated exactly. */
  readonly hash = createHash('sha256');
  /** The bot, the only one on most days. */
  readonly bot: SimulatedBot;
  /** The second bot on the same exchange; null on days with one bot. */
  readonly secondBot: SimulatedBot | null = null;
  readonly #schedule: readonly ScheduledFault[];
  readonly #print: ((line: string) => void) | undefined;
  readonly #startMs: number;
  #endMs: number;
  /** The settings of a day of contracts; null on a day of coins. */
  readonly #contracts: ContractDayTerms | null;
  /** True if the day stops at the first violation of a rule. */
  readonly #stopsAtViolation: boolean;
  /** True if orders are frequent and close to the limits. */
  readonly #isBusy: boolean;
  readonly #terms: DayTerms;
  /** The faults of a hard day; null on other days. */
  #hardFaults: HardFaults | null = null;
  /** The faults of a day with a theme; null on other days. */
  #themedFaults: ThemedFaults | null = null;
  /** The kill that ends a day of `twins` or `stagedKills`; null on other days. */
  #lastKill: LastKill | null = null;

  constructor(
    seed: number,
    schedule: readonly ScheduledFault[],
    { lengthMs = DAY_MS, untilViolation = false, futures = false, print }: DayOptions,
  ) {
    this.#schedule = schedule;
    this.#print = print;
    this.#startMs = START_MS + (futures ? FIRST_HOUR_MS : 0);
    this.#endMs = this.#startMs + lengthMs;
    this.#stopsAtViolation = untilViolation;
    const theme = themeOf(seed);
    const hasTwoBots = theme === 'twoBots';
    const isAccountShared = hasTwoBots && sharesAccount(seed, futures ? 'futures' : 'spot');
    this.#isBusy = isBusyDay(seed) || theme !== null;
    this.#terms = dayTermsOf(seed);
    this.#contracts = futures ? drawContracts(rngOf(seed, 'contracts'), this.#isBusy, theme, isAccountShared ? SYMBOLS[0] : null) : null;
    const maxLots = this.#contracts?.maxLots ?? (this.#isBusy && !arrivesAfterReservation(seed) ? MAX_LOTS.busy : MAX_LOTS.quiet);
    this.queue.runDue(this.#startMs);
    const contractVenue = futures ? new ContractVenue(seed, this.#startMs) : null;
    this.venue = contractVenue ?? new SimulatedVenue(seed, this.#startMs);
    this.contractRules = contractVenue === null ? null : new ContractRules(contractVenue);
    this.observer = new Observer(this.contractRules);
    const calmFromMs = this.#endMs - CALM_MS;
    const { queue, venue, observer, folder, hash } = this;
    const commonDeps = { queue, maxSkewMs: this.#terms.maxSkewMs, maxLots, calmFromMs, hash };
    this.bot = new SimulatedBot({
      ...commonDeps,
      venue,
      observer,
      folder,
      print: (text) => this.#log(text),
      rng: rngOf(seed, 'process'),
      networkRng: rngOf(seed, 'network'),
      strategy: () => this.#strategy(),
      module: hasRepeatingModule(seed) ? new RepeatingModule(rngOf(seed, 'module')) : null,
      clockStepMs: () => this.#hardFaults?.clockStepMs ?? 0,
      faultByCreate: requestFaultsOf(schedule, 1),
      lastKill: () => this.#lastKill,
      cancelRule: theme === 'fewCalls' && !futures ? new CancelRule() : null,
      sharesAccount: isAccountShared,
      isOfBan: (status) => this.#hardFaults?.isOfBan(status) === true,
    });
    this.#addHardFaults(seed, theme);
    writeBotConfig(seed, { folder, venue, contracts: this.#contracts, maxLots });
    if (hasTwoBots) {
      const faultByCreate = requestFaultsOf(schedule, 2);
      this.secondBot = openSecondBot(seed, { ...commonDeps, folder, faultByCreate, first: this, print: (text) => this.#log(`2: ${text}`) });
    }
  }

  /** The bots of the day. */
  get #bots(): readonly SimulatedBot[] {
    return this.secondBot === null ? [this.bot] : [this.bot, this.secondBot];
  }

  // --- Faults

  /** Adds the faults of a hard day or of a day with a theme. Days with a theme also have the timed faults of hard days. */
  #addHardFaults(seed: number, theme: Theme | null): void {
    if (!isHardDay(seed) && theme === null) return;
    const { queue, venue, observer, bot } = this;
    const { operator, journal, network } = bot;
    const print = (text: string): void => this.#log(text);
    this.#hardFaults = new HardFaults(
      { queue, venue, observer, operator, journal, network, currentProcess: () => bot.process, print },
      seed,
    );
    network.hardFaults = this.#hardFaults;
    if (theme !== null) this.#addThemedFaults(seed, theme);
  }

  /** Adds the faults of a theme, and the kill that ends a day of `twins` or `stagedKills`. */
  #addThemedFaults(seed: number, theme: Theme): void {
    const { queue, venue, observer, bot } = this;
    const { operator, journal, network } = bot;
    const currentProcess = (): BotProcess | null => bot.process;
    const calmFromMs = this.#endMs - CALM_MS;
    const endProcess = (seconds: number): void => (theme === 'newFeeds' ? bot.changeFeeds(seconds) : bot.endProcess(false, seconds));
    const refuseSlices = (draw: number): void => this.#hardFaults?.apply('refusedFlatten', draw);
    this.#themedFaults = new ThemedFaults(
      { queue, venue, observer, operator, calmFromMs, currentProcess, endProcess, refuseSlices },
      seed,
      theme,
    );
    network.themedFaults = this.#themedFaults;
    if ((theme === 'contractHands' || theme === 'netStrategies') && venue instanceof ContractVenue)
      this.#themedFaults.manualTradeKill = new ManualTradeKill(
        { queue, venue, observer, operator, currentProcess, print: (text) => this.#log(text) },
        seed,
        theme === 'contractHands' ? manualActOf(seed) : 'enlarged',
      );
    if (theme !== 'twins' && theme !== 'stagedKills') return;
    const lastKillDeps = {
      queue,
      venue,
      observer,
      journal,
      network,
      currentProcess,
      folder: join(this.folder, 'bot'),
      print: (text: string) => this.#log(text),
      endProcess: () => bot.endProcess(false, Infinity),
    };
    this.#lastKill = new LastKill(lastKillDeps, seed, theme === 'stagedKills');
    this.#themedFaults.lastKill = this.#lastKill;
  }

  /** Applies a fault of the schedule. `draw`, in [0, 1), scales its duration or amount. */
  #applyTimedFault({ faultKind, draw, bot }: TimedFault): void {
    this.#log(`${bot === 2 ? '2: ' : ''}${faultKind} ${draw.toFixed(3)}`);
    const target = bot === 2 && this.secondBot !== null ? this.secondBot : this.bot;
    if (faultKind === 'cutClient') cutClient(target.network, this.queue.nowMs, draw);
    else if (faultKind === 'wrongConfig') target.tryWrongConfig(draw);
    else if (isHardTimed(faultKind)) this.#hardFaults?.apply(faultKind, draw);
    else if (isThemedTimed(faultKind)) this.#themedFaults?.apply(faultKind, draw);
    else target.plainFaults[faultKind](draw);
  }

  /** Prints a line with the virtual time of day, if the log is printed. */
  #log(text: string): void {
    this.#print?.(`${new Date(this.queue.nowMs).toISOString().slice(11, 23)} ${text}`);
  }

  /** Returns the strategy class of the first bot on this kind of day. */
  #strategy(): typeof Trader {
    if (this.#contracts !== null) return this.#contracts.strategy;
    if (this.#lastKill?.scene || this.#themedFaults?.hasSceneTrader) return SceneTrader;
    if (this.#themedFaults?.isCrowd) return CrowdTrader;
    if (this.#themedFaults?.hasEqualOrders) return EqualTrader;
    if (this.#terms.hasBursts) return BurstTrader;
    return this.#isBusy && this.secondBot === null ? BusyTrader : Trader;
  }

  // --- The day

  /** Runs the day event by event, and checks the rules after each. */
  async run(): Promise<void> {
    const bots = this.#bots;
    for (const bot of bots) bot.start();
    for (const fault of this.#schedule)
      if (isTimed(fault) && this.#startMs + fault.atMs < this.#endMs)
        this.queue.at(this.#startMs + fault.atMs, () => this.#applyTimedFault(fault));
    for (const { operator } of bots) this.queue.at(this.#endMs - NO_OPENING_MS, () => operator.stopOpening());
    if (this.#contracts !== null)
      for (const { operator } of bots) this.queue.at(this.#startMs + FIRST_REVIEW_MS, () => operator.startForeignOrderReviews());
    for (;;) {
      if (bots.some(({ needsEventLoop }) => needsEventLoop) || this.#lastKill?.isRunning) await settlePromises();
      // A kill of a theme, or a list that is too long, ends the day.
      if (this.#lastKill?.isOver || this.#themedFaults?.manualTradeKill?.isOver || this.#themedFaults?.longList?.isOver)
        return this.#hashEnd();
      for (const bot of bots) bot.startIfDue();
      const nextMs = Math.min(this.queue.nextMs, this.venue.exchange.nextMs);
      while (nextMs > this.#endMs && this.#hasLateTrade) this.#endMs += KNOWN_AFTER_MS;
      if (nextMs > this.#endMs) break;
      if (this.venue.exchange.nextMs <= nextMs) this.venue.service.advance(nextMs);
      this.queue.runDue(nextMs);
      for (const { process, journal } of bots) if (process?.isFlattening) journal.mirrorToDisk();
      for (const bot of bots) bot.checkIfChanged();
      if (this.#stopsAtViolation && this.observer.violations.length > 0) return;
    }
    this.venue.service.advance(this.#endMs);
    this.queue.runDue(this.#endMs);
    for (const bot of bots) bot.checkEnd();
    this.#hardFaults?.checkEnd();
    this.#hashEnd();
  }

  /** True if a bot has traded so late that it may not know of it when the day ends. The day then lasts longer. */
  get #hasLateTrade(): boolean {
    const orders = this.#bots.flatMap(({ venue }) => [...venue.orders.byId.values()]);
    return orders.some(({ trades }) => (trades.at(-1)?.timeMs ?? -Infinity) > this.#endMs - KNOWN_AFTER_MS);
  }

  /** Adds the violations, the number of trades and the money at the end of the day to the hash. */
  #hashEnd(): void {
    for (const text of this.observer.violations) this.hash.update(text);
    this.hash.update(`${this.venue.tradeCount} ${this.venue.units('USDT')}`);
  }

  /** Ends the processes and removes the folder. */
  close(): void {
    for (const { process } of this.#bots) process?.die();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
