// Creates a bot from its parts. Backtest, paper and live use the same parts. Only the world and the parts that modules rebind differ.

import 'reflect-metadata';
import { Container, ContainerModule, type ContainerModuleLoadOptions, type ServiceIdentifier } from 'inversify';
import { smallestOf } from '../base/number/extremes.ts';
import { cronTimes } from '../adapters/clock/cron.ts';
import { ConfigError } from '../base/errors.ts';
import { listOf } from '../base/memory/listOf.ts';
import { Scratch } from '../base/memory/rowLog.ts';
import { checkRuleCode } from '../definition/models/ruleCodes.ts';
import { Engine } from '../engine/engine.ts';
import { FeedRun } from '../engine/feeds/feed.ts';
import { Instant } from '../engine/feeds/instant.ts';
import type { Instrument } from '../model/instrument.ts';
import { Brackets } from '../orders/stops/brackets.ts';
import { OrderManager } from '../orders/orderManager.ts';
import { Reservations } from '../orders/reserve/reservation.ts';
import { DueQueue } from '../ports/dueQueue.ts';
import type { Journal } from '../ports/journal.ts';
import type { Notifier } from '../ports/notifier.ts';
import { resolveLimits } from '../risk/limits/resolve.ts';
import { RiskModule } from '../risk/riskModule.ts';
import { rulesFor } from '../risk/rules.ts';
import type { OrderRule } from '../risk/rules/rule.ts';
import type { Size } from '../strategy/types.ts';
import { marketOf } from './kinds/market.ts';
import type { VenueDeps } from './kinds/parts.ts';
import type { RunPlan, StrategyPlan } from '../definition/plan/plan.ts';
import { Overrides, type Override } from './overrides.ts';
import { PARTS, type ExchangeAdapter, type PartToken } from './parts.ts';
import { addedIdOf, idOf, ownIdOf, TOKENS, type Observers } from './tokens.ts';

/** What a world needs to bind parts and their arguments. */
export interface Binding {
  readonly bind: ContainerModuleLoadOptions['bind'];
  /** Returns the id under which isobar binds its own part. If a module rebinds the part, this is a second id. */
  readonly own: <Made>(part: PartToken<Made>) => ServiceIdentifier<Made>;
  readonly overrides: Overrides;
}

/** Binds the parts of a bot that differ between backtest and live: exchange, journal, absence bounds and venue. */
export type World = (binding: Binding) => void;

/** One bot, with the parts that the code which drives it needs. */
export interface Bot {
  readonly engine: Engine;
  readonly strategies: readonly StrategyPlan[];
  readonly exchange: ExchangeAdapter;
  readonly journal: Journal;
  /** The notifiers that modules have added. */
  readonly notifiers: readonly Notifier[];
  /** The parts that open the venue of a replay. Null for a live bot. */
  readonly venue: VenueDeps | null;
}

/** Options of `botMaker`. */
export interface MakeOptions extends Partial<Observers> {
  /** Memory for the run. By default each maker has its own. */
  readonly scratch?: Scratch;
  /** Another bot whose feeds and time the new bots share, so that all of them step through the same bars. */
  readonly sharedWith?: Pick<Engine, 'instant' | 'instruments' | 'feeds'>;
  /** The parts that modules rebind. By default all overrides of the plan. */
  readonly overrides?: Overrides;
}

/**
 * Returns a function that makes bots of a plan in a world. These bots share feeds, limits and time, so that they can step through the same
 * bars, one after the other in each block. Each bot has its own instance of every other part. Throws ConfigError for a circle of modules.
 */
export function botMaker(plan: RunPlan, world: World, options: MakeOptions = {}): (strategies?: readonly StrategyPlan[]) => Bot {
  // In the scope `Request`, each `get` makes every part once. Parts that bots share are constants or singletons.
  const container = new Container({ defaultScope: 'Request' });
  const { log = () => {}, progressCells = null, dropsOrders = false, scratch = new Scratch() } = options;
  const overrides = options.overrides ?? new Overrides(plan.models);
  let currentStrategies = plan.strategies;
  container.load(
    new ContainerModule(({ bind }) => {
      const own: Binding['own'] = (part) => (overrides.of(part.name) === null ? idOf(part) : ownIdOf(part));
      const binding: Binding = { bind, overrides, own };
      bindShared(binding, plan, options.sharedWith);
      bindBot(binding, plan, { log, progressCells, dropsOrders }, scratch);
      bind(binding.own(PARTS.strategies)).toResolvedValue(() => currentStrategies);
      bindOverrides(binding);
      world(binding);
    }),
  );
  return (strategies = plan.strategies) => {
    currentStrategies = strategies;
    const bot = resolveBot(container);
    if (bot.strategies.length !== strategies.length)
      throw new ConfigError(
        `modules: expected a factory of strategies that returns ${strategies.length}, got ${bot.strategies.length}`,
        'add or remove strategies in the definition',
      );
    return bot;
  };
}

/** Returns one bot of a plan in a world. */
export function createBot(plan: RunPlan, world: World, options: MakeOptions = {}): Bot {
  return botMaker(plan, world, options)();
}

/** The id of the bot itself in the container. */
const BOT: ServiceIdentifier<Bot> = Symbol.for('isobar.bot');

/** Returns a new bot. Throws ConfigError when a part depends on itself through other parts. */
function resolveBot(container: Container): Bot {
  try {
    return container.get(BOT);
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    if (!/^(Circular dependency|No bindings) found/.test(message)) throw error;
    const [first = ''] = message.split('\n');
    throw new ConfigError(
      `modules: ${first.replaceAll(/Symbol\(isobar\.(?:own\.)?([\w.]+)\)/g, '$1')}`,
      'a factory may need only parts that do not need its own part; docs/compose.md lists the needs of each part',
    );
  }
}

/** Binds the factories of modules, each with the parts that it needs. */
function bindOverrides({ bind, overrides }: Binding): void {
  const bindOne = (id: ServiceIdentifier, { isWrapping, needs, make, part }: Override) => {
    const wrappedIds = isWrapping ? [ownIdOf({ name: part })] : [];
    const neededIds = needs.map((name) => idOf({ name }));
    return bind<unknown>(id).toResolvedValue((...parts: unknown[]) => make(...parts), [...wrappedIds, TOKENS.given, ...neededIds]);
  };
  for (const override of overrides.all()) {
    // The world binds the clock, because the start of the bot needs it (partAlone.ts).
    if (override.part === PARTS.clock.name) continue;
    const scope = bindOne(idOf({ name: override.part }), override);
    if (override.part === PARTS.fees.name) scope.inTransientScope();
  }
  for (const { name } of [PARTS.rules, PARTS.notifier])
    overrides.added(name).forEach((override, index) => void bindOne(addedIdOf({ name }, index), override));
}

/** Returns the ids under which the additions to a part are bound. */
const addedIds = <Made>({ overrides }: Binding, part: PartToken<Made>): ServiceIdentifier<Made>[] =>
  overrides.added(part.name).map((_, index) => addedIdOf(part, index));

/** Binds instruments, time and feeds, which all bots of a container share. If `sharedWith` is given, they are those of `sharedWith`. */
function bindShared({ bind }: Binding, plan: RunPlan, sharedWith: MakeOptions['sharedWith']): void {
  bind(TOKENS.instant).toConstantValue(sharedWith?.instant ?? new Instant(plan.fromMs));
  bind(TOKENS.instruments).toConstantValue(sharedWith?.instruments ?? instrumentsOf(plan));
  bind(TOKENS.feeds)
    .toResolvedValue(
      (instruments, instant) => sharedWith?.feeds ?? feedRuns(plan, instruments, instant),
      [TOKENS.instruments, TOKENS.instant],
    )
    .inSingletonScope();
}

/** Binds the parts that each bot has for itself, and the limits, which the bots of a container share. */
function bindBot(binding: Binding, plan: RunPlan, observers: Observers, scratch: Scratch): void {
  const { bind, own } = binding;
  bind(TOKENS.given).toConstantValue({ plan });
  bind(TOKENS.ledger).toResolvedValue((instruments) => marketOf(instruments).ledger(plan, instruments), [TOKENS.instruments]);
  bind(TOKENS.reservations).toResolvedValue(
    (instruments) => new Reservations(instruments, plan.strategies.length, marketOf(instruments).reservationTerms(plan, instruments)),
    [TOKENS.instruments],
  );
  bind(TOKENS.brackets).toResolvedValue((instruments) => new Brackets(instruments.length), [TOKENS.instruments]);
  bind(TOKENS.limits)
    .toResolvedValue((instruments) => resolveLimits(plan.risk, instruments), [TOKENS.instruments])
    .inSingletonScope();
  // The code that drives the bot runs this queue up to the time of the rows, or live to the exchange's time.
  bind(own(PARTS.scheduler)).toResolvedValue(() => new DueQueue());
  bind(own(PARTS.orders)).toResolvedValue(
    (exchange, journal, reservations, bounds) =>
      new OrderManager(exchange, journal, reservations, bounds, observers.dropsOrders === true ? null : scratch),
    [idOf(PARTS.exchange), idOf(PARTS.journal), TOKENS.reservations, TOKENS.absenceBounds],
  );
  bind(idOf(PARTS.rules)).toResolvedValue(
    (...lists: (readonly OrderRule[])[]) => allRules(lists, binding.overrides.added(PARTS.rules.name)),
    addedIds(binding, PARTS.rules),
  );
  bind(own(PARTS.risk)).toResolvedValue(
    (ledger, reservations, resolvedLimits, rules) =>
      new RiskModule({
        ledger,
        reservations,
        limits: plan.risk,
        resolved: resolvedLimits,
        rules: [...rulesFor(ledger.market), ...rules],
      }),
    [TOKENS.ledger, TOKENS.reservations, TOKENS.limits, idOf(PARTS.rules)],
  );
  bindEngine(binding, plan, observers, scratch);
}

/** Binds the engine and the bot around it. */
function bindEngine(binding: Binding, plan: RunPlan, { log, progressCells }: Observers, scratch: Scratch): void {
  const { bind, own } = binding;
  bind(own(PARTS.engine)).toResolvedValue(
    (instruments, feeds, instant, ledger, reservations, orders, brackets, risk, exchange, market, queue) => {
      const engine = new Engine({
        instruments, feeds, instant, ledger, reservations, orders, brackets, risk, exchange, market, queue,
        defaultSize: sizeOf(plan),
        sizeScale: plan.sizeScale ?? 1,
        collarPpm: plan.fills.collarPpm,
        blockRows: plan.blockRows,
        fromMs: plan.fromMs,
        log,
        scratch,
        progressCells,
        decidesPerFeed: plan.decide === 'perFeed',
        leavesMs: leavesOf(plan, instruments),
        marks: marketOf(instruments).marks(plan, instruments),
        funding: marketOf(instruments).funding(plan, instruments),
        known: plan.series ?? [],
      });
      engine.timers.cronTimes = cronTimes;
      return engine;
    }, // prettier-ignore
    [
      TOKENS.instruments, TOKENS.feeds, TOKENS.instant, TOKENS.ledger, TOKENS.reservations,
      idOf(PARTS.orders), TOKENS.brackets, idOf(PARTS.risk), idOf(PARTS.exchange), idOf(PARTS.barMarket), idOf(PARTS.scheduler),
    ], // prettier-ignore
  );
  bind(BOT).toResolvedValue(
    (engine, strategies, exchange, journal, venue, ...notifiers: Notifier[]) => ({
      engine,
      strategies,
      exchange,
      journal,
      notifiers,
      venue,
    }),
    [
      idOf(PARTS.engine), idOf(PARTS.strategies), idOf(PARTS.exchange), idOf(PARTS.journal),
      TOKENS.venue, ...addedIds(binding, PARTS.notifier),
    ], // prettier-ignore
  );
}

/** Returns the rules that modules add, in order. `overrides[i]` made `lists[i]`. Throws ConfigError for an invalid or repeated code. */
function allRules(lists: readonly (readonly OrderRule[])[], overrides: readonly Override[]): readonly OrderRule[] {
  const codes = new Set<string>();
  lists.forEach((rules, index) => {
    for (const { code } of rules) checkRuleCode(code, codes, overrides[index]!.where);
  });
  return lists.flat();
}

/** Returns the instruments of a run without repeats, in the order of their ids, in which the venue matches their orders. */
export function instrumentsOf(plan: RunPlan): readonly Instrument[] {
  const byId = new Map(plan.feeds.map((feed) => [feed.bars.instrument.id, feed.bars.instrument]));
  const instruments = [...byId.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const quotes = new Set(instruments.map(({ quote }) => quote));
  if (quotes.size > 1 && plan.convert === undefined) {
    throw new ConfigError(
      `feeds: the instruments of one run share one quote asset, got ${[...quotes].join(', ')}`,
      'value the others in one of them, such as convert: { BTC: BTCUSDT }, or put them into separate runs',
    );
  }
  return instruments;
}

/** Returns the runs of the feeds of the plan. */
function feedRuns({ feeds, fromMs, blockRows }: RunPlan, instruments: readonly Instrument[], instant: Instant): readonly FeedRun[] {
  const indexById = new Map(instruments.map(({ id }, index) => [id, index]));
  return listOf(feeds, ({ name, bars, isExecutionOnly = false }) => {
    const index = indexById.get(bars.instrument.id)!;
    const run = new FeedRun(name, bars, instruments[index]!, index, fromMs, blockRows, instant);
    run.isExecutionOnly = isExecutionOnly;
    return run;
  });
}

/** Returns the default size of an order: by default the whole equity. */
function sizeOf({ size }: RunPlan): Size {
  if (size.base !== undefined) return { base: size.base };
  if (size.quote !== undefined) return { quote: size.quote };
  return { equity: size.equity ?? '1' };
}

/** Returns the time at which each instrument leaves the run, ms UTC. Infinity when it stays. Undefined when all instruments stay. */
function leavesOf({ feeds }: RunPlan, instruments: readonly Instrument[]): readonly number[] | undefined {
  if (feeds.every(({ listedToMs }) => listedToMs === undefined)) return undefined;
  return instruments.map(({ id }) => {
    const feedsOfInstrument = feeds.filter(({ bars }) => bars.instrument.id === id);
    return smallestOf(feedsOfInstrument.map(({ listedToMs = Infinity }) => listedToMs));
  });
}
