// Builds strategies of random decisions, for comparisons with a naive backtest (naiveBacktest.ts).
// The naive backtest can repeat each decision, which depends only on a seed, the time and the visible state.

import { seededRng } from '../../src/base/number/rng.ts';
import { crossedUp, sma, Strategy, type Feed, type FillInfo, type OrderOptions, type Size } from '../../src/index.ts';

/** The state on which a decision depends. Prices are in ticks and quantities in lots of the feed's instrument. */
export interface ScriptView {
  readonly timeMs: number;
  readonly feed: number;
  /** Differs for each kind of callback that may act at one time: a bar, a timer, a signal, the start, a fill. */
  readonly salt: number;
  readonly closeTicks: number;
  readonly isFlat: boolean;
  readonly heldLots: number;
  readonly openOrders: readonly OpenOrderView[];
}
/** What a decision may know about an open order. */
export interface OpenOrderView {
  readonly id: number;
  readonly tag: string;
}

/** Distances of the legs of a bracket from the entry, in ticks. */
export interface BracketDistances {
  readonly takeProfit?: number;
  readonly stopLoss?: number;
  readonly trailing?: number;
}

/** One action of a random decision. Prices are in ticks (10^-2), quantities in lots (10^-3), `quote` in 0.01 USDT. */
export type Action =
  | {
      readonly kind: 'buy';
      readonly quote?: number;
      readonly lots?: number;
      readonly equity?: number;
      readonly limit?: number;
      readonly tag: string;
      readonly bracket: BracketDistances;
    }
  | { readonly kind: 'sell'; readonly lots: number; readonly limit?: number; readonly tag: string }
  | { readonly kind: 'exit' }
  | { readonly kind: 'cancel'; readonly id: number };

/** A number for each kind of callback, so that callbacks of one time decide differently. That of a fill is increased by its order number. */
export const CALLBACK_SALT = { bar: 0, timer: 1, signal: 2, start: 3, fill: 4 } as const;

/** How often a script acts, and which orders it places. */
export interface DecisionOptions {
  readonly seed: number;
  /** Share of the calls at which it acts, from 0 to 1. */
  readonly share: number;
  /** True if buys have random brackets. */
  readonly brackets: boolean;
  /** True if half of the decisions cancel an order and place another one with its tag. */
  readonly replaces?: boolean;
}

/** Returns a random whole number from 0 on, below `below`. */
type DrawBelow = (below: number) => number;

/** Returns the random actions for a view. Equal seeds and views give equal actions. */
export function randomDecision({ seed, share, brackets, replaces = false }: DecisionOptions, view: ScriptView): Action[] {
  const rng = seededRng(seed * 7919 + (view.timeMs / 1000) * 31 + view.feed * 5 + view.salt);
  const pick: DrawBelow = (below) => Math.floor(rng.next() * below);
  if (rng.next() >= share) return [];
  const { openOrders } = view;
  const bracket = brackets ? randomBracket(view, pick) : {};
  const tag = `slot${pick(4)}`;
  const replacedOrder = replaces && openOrders.length > 0 && pick(2) === 0 ? openOrders[pick(openOrders.length)] : undefined;
  if (!replacedOrder?.tag.startsWith('slot')) return randomActions(view, { tag, bracket }, pick);
  return [{ kind: 'cancel', id: replacedOrder.id }, randomReplacement(view, { tag: replacedOrder.tag, bracket }, pick)];
}

interface OrderTerms {
  readonly tag: string;
  readonly bracket: BracketDistances;
}
/** The smallest order of the spot instrument of these tests, in lots. */
const MIN_LOTS = 2;

/** Draws the legs of a bracket, each with its own probability. */
function randomBracket({ closeTicks }: ScriptView, pick: DrawBelow): BracketDistances {
  return {
    ...(pick(2) === 0 && { takeProfit: closeTicks + 10 + pick(150) }),
    ...(pick(2) === 0 && { stopLoss: closeTicks - 10 - pick(150) }),
    ...(pick(3) === 0 && { trailing: 20 + pick(150) }),
  };
}

/** Returns an order that takes the tag of a cancelled one: in one of four cases a sale, in two of three cases a limit. */
function randomReplacement({ closeTicks, heldLots }: ScriptView, { tag, bracket }: OrderTerms, pick: DrawBelow): Action {
  const price = pick(3) === 0 ? {} : { limit: closeTicks - 40 + pick(60) };
  if (pick(4) === 0) return { kind: 'sell', lots: MIN_LOTS + pick(Math.max(1, heldLots)), tag, ...price };
  return { kind: 'buy', lots: MIN_LOTS + pick(300), tag, bracket, ...price };
}

/** Returns one random action, or none for a cancel without an open order. */
function randomActions({ closeTicks, heldLots, openOrders }: ScriptView, { tag, bracket }: OrderTerms, pick: DrawBelow): Action[] {
  switch (pick(9)) {
    case 0:
      return [{ kind: 'buy', quote: 1000 + pick(30_000), tag, bracket }];
    case 1:
      return [{ kind: 'buy', lots: MIN_LOTS + pick(300), tag, bracket }];
    case 2:
      return [{ kind: 'buy', equity: (1 + pick(40)) / 1000, tag, bracket }];
    case 3:
    case 4:
      return [{ kind: 'buy', lots: MIN_LOTS + pick(300), limit: closeTicks - 40 + pick(60), tag, bracket }];
    case 5:
      return [{ kind: 'sell', lots: MIN_LOTS + pick(Math.max(1, heldLots)), limit: closeTicks + 40 - pick(60), tag }];
    case 6:
      return [{ kind: 'sell', lots: MIN_LOTS + pick(Math.max(1, heldLots)), tag }];
    case 7:
      return [{ kind: 'exit' }];
    default:
      return openOrders.length > 0 ? [{ kind: 'cancel', id: openOrders[pick(openOrders.length)]!.id }] : [];
  }
}

/** What the strategies of a comparison decide on. */
export interface ScriptOptions extends DecisionOptions {
  readonly feeds: readonly string[];
  /** True if it decides at every bar, false if only at the callbacks below. */
  readonly onBar: boolean;
  readonly timerMinutes?: number;
  readonly signals?: boolean;
  readonly onStart?: boolean;
  readonly onFill?: boolean;
}

/** Bars of the two averages whose crossing is the signal. */
export const FAST_BARS = 3;
/** Length of the slow average, in bars. */
export const SLOW_BARS = 8;

/** Performs the actions of a script. Feed 0 has the signal and is the feed of timers. */
abstract class ScriptedStrategy extends Strategy {
  protected abstract readonly options: ScriptOptions;
  protected abstract readonly feedList: readonly Feed[];

  act(index: number, salt: number): void {
    const feed = this.feedList[index]!;
    const position = this.position(feed);
    const view: ScriptView = {
      timeMs: this.nowMs,
      feed: index,
      salt,
      closeTicks: Math.round(feed.bar.close * 100),
      isFlat: position.isFlat,
      heldLots: position.qty.times(1000).floor().toNumber(),
      openOrders: this.openOrders(feed).map(({ id, tag }) => ({ id, tag })),
    };
    for (const action of randomDecision(this.options, view)) this.perform(feed, action);
  }
  /** Carries out one action of the script. */
  private perform(feed: Feed, action: Action): void {
    switch (action.kind) {
      case 'buy':
        this.buy(sizeOf(action), { feed, ...priceOptions(action) });
        break;
      case 'sell':
        this.sell(
          { base: action.lots / 1000 },
          { feed, tag: action.tag, ...(action.limit !== undefined && { limit: action.limit / 100 }) },
        );
        break;
      case 'exit':
        this.exit(feed);
        break;
      case 'cancel':
        this.cancel(action.id as never);
    }
  }
}

/** Returns the strategy class of a script. It has only the callbacks that the script uses. */
export function randomScriptStrategy(options: ScriptOptions) {
  class Scripted extends ScriptedStrategy {
    options = options;
    feedList = options.feeds.map((name) => this.feed(name));
    constructor(setup: ConstructorParameters<typeof Strategy>[0]) {
      super(setup);
      const { close } = this.feedList[0]!;
      if (options.signals) this.when(crossedUp(sma(close, FAST_BARS), sma(close, SLOW_BARS)), () => this.act(0, CALLBACK_SALT.signal));
      if (options.timerMinutes) this.every(`${options.timerMinutes}m`, () => this.act(0, CALLBACK_SALT.timer));
    }
  }
  const callbacks = {
    onBar(this: Scripted) {
      this.feedList.forEach((feed, index) => {
        if (feed.fresh) this.act(index, CALLBACK_SALT.bar);
      });
    },
    onStart(this: Scripted) {
      this.act(0, CALLBACK_SALT.start);
    },
    onFill(this: Scripted, fill: FillInfo) {
      this.act(0, CALLBACK_SALT.fill + fill.orderId);
    },
  };
  for (const name of ['onBar', 'onStart', 'onFill'] as const) {
    if (options[name]) Object.assign(Scripted.prototype, { [name]: callbacks[name] });
  }
  return Scripted;
}

/** Returns the size of a buy in the strategy API: amounts in USDT, quantities in coins, or a share of the equity. */
function sizeOf({ quote, lots, equity }: Extract<Action, { kind: 'buy' }>): Size {
  if (quote !== undefined) return { quote: String(quote / 100) };
  return lots !== undefined ? { base: lots / 1000 } : { equity: equity! };
}

/** Returns the tag and the prices of a buy in the strategy API. */
function priceOptions({ limit, tag, bracket }: Extract<Action, { kind: 'buy' }>): OrderOptions {
  const { takeProfit, stopLoss, trailing } = bracket;
  return {
    tag,
    ...(limit !== undefined && { limit: limit / 100 }),
    ...(takeProfit !== undefined && { takeProfit: takeProfit / 100 }),
    ...(stopLoss !== undefined && { stopLoss: stopLoss / 100 }),
    ...(trailing !== undefined && { trailing: trailing / 100 }),
  };
}
