// Runs one simulated day: a live bot and a paper exchange on the same virtual clock, with the faults of a schedule.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY_MS } from '../../base/calendar.ts';
import type { Decimal } from '../../base/number/decimal.ts';
import { ConfigError, StrategyError } from '../../base/errors.ts';
import { seededRng, type Rng } from '../../base/number/rng.ts';
import { formatTime } from '../../model/time.ts';
import { DueQueue } from '../../ports/dueQueue.ts';
import { scopeName } from '../../tasks/control/scopes.ts';
import { BotComputer } from '../computer/botComputer.ts';
import { settlePromises } from '../computer/simulatedProcess.ts';
import { FaultyNetwork } from '../computer/faultyNetwork.ts';
import { SimulatedDisk } from '../computer/simulatedDisk.ts';
import { DayExchange } from './dayExchange.ts';
import { CALM_MS, type DaySchedule, type Outage } from './daySchedule.ts';
import { DayWatcher, type DayMoment, type DayViolation } from './dayWatcher.ts';
import { ReportedFills } from './reportedFills.ts';
import type { UsersBot } from './usersBot.ts';
import { HTTP_STATUS } from '../../protocol/errors/httpStatus.ts';

/** The day to simulate. */
export interface DayRequest {
  readonly bot: UsersBot;
  readonly seed: number;
  /** Start of the day, ms UTC. */
  readonly startMs: number;
  readonly schedule: DaySchedule;
  /** True if each position must have a stop at the end, because it had one at once on the same day without faults. */
  readonly mustProtect: boolean;
  /** Takes lines about all events. Null to print nothing. */
  readonly print: ((line: string) => void) | null;
  /** Called after each hour with the share of the day that has passed, 0 to 1. */
  readonly onHour: (share: number) => void;
}

/** The result of a simulated day. */
export interface DayOutcome {
  readonly startEquity: Decimal;
  /** Equity after 24 hours, by the books of the exchange. */
  readonly equity: Decimal;
  readonly orders: number;
  readonly fills: number;
  /** Number of orders whose outcome was unknown for a time. */
  readonly unknown: number;
  readonly restarts: number;
  /** Number of halts that the operator had to clear. */
  readonly cleared: number;
  /** True when each position got a stop at once. */
  readonly protects: boolean;
  /** Total time in which stops did not fully protect a position, ms. */
  readonly unprotectedMs: number;
  readonly violations: readonly DayViolation[];
  readonly hash: string;
}

/** How a process of the bot ends. */
interface ProcessEnd {
  readonly event: string;
  /** True when the disk loses what it had not synced. */
  readonly losesPower?: boolean;
  /** Time until the next process starts, s. */
  readonly downSeconds: number;
}

/** Maximum time after the end of a day until the outcome of all orders is known, ms. */
const MAX_END_MS = 1_800_000;
/** Interval at which the operator clears halts that only the operator can clear, ms. */
const OPERATOR_MS = 600_000;
/** Maximum time between two checks of the rules, ms. */
const CHECK_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Maximum number of requests of the bot on a day. */
const MAX_REQUESTS = 1_000_000;
/** Maximum time between the end of a process by an outage and the next start, s. Most are much shorter. */
const MAX_DOWN_SECONDS = 900;
/** Maximum number of operations of the disk after which a failure of the power ends the process. */
const MAX_DISK_OPERATIONS = 40;
/** Minimum length of a cut of the network, ms. */
const MIN_PARTITION_MS = 5000;
/** Maximum length of a cut of the network, ms. */
const MAX_PARTITION_MS = 605_000;
/** Length of the time in which reads lag, ms. */
const STALE_MS = 600_000;
/** Maximum lag of a read in that time, ms. */
const MAX_LAG_MS = 1200;

/** Messages of a start without a network. After such an error, the supervisor of a bot starts it again. */
const NETWORK_ERRORS = /the clock of the|expected it to within|no answer/i;
/** Codes of halts that faults of a day can cause and that only the operator can clear. Halts by the user's limits stay. */
const OPERATOR_CODES: ReadonlySet<string> = new Set(['LATE_LANDING', 'DUPLICATE', 'ADMISSION', 'POST_TRADE']);

/** Simulates a day. Throws ConfigError or StrategyError when the user's bot cannot run. */
export async function runDay(request: DayRequest): Promise<DayOutcome> {
  const day = new SimulatedDay(request);
  try {
    return await day.run();
  } finally {
    day.close();
  }
}

/** One day with its bot, its exchange, its network and its faults. */
class SimulatedDay {
  readonly #request: DayRequest;
  readonly #queue = new DueQueue();
  readonly #watcher = new DayWatcher();
  readonly #exchange: DayExchange;
  readonly #network: FaultyNetwork;
  readonly #folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'isobar-sim-'));
  readonly #hash = createHash('sha256');
  readonly #rng: Rng;
  readonly #startMs: number;
  readonly #endMs: number;
  readonly #config: ReturnType<UsersBot['configIn']>;
  /** The disk of the bot's computer. */
  #disk = new SimulatedDisk();
  #process: BotComputer | null = null;
  #reported = new ReportedFills();
  /** End of the hour that is running, ms UTC. */
  #hourEndMs: number;
  #processCount = 0;
  #restartCount = 0;
  /** Number of halts that the operator has cleared. */
  #clearedCount = 0;
  /** True when the next turn of the loop must start a process. */
  #mustStart = false;
  /** True from `CALM_MS` before the end of the day on. That time has no faults. */
  #isCalm = false;
  /** Counts of orders, fills and records at the last check of the rules, as text. Equal texts: nothing has changed. */
  #checkedState = '';
  #nextCheckMs = -Infinity;
  /** An error of the user's code or config. Faults did not cause it. */
  #userError: Error | null = null;

  constructor(request: DayRequest) {
    const { bot, seed, startMs, schedule } = request;
    this.#request = request;
    this.#startMs = startMs;
    this.#endMs = startMs + DAY_MS;
    this.#hourEndMs = startMs + HOUR_MS;
    process.on('exit', this.#removeFolder);
    // Each consumer of random numbers combines the seed with a constant of its own, so that their sequences differ.
    this.#rng = seededRng(seed ^ 0x0dd);
    this.#queue.runDue(startMs);
    this.#exchange = new DayExchange(bot.exchangeAt(startMs, seed));
    const { service, key } = this.#exchange;
    writeFileSync(join(this.#folder, 'key'), `${key.apiKey}\n`, { mode: 0o600 });
    writeFileSync(join(this.#folder, 'secret'), `${key.secret}\n`, { mode: 0o600 });
    mkdirSync(join(this.#folder, 'bot'), { mode: 0o700 });
    this.#config = bot.configIn(this.#folder, startMs);
    this.#network = new FaultyNetwork({
      queue: this.#queue,
      service,
      rng: seededRng(seed ^ 0x4e7),
      faultOf: (create) => (this.#isCalm ? undefined : schedule.creates.get(create)),
      left: ({ number, target, body }) => {
        const text = Buffer.from(body).toString() || target;
        this.#hash.update(`${this.#queue.nowMs} ${text}\n`);
        const fault = this.#isCalm ? undefined : schedule.creates.get(number);
        this.#print(`order ${number} leaves: ${text}${fault === undefined ? '' : ` (${fault.faultKind})`}`);
        this.#watcher.checkCreate(text, () => this.#durableJournal(), this.#queue.nowMs);
      },
      answered: (status) => {
        if (status === HTTP_STATUS.banned || status === HTTP_STATUS.tooManyRequests)
          this.#watcher.report('LIMITS', `the exchange answered ${status}: too many requests`, this.#queue.nowMs);
      },
      killBehind: (afterMs) => {
        const botProcess = this.#process;
        this.#queue.at(this.#queue.nowMs + afterMs, () => {
          if (botProcess === this.#process) this.#die({ event: 'is killed', downSeconds: 5 });
        });
      },
    });
  }

  /** The current state of the day, for the watcher. */
  get #moment(): DayMoment {
    return { exchange: this.#exchange, process: this.#process, reported: this.#reported, nowMs: this.#queue.nowMs };
  }
  /** Prints an event with its time. */
  #print(text: string): void {
    this.#request.print?.(`${formatTime(this.#queue.nowMs).slice(0, 23).replace('T', ' ')}  ${text}`);
  }

  /** Runs the day to its end. */
  async run(): Promise<DayOutcome> {
    const { schedule } = this.#request;
    const startEquity = this.#exchange.equity();
    this.#start();
    for (const outage of schedule.outages) this.#queue.at(this.#startMs + outage.atMs, () => this.#causeOutage(outage));
    this.#queue.at(this.#endMs - CALM_MS, () => (this.#isCalm = true));
    this.#queue.at(this.#startMs + OPERATOR_MS, () => this.#operate());
    let equity: Decimal | null = null;
    for (;;) {
      const isHour = this.#queue.nowMs >= this.#hourEndMs;
      // Once an hour the event loop needs a turn, for example to receive a signal that ends the process.
      if (isHour || (this.#process?.pending ?? 0) > 0) await settlePromises(() => this.#request.bot.isLoading);
      if (isHour) this.#nextHour();
      if (this.#userError !== null) throw this.#userError;
      if (this.#mustStart) this.#start();
      const nextMs = Math.min(this.#queue.nextMs, this.#exchange.nextMs);
      if (equity === null && nextMs > this.#endMs) equity = this.#exchange.equity();
      if (equity !== null && this.#hasEnded(nextMs)) break;
      if (this.#exchange.nextMs <= nextMs) this.#exchange.service.advance(nextMs);
      this.#queue.runDue(nextMs);
      this.#checkRules();
      if (this.#network.requests > MAX_REQUESTS)
        throw new ConfigError(
          `expected at most ${MAX_REQUESTS} requests of the bot on one day, got more`,
          'increase audit.fastMs and audit.balanceMs, or orders.resolveEveryMs',
        );
    }
    return this.#outcome(startEquity, equity);
  }
  /** Reports the hour that has passed. */
  #nextHour(): void {
    this.#request.onHour(Math.min(1, (this.#hourEndMs - this.#startMs) / DAY_MS));
    this.#hourEndMs += HOUR_MS;
  }
  /** True when the outcome of all orders is known, or the maximum time for that has passed. */
  #hasEnded(nextMs: number): boolean {
    return nextMs > this.#endMs + MAX_END_MS || this.#watcher.isAtRest(this.#moment);
  }
  /** Checks the end of the day, and returns its result. The hash covers all orders, fills and broken rules. */
  #outcome(startEquity: Decimal, equity: Decimal): DayOutcome {
    const watcher = this.#watcher;
    this.#exchange.read();
    watcher.checkEnd(this.#moment, { mustProtect: this.#request.mustProtect });
    for (const { rule, timeMs, text } of watcher.violations) this.#hash.update(`${rule} ${timeMs} ${text}\n`);
    for (const [id, trades] of this.#exchange.tradesByOrderId)
      for (const { price, lots, timeMs } of trades) this.#hash.update(`${id} ${lots} at ${price} ${timeMs}\n`);
    this.#hash.update(`${startEquity.toFixed()} ${equity.toFixed()}`);
    const { unknownOrders, protects, unprotectedMs, violations } = watcher;
    return {
      startEquity,
      equity,
      orders: this.#network.creates,
      fills: this.#exchange.tradeCount,
      unknown: unknownOrders.size,
      restarts: this.#restartCount,
      cleared: this.#clearedCount,
      protects,
      unprotectedMs,
      violations,
      hash: this.#hash.digest('hex').slice(0, 16),
    };
  }

  /** Checks the rules if the exchange, the journal or the reported fills have changed, and at least once in CHECK_MS. */
  #checkRules(): void {
    const { nowMs } = this.#queue;
    this.#exchange.read();
    const { orders, tradeCount } = this.#exchange;
    const lastSeq = this.#process?.opened?.bot.deps.journal.lastSeq ?? 0;
    const state = `${orders.length} ${tradeCount} ${lastSeq} ${this.#reported.count} ${this.#processCount}`;
    if (state === this.#checkedState && nowMs < this.#nextCheckMs) return;
    this.#checkedState = state;
    this.#nextCheckMs = nowMs + CHECK_MS;
    this.#watcher.check(this.#moment);
  }

  // --- The bot

  /** Starts a new process of the bot, whose clock has a random skew and drift. */
  #start(): void {
    this.#mustStart = false;
    const rng = this.#rng;
    const reported = new ReportedFills();
    this.#reported = reported;
    const botProcess = new BotComputer({
      queue: this.#queue,
      config: this.#config,
      load: this.#request.bot.loader(reported),
      capacityRows: this.#request.bot.capacityRows,
      wireOf: (sender) => this.#network.wireOf(sender),
      disk: this.#disk,
      random: () => rng.next(),
      skewMs: Math.floor((rng.next() - 0.5) * 6000),
      drift: (rng.next() - 0.5) * 1e-4,
      number: ++this.#processCount,
      log: (line) => this.#print(line.trim().replace(/^\d\d:\d\d:\d\d /, '')),
      broken: (reason) => {
        this.#print(`the bot stops by itself: ${reason}`);
        this.#watcher.report('RUNS', `the bot stops by itself: ${reason}`, this.#queue.nowMs);
        this.#queue.at(this.#queue.nowMs, () => {
          if (botProcess === this.#process) this.#die({ event: 'has stopped', downSeconds: 60 });
        });
      },
      crashed: () => this.#die({ event: 'is gone with its power', losesPower: true, downSeconds: 5 }),
    });
    this.#process = botProcess;
    this.#print(`the bot starts, process ${this.#processCount}`);
    botProcess.pending++;
    botProcess.open().then(
      () => botProcess.pending--,
      (error: unknown) => {
        botProcess.pending--;
        if (!botProcess.isDead && this.#process === botProcess) this.#startFailed(error);
      },
    );
  }
  /** Ends the process after a failed start. Without a network, a start can fail, and the next process tries again. */
  #startFailed(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    this.#print(`the start ended: ${text}`);
    const isNetworkError = (error instanceof Error && error.constructor.name === 'NoAnswer') || NETWORK_ERRORS.test(text);
    // The first start of a day has no faults, so an error comes from the user's code or config.
    if (!isNetworkError && this.#processCount === 1) this.#userError = error instanceof Error ? error : new StrategyError(text);
    else if (!isNetworkError) this.#watcher.report('RESTART', `the start is refused: ${text}`, this.#queue.nowMs);
    this.#die({ event: 'has not started', downSeconds: 60 });
  }

  /** Ends the process, and starts the next one after `downSeconds`. `event`: what happened to the bot, for the log. */
  #die({ event, losesPower = false, downSeconds }: ProcessEnd): void {
    const botProcess = this.#process;
    if (botProcess === null) return;
    botProcess.die();
    this.#process = null;
    this.#disk = losesPower ? this.#disk.afterPowerLoss(this.#rng) : this.#disk.afterKill('', 0);
    this.#restartCount++;
    this.#print(`the bot ${event}${losesPower ? ', and so is what the disk had not synced' : ''}; it starts again in ${downSeconds} s`);
    this.#queue.at(this.#queue.nowMs + downSeconds * 1000, () => (this.#mustStart = this.#process === null));
  }

  /** Returns the durable bytes of the two newest journal segments. */
  #durableJournal(): Buffer {
    const folder = join(this.#folder, 'bot', 'journal');
    const names = this.#disk.list(folder).filter((name) => !name.startsWith('lock-'));
    const paths = names.slice(-2).map((name) => `${folder}/${name}`);
    return Buffer.concat(paths.map((path) => this.#disk.readAt(path, 0, this.#disk.lastingBytes(path))));
  }

  // --- Faults and the operator

  /** Starts an outage of the computer or the network. */
  #causeOutage({ outageKind, draw }: Outage): void {
    const downSeconds = 1 + Math.floor(draw ** 4 * MAX_DOWN_SECONDS);
    const { nowMs } = this.#queue;
    if (outageKind === 'kill') return this.#die({ event: 'is killed', downSeconds });
    if (outageKind === 'power') return this.#die({ event: 'is gone with its power', losesPower: true, downSeconds });
    if (outageKind === 'diskCrash') {
      this.#disk.crashAt = this.#disk.operations + 1 + Math.floor(draw * MAX_DISK_OPERATIONS);
      return this.#print('the power will fail within an operation of the disk');
    }
    const partitionMs = MIN_PARTITION_MS + draw ** 3 * (MAX_PARTITION_MS - MIN_PARTITION_MS);
    const untilMs = nowMs + (outageKind === 'partition' ? partitionMs : STALE_MS);
    const untilText = formatTime(untilMs).slice(11, 19);
    if (outageKind === 'partition') {
      this.#network.partitionedUntilMs = untilMs;
      return this.#print(`the network is cut until ${untilText}`);
    }
    this.#network.staleUntilMs = untilMs;
    this.#network.staleMs = Math.floor(draw * MAX_LAG_MS);
    this.#print(`reads of the exchange lag by ${this.#network.staleMs} ms until ${untilText}`);
  }

  /** Acts as the operator: clears halts that the exchange and the network have caused. */
  #operate(): void {
    this.#queue.at(this.#queue.nowMs + OPERATOR_MS, () => this.#operate());
    const botProcess = this.#process;
    const opened = botProcess?.opened;
    if (!botProcess?.control || !opened) return;
    const { risk, instruments, runs } = opened.bot.deps.engine;
    const scopeNames = { instruments, strategies: runs.map(({ name }) => name) };
    for (const { code, scope } of risk.halts.causes()) {
      if (!OPERATOR_CODES.has(code)) continue;
      const name = scopeName(scope, scopeNames);
      this.#clearedCount++;
      this.#print(`the operator clears ${code} of ${name}`);
      botProcess.pending++;
      const onSettled = (): void => void botProcess.pending--;
      botProcess.control.resume({ scope: name, code, why: 'looked at' }, 'operator').then(onSettled, onSettled);
    }
  }

  /** Ends the process of the bot and removes the folder of the day. */
  close(): void {
    this.#process?.die();
    process.off('exit', this.#removeFolder);
    this.#removeFolder();
  }
  /** Also runs when this process of Node exits during the day. */
  readonly #removeFolder = (): void => rmSync(this.#folder, { recursive: true, force: true });
}
