// The acts of an operator on a bot. An act that stops trading takes effect before it returns; its reply waits until the act is durable.

import { checkPlacement, type PlacementCheck } from '../../adapters/exchange/prove/checkPlacement.ts';
import { checkVanished } from '../../adapters/exchange/prove/checkVanished.ts';
import { tightenedText } from '../../adapters/journal/records/tightenedLimit.ts';
import { ConfigError } from '../../base/errors.ts';
import type { OrderId, VenueOrderId } from '../../model/order.ts';
import { formatTime } from '../../model/time.ts';
import type { BotOrder } from '../../orders/botOrder.ts';
import { STATE } from '../../orders/lifecycle.ts';
import type { Scope } from '../../risk/live/halts.ts';
import { limitValue } from '../../risk/limits/limits.ts';
import { orderIdIn, runPrefixOf } from '../../protocol/clientOrderId.ts';
import type {
  ActAnswer,
  BotControl,
  OperatorDecision,
  HaltAct,
  KillAct,
  BotLogLine,
  ResumeAct,
  TightenAct,
  Who,
} from '../control/botControl.ts';
import { OPERATOR_CODE } from '../control/botControl.ts';
import type { BotView, KillView } from '../control/botView.ts';
import { parseScope, scopesOf, type ScopeNames } from '../control/scopes.ts';
import { readKillSwitch, engageKillSwitch, type KillSwitchRecord } from '../kill/killSwitch/killSwitch.ts';
import { adoptOrder, ignoreOrder } from './run/foreignOrders.ts';
import { killBot } from './run/killBot.ts';
import type { OpenedBot } from './openLiveBot.ts';
import { namedOf, viewOf } from './view/botViewOf.ts';

/** The bot and its kill switch. */
export interface LiveControlDeps extends Pick<OpenedBot, 'bot' | 'killSwitch' | 'counts'> {
  /** Returns the 99th percentile of the event loop's delay, ms; null: not measured. */
  readonly loopDelayP99Ms: () => number | null;
  /** Called after a flatten in this process. `openPositions`: number of orders and positions that it could not settle. */
  readonly onFlattened?: (openPositions: number) => void;
}

const ACCOUNT: Scope = { kind: 'account' };
const KILLED = 'KILLED';
const accepted = (message: string): ActAnswer => ({ done: true, message });
const rejected = (message: string): ActAnswer => ({ done: false, message });
const unknownScope = (name: string, named: ScopeNames): ActAnswer =>
  rejected(`${name} is not a scope of this bot: it has ${scopesOf(named).join(', ')}`);

/** The acts on one bot, and the state of its kill. */
export class LiveControl implements BotControl {
  readonly #deps: LiveControlDeps;
  readonly #startedMs: number;
  /** The kill of this bot; null: no kill has been started. */
  #kill: KillView | null = null;
  /** True when a kill has closed all positions. */
  #isFlat = false;
  /** True if only another process has engaged the kill switch, by its file. The operator may still kill the bot in this process. */
  #isEngagedByFile = false;

  constructor(deps: LiveControlDeps) {
    this.#deps = deps;
    this.#startedMs = deps.bot.deps.venueMs();
  }

  get isKilled(): boolean {
    return this.#kill !== null;
  }
  /** The kill as `view` shows it. Cheaper than the whole view. */
  get ownKill(): KillView | null {
    return this.#kill;
  }

  view(): BotView {
    const { bot, counts, loopDelayP99Ms } = this.#deps;
    const kill = this.#kill;
    const isFlat = this.#isFlat;
    const startedMs = this.#startedMs;
    return viewOf({ bot, counts, startedMs, kill, isFlat, loopDelayP99Ms: loopDelayP99Ms() });
  }

  noteActivity(): void {
    const { operatorPresence, deps } = this.#deps.bot;
    operatorPresence.noteActivity(deps.venueMs());
  }

  acknowledge(who: Who): ActAnswer {
    const { operatorPresence, deps } = this.#deps.bot;
    if (!operatorPresence.acknowledge()) return rejected('no alarm is unanswered');
    deps.log.logDecision(null, `${who} has seen the alarms`, 'ACKNOWLEDGED');
    return accepted('the alarms are answered');
  }

  logs(after: number, max: number): readonly BotLogLine[] {
    return this.#deps.bot.deps.log.linesAfter(after, max);
  }

  async halt({ scope: name, state, why }: HaltAct, who: Who): Promise<ActAnswer> {
    const { engine, log, venueMs } = this.#deps.bot.deps;
    const scope = parseScope(name, namedOf(engine));
    if (scope === null) return unknownScope(name, namedOf(engine));
    this.#step(() => engine.risk.halts.raise(scope, state, OPERATOR_CODE, `${why} (${who})`, venueMs()));
    log.logDecision(null, `${who} halts ${name}: ${why}`, OPERATOR_CODE, 'warn');
    const allowed = state === 'HALT_NEW' ? 'only orders that reduce a position are sent' : 'only cancels are sent';
    return this.#afterDurable(`${name} is halted (${state}): ${allowed}`);
  }

  async resume({ scope: name, code, why }: ResumeAct, who: Who): Promise<ActAnswer> {
    const { engine, log, venueMs } = this.#deps.bot.deps;
    const scope = parseScope(name, namedOf(engine));
    if (scope === null) return unknownScope(name, namedOf(engine));
    const cause = code ?? OPERATOR_CODE;
    if (cause === KILLED)
      return rejected(
        'a killed bot is re-armed while it is stopped: end it, then isobar resume account --code KILLED --why ..., then start it',
      );
    if (cause === 'STARTING') return rejected('the start ends by itself, with two clean audits');
    let isCleared = false;
    this.#step(() => (isCleared = engine.risk.resume(scope, cause, `${who}: ${why}`, venueMs())));
    if (!isCleared) return rejected(`no cause ${cause} holds on ${name}`);
    this.#clearAtServices(cause, scope);
    log.logDecision(null, `${who} clears ${cause} on ${name}: ${why}`, cause);
    const remainingCauses = engine.risk.halts.causes().filter((other) => other.scope.kind === scope.kind);
    if (remainingCauses.length === 0) return this.#afterDurable(`${name} continues`);
    return this.#afterDurable(`${cause} is cleared; ${remainingCauses.map((other) => other.code).join(', ')} still holds`);
  }

  /** Clears a cause at the venue services that have raised it on this scope. */
  #clearAtServices(cause: string, scope: Scope): void {
    const instrument = scope.kind === 'symbol' ? scope.instrument : null;
    for (const service of this.#deps.bot.deps.services.all()) {
      for (const raised of service.raisedCauses)
        if (raised.code === cause && raised.instrument === instrument) service.clear(raised.code, instrument);
      // An earlier process may have raised it.
      if (cause === 'DUPLICATE') service.clear(cause, instrument);
    }
  }

  async kill({ flatten, why }: KillAct, who: Who): Promise<ActAnswer> {
    const { killSwitch, bot } = this.#deps;
    // Engage the kill switch first. Everything after it may take time.
    killSwitch.engage();
    if (this.#kill && !this.#isEngagedByFile) return rejected(`a kill has been running since ${formatTime(this.#kill.sinceMs)}`);
    this.#isEngagedByFile = false;
    const { engine, log, config, venueMs } = bot.deps;
    this.#kill = { sinceMs: venueMs(), flatten, who, phase: 'cancelling', message: 'no order leaves any more', residuals: [] };
    this.#step(() => engine.risk.halts.raise(ACCOUNT, 'KILLED', KILLED, `${why} (${who})`, venueMs()));
    log.logDecision(null, `KILLED by ${who}: ${why}`, KILLED, 'error');
    const record = { sinceMs: venueMs(), who, why, flatten };
    // Cancels do not wait for the disk. The reply does.
    const writing = engageKillSwitch(config.data, record).then(
      () => null,
      (error: unknown) => `the kill switch could not be written: ${String(error)}`,
    );
    void this.#runKill(record, writing);
    const message = `killed: no order leaves any more; open orders are being cancelled${flatten ? ', then positions closed' : ''}`;
    const problem = await writing;
    return problem === null ? accepted(message) : rejected(`${message}; but the next start would not know: ${problem}`);
  }

  /** Halts the bot after a kill from another process. That process does the cancelling and flattening alone. */
  pollKillSwitch(): void {
    const { killSwitch, bot } = this.#deps;
    if (this.#kill || !killSwitch.isEngaged) return;
    this.#isEngagedByFile = true;
    const { engine, config, log, venueMs } = bot.deps;
    const { sinceMs, who, why, flatten } = readKillSwitch(config.data) ?? {
      sinceMs: venueMs(),
      who: 'unknown',
      why: 'the kill switch is engaged',
      flatten: false,
    };
    this.#kill = { sinceMs, flatten, who, phase: 'done', message: 'a kill outside of this process has been started', residuals: [] };
    this.#step(() => engine.risk.halts.raise(ACCOUNT, 'KILLED', KILLED, `${why} (${who})`, venueMs()));
    log.logDecision(null, `KILLED from outside by ${who}: ${why}`, KILLED, 'error');
  }

  async decide(decision: OperatorDecision, who: Who): Promise<ActAnswer> {
    const { journal } = this.#deps.bot.deps;
    if (decision.what === 'adopt') {
      const answer = await adoptOrder(this.#deps.bot, decision, who);
      return answer.done ? this.#afterDurable(answer.message) : answer;
    }
    if (decision.what === 'ignore') {
      const answer = ignoreOrder(this.#deps.bot, decision, who);
      return answer.done ? this.#afterDurable(answer.message) : answer;
    }
    const answer = await this.#resolve(decision);
    if (!answer.done) return answer;
    journal.human({ who, what: decision.what, id: decision.id, why: decision.why });
    return this.#afterDurable(answer.message);
  }

  async tighten({ key, value, why }: TightenAct, who: Who): Promise<ActAnswer> {
    const { engine, journal, log } = this.#deps.bot.deps;
    const earlierValue = engine.risk.limits[key];
    try {
      engine.risk.tighten({ [key]: limitValue(key, value) });
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return rejected(`${error.message}; ${error.remedy}`);
    }
    journal.human({ who, what: 'adjust', id: tightenedText(key, value), why });
    log.logDecision(null, `${who} sets ${key} from ${earlierValue ?? 'none'} to ${value}: ${why}`);
    return this.#afterDurable(`${key} is ${value} until the bot starts again: then the config counts`);
  }

  /** Records the outcome that the operator has found for an order of unknown outcome. An id is checked at the exchange first. */
  async #resolve({ id, outcome, venueId }: Extract<OperatorDecision, { what: 'resolve' }>): Promise<ActAnswer> {
    const orderId = this.#orderIdOf(id);
    if (orderId === null) return rejected(`${id} is not an order of this bot`);
    const { engine, services } = this.#deps.bot.deps;
    const order = engine.orders.get(orderId);
    const notUnknownReply = rejected(`the outcome of ${id} is not unknown`);
    if (outcome === 'noEffect') {
      if (order?.state === STATE.working || order?.state === STATE.cancelSent) return this.#endVanished(id, order);
      if (!this.#resolveAs(orderId, null)) return notUnknownReply;
      return accepted(`${id} counts as proven absent; it is still watched`);
    }
    if (venueId === null) return rejected('placed: expected the exchange id of the order');
    if (order?.state !== STATE.unknown) return notUnknownReply;
    const service = services.serviceOf(order.instrument.market);
    const check = await new Promise<PlacementCheck>((resolve) =>
      service.readForDecision((deps) => checkPlacement(orderId, venueId, deps), resolve),
    );
    if (!check.isPossible) return rejected(`${id}: ${check.reason}`);
    // Its outcome may have become known meanwhile.
    if (!this.#resolveAs(orderId, check.venueId)) return notUnknownReply;
    service.adopt(orderId, check.venueId);
    return accepted(`${id} counts as placed`);
  }

  /** Ends an acknowledged order that the exchange does not know any more. Its fills stay booked. */
  async #endVanished(clientOrderId: string, { id, instrument: { market } }: BotOrder): Promise<ActAnswer> {
    const { engine, services, venueMs } = this.#deps.bot.deps;
    const service = services.serviceOf(market);
    const problem = await new Promise<string | null>((resolve) => service.readForDecision((deps) => checkVanished(id, deps), resolve));
    if (problem !== null) return rejected(`the outcome of ${clientOrderId} is not unknown: ${problem}`);
    this.#step(() => engine.ended(id, 'canceled', Math.floor(venueMs())));
    return accepted(`${clientOrderId} counts as cancelled: the exchange does not know it any more`);
  }

  /** Resolves an order of unknown outcome: `venueId` null means that it had no effect. Returns false if its outcome is not unknown. */
  #resolveAs(orderId: OrderId, venueId: string | null): boolean {
    let isResolved = false;
    this.#step(() => (isResolved = this.#deps.bot.deps.engine.outcomes.resolve(orderId, venueId as VenueOrderId | null)));
    return isResolved;
  }

  /** Resolves once everything that has been journalled by now is durable. */
  async #afterDurable(message: string): Promise<ActAnswer> {
    const { bot } = this.#deps;
    try {
      await bot.waitUntilDurable(bot.deps.journal.lastSeq);
      return accepted(message);
    } catch (error) {
      return rejected(`${message}; but it will not outlive this process: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** Returns the id of an order of this bot; null if the client order id is another bot's. */
  #orderIdOf(clientOrderId: string): OrderId | null {
    const { clientOrderIdOf } = this.#deps.bot.deps;
    return orderIdIn(runPrefixOf(clientOrderIdOf), clientOrderId);
  }

  /** Cancels all orders and, with `flatten`, closes all positions. Reports each phase. */
  async #runKill(record: KillSwitchRecord, writing: Promise<string | null>): Promise<void> {
    const { bot } = this.#deps;
    const { log } = bot.deps;
    const report = await killBot(bot, record.flatten, (phase, message) => {
      log.warn(`kill: ${message}`);
      if (this.#kill) this.#kill = { ...this.#kill, phase, message };
    }).catch((error: unknown) => {
      log.error(`the kill has failed: ${String(error)}`);
      return { residuals: [`the kill has failed: ${String(error)}; use isobar kill`] };
    });
    const problem = await writing;
    if (problem !== null) log.error(problem);
    const { residuals } = report;
    const message =
      residuals.length === 0 ? 'all orders are proven cancelled' : `${residuals.length} orders or positions could not be settled`;
    this.#isFlat = record.flatten && residuals.length === 0;
    if (this.#kill) this.#kill = { ...this.#kill, phase: 'done', message, residuals };
    log.logDecision(null, `kill: ${message}`, KILLED, residuals.length === 0 ? 'warn' : 'error');
    if (record.flatten) this.#deps.onFlattened?.(residuals.length);
  }

  /** Runs `act` as a step of the engine. */
  #step(act: () => void): void {
    this.#deps.bot.driver.step(act);
  }
}
