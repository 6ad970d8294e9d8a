// Indicator specs describe an indicator and its sources. Their plans, which are kept apart, make the kernels.

import { largestOf } from '../../base/number/extremes.ts';
import { assert } from '../../base/assert.ts';
import { ConfigError } from '../../base/errors.ts';
import type { PriceColumn, TickColumn } from '../../model/bars/bars.ts';
import type { Interval } from '../../model/interval.ts';
import type { Series, Signal } from './series.ts';
import type { IndicatorColumn, Fractions, NumberWindow, SignalWindow } from './window.ts';
import type { TechnicalLibrary } from './technicalLibrary.ts';

/** An indicator as data. Equal keys on one feed share one kernel. */
export interface IndicatorSpec<Out> {
  /** Kind, sources and parameters as text, such as `sma(close, 10)`. */
  readonly key: string;
  /** Number of bars of the feed up to and with the first ready value, such as 10 for `sma(close, 10)`. */
  readonly warmupBars: number;
  /** Carries the type of the result of `use`. No spec has this property. */
  readonly out?: Out;
}

/**
 * The plans of specs. Strategies have the specs, but they must not reach the plans: a plan refers to the indicator set, which can compute future
 * rows. The look-up is a bound function, because a strategy could replace `WeakMap.prototype.get`.
 */
const plans = new WeakMap<object, SpecPlan<unknown>>();
const findPlan: (spec: object) => SpecPlan<unknown> | undefined = plans.get.bind(plans);

/** Returns the plan of a spec, or null for a series or a signal. */
export function planOf<Out>(specOrView: IndicatorSpec<Out> | Series | Signal): SpecPlan<Out> | null {
  // `planSpec` registers each spec with a plan of its own type.
  return typeof specOrView === 'object' && specOrView !== null ? ((findPlan(specOrView) as SpecPlan<Out> | undefined) ?? null) : null;
}

/** Returns the series or signals of a spec. */
export function resolveOutput<Out>(spec: IndicatorSpec<Out>, registry: Registry): Out {
  const plan = planOf(spec);
  assert(plan !== null, `${spec.key} has no plan`);
  return plan.resolve(registry);
}

/** Returns a new spec with this plan. */
function planSpec<Out>(key: string, warmupBars: number, plan: SpecPlan<Out>): IndicatorSpec<Out> {
  const spec: IndicatorSpec<Out> = Object.freeze({ key, warmupBars });
  plans.set(spec, plan);
  return spec;
}

/** A series, or the spec of one. */
export type Source = Series | IndicatorSpec<Series>;
/** A signal, or the spec of one. */
export type SignalSource = Signal | IndicatorSpec<Signal>;

/** Computes an indicator. `fill` writes the rows [fromRow, toRow) of its outputs. Calls are contiguous from row 0 and share running state. */
export interface Kernel {
  /** Set for a custom indicator. */
  readonly custom?: CustomNote | undefined;
  fill(fromRow: number, toRow: number): void;
}

/** The part of an indicator set that specs over its series can see. */
export interface SpecOwner {
  readonly isSealed: boolean;
  /** Name of the feed in the keys of series over several feeds, such as `ETHUSDT 1h`. */
  readonly label: string;
  readonly times: RowTimes;
  /** Returns a number for a function of the user. Equal functions have equal numbers. */
  numberOf(make: object): number;
}

/** The close times of the rows of a feed. Columns may be longer than `length`. */
export interface RowTimes {
  readonly interval: Interval;
  readonly length: number;
  readonly closeMs: Float64Array;
}

/** The part of an indicator set with which plans register. */
export interface Registry {
  /** Registers a node, or returns the outputs of the node with this key. */
  node(design: Design, key: string): NodeOutputs;
  /** Returns a source of another feed at the rows of this feed. Each row has the value of the last bar that had closed. */
  asOf(source: Operand): Series | Signal;
}

/** The outputs of a registered node, by position. */
export interface NodeOutputs {
  series(output: number): Series;
  signal(output: number): Signal;
}

/** Registers a spec with an indicator set. */
export interface SpecPlan<Out> {
  readonly home: SpecOwner;
  /** Key of the column of the spec. It is part of the keys of indicators over the spec or over its registered series. */
  readonly column: string;
  resolve(registry: Registry): Out;
}

/** A source in whole ticks: a price times `scale`. A source other than a price is unchanged and has the scale 1. */
export interface ScaledColumn {
  readonly column: IndicatorColumn<TickColumn>;
  readonly scale: number;
  /** True for whole ticks, whose sums are exact. */
  readonly isWhole: boolean;
}

/** The sources and outputs of a kernel, by position. */
export interface Wiring {
  /** Returns the values of a source. */
  numbers(source: number): IndicatorColumn<Float64Array>;
  /** Returns the values of a source as they are stored, which can be undivided sums. */
  fractions(source: number): Fractions;
  /** Returns the states of a signal. */
  signals(source: number): IndicatorColumn<Uint8Array>;
  /** Returns a source in ticks, if it is a price column of the feed. */
  scaled(source: number): ScaledColumn;
  /** Open times of the bars of the feed by row, ms UTC. */
  readonly openMs: Float64Array;
  /** Returns the times of the feed of a source. */
  timesOf(source: number): RowTimes;
  /** The times of the kernel's own feed. */
  readonly times: RowTimes;
  /** Returns the window of an output. */
  out(output: number): NumberWindow;
  /** Returns the window of an output of a signal. */
  outSignal(output: number): SignalWindow;
  /** Throws InvariantError when the library was not passed to `seal`. */
  readonly technical: TechnicalLibrary;
}

/** Facts about a custom indicator, for the check of `pure` and for messages. */
export interface CustomNote {
  /** Key of the indicator, such as `custom#1(close)`. */
  readonly key: string;
  /** True when the user declared that the function reads and writes nothing outside `make`. */
  readonly isPure: boolean;
  /** An error that `custom` created, because its stack has the line of the user's call. */
  readonly place: Error;
}

/** The design of a node of the graph. */
export interface Design {
  /** Set for a custom indicator. */
  readonly custom?: CustomNote;
  readonly sources: readonly Operand[];
  /** Number of earlier rows of its sources that the kernel reads. */
  readonly lookBack: number;
  readonly kind: 'series' | 'signal';
  readonly outputs: readonly OutputDesign[];
  /** True when the kernel needs the technicalindicators package. */
  readonly usesTechnical: boolean;
  /** True when the kernel reads rows of other feeds at the rows of its own feed. */
  readonly isAsOf?: boolean;
  makeKernel(wiring: Wiring): Kernel;
}

/** The design of one output of a node. */
export interface OutputDesign {
  /** Suffix of the key of the node, such as '' or '.upper'. */
  readonly suffix: string;
  /** Number of bars of the feed up to the first ready value. */
  readonly warmupBars: number;
}

/** One column of a set. It is a column of the feed or an output of an indicator. */
export interface IndicatorOutput {
  readonly home: SpecOwner;
  readonly key: string;
  readonly warmupBars: number;
  /** The name of a price column of the feed. Null for any other column. */
  readonly price: PriceColumn | null;
}

/** A source in a spec: an existing column, or the spec of a column. */
export type Operand =
  | { readonly kind: 'column'; readonly home: SpecOwner; readonly key: string; readonly warmupBars: number; readonly view: Series | Signal }
  | {
      readonly kind: 'spec';
      readonly home: SpecOwner;
      readonly key: string;
      readonly warmupBars: number;
      readonly resolve: (registry: Registry) => Series | Signal;
    };

/** The columns of series and signals. Strategies must not reach them. */
const outputs = new WeakMap<object, IndicatorOutput>();
const findOutput: (view: object) => IndicatorOutput | undefined = outputs.get.bind(outputs);

/** Records the column of a series or signal that a set has created. Returns the series or signal. */
export function bind<T extends Series | Signal>(view: T, output: IndicatorOutput): T {
  outputs.set(view, output);
  return view;
}

/** Returns the column of a series or signal. Throws ConfigError for an object that no set has created. */
export function outputOf(view: Series | Signal): IndicatorOutput {
  const output = findOutput(view);
  if (output === undefined) {
    throw new ConfigError(
      'an indicator got a source that is not a series: expected a column of a feed, a registered series, or a spec',
      'pass this.bars.close or the result of this.use(...), of several outputs one: this.use(macd(this.bars.close)).signal; ' +
        'for a computation of your own use custom(source, make)',
    );
  }
  return output;
}

/** Returns the set of a spec, series or signal, with which it must be registered. */
export function ownerOf(specOrView: IndicatorSpec<unknown> | Series | Signal): SpecOwner {
  return (planOf(specOrView) ?? outputOf(specOrView as Series | Signal)).home;
}

/** Returns a source or signal as an operand of a spec. */
export function operand(source: Source | SignalSource): Operand {
  const plan = planOf<Series | Signal>(source);
  if (plan !== null) {
    const { warmupBars } = source as IndicatorSpec<Series | Signal>;
    return { kind: 'spec', home: plan.home, key: plan.column, warmupBars, resolve: (registry) => plan.resolve(registry) };
  }
  const view = source as Series | Signal;
  const output = outputOf(view);
  return { kind: 'column', home: output.home, key: output.key, warmupBars: output.warmupBars, view };
}

/** An output of a node that several specs share. The node has its own key. */
export interface SharedNode {
  readonly key: string;
  /** Suffix of the output of the spec. */
  readonly output: string;
}

/** The description of an indicator. Its kernel reads the sources by position. */
export interface IndicatorRecipe {
  readonly name: string;
  readonly sources: readonly Operand[];
  readonly parameters?: readonly (number | string)[];
  readonly lookBack?: number;
  readonly usesTechnical?: boolean;
  readonly custom?: Omit<CustomNote, 'key'>;
  readonly shared?: SharedNode;
  /** True when the kernel reads rows of other feeds. The first source must be of its own feed, and only its warm-up counts. */
  readonly isAsOf?: boolean;
  /** Number of source values that the kernel needs before the first value of each output, by the suffix of the output. */
  readonly needs: Readonly<Record<string, number>>;
  makeKernel(wiring: Wiring): Kernel;
}

/** Returns the spec of an indicator with one series. */
export function seriesSpec(recipe: IndicatorRecipe): IndicatorSpec<Series> {
  return toSpec(recipe, 'series', (node) => node.series(0));
}

/** Returns the spec of a signal. */
export function signalSpec(recipe: IndicatorRecipe): IndicatorSpec<Signal> {
  const output = recipe.shared === undefined ? 0 : Object.keys(recipe.needs).indexOf(recipe.shared.output);
  return toSpec(recipe, 'signal', (node) => node.signal(output));
}

/** Returns the spec of an indicator with several series. `shape` names them. */
export function groupSpec<Out>(recipe: IndicatorRecipe, shape: (node: NodeOutputs) => Out): IndicatorSpec<Out> {
  return toSpec(recipe, 'series', shape);
}

/** Returns the spec of a recipe. Throws ConfigError for sources of several feeds where the kernel cannot align them, and after `seal`. */
function toSpec<Out>(recipe: IndicatorRecipe, kind: 'series' | 'signal', shape: (node: NodeOutputs) => Out): IndicatorSpec<Out> {
  const { isAsOf = false } = recipe;
  const sources = isAsOf ? recipe.sources : onOneFeed(recipe.sources);
  const ownSources = isAsOf ? sources.slice(0, 1) : sources;
  const key = keyOf(recipe.name, ownSources, recipe.parameters ?? []);
  const home = commonHome(key, ownSources);
  const barsBefore = largestOf(ownSources.map((source) => source.warmupBars)) - 1;
  const outputDesigns = Object.entries(recipe.needs).map(([suffix, needed]) => ({ suffix, warmupBars: barsBefore + needed }));
  const { lookBack = 0, usesTechnical = false, shared = { key, output: '' } } = recipe;
  const design: Design = {
    ...(recipe.custom === undefined ? {} : { custom: { ...recipe.custom, key } }),
    sources, lookBack, kind, outputs: outputDesigns, usesTechnical, isAsOf,
    makeKernel: (wiring) => recipe.makeKernel(wiring),
  }; // prettier-ignore
  const warmupBars = largestOf(outputDesigns.map((output) => output.warmupBars));
  const column = shared.key + shared.output;
  return planSpec(key, warmupBars, { home, column, resolve: (registry) => shape(registry.node(design, shared.key)) });
}

/** Returns a spec whose outputs are those of other specs (`parts`). It has no kernel of its own. */
export function compose<Out>(
  name: string,
  sources: readonly Operand[],
  parameters: readonly number[],
  parts: readonly IndicatorSpec<Series>[],
  shape: (registry: Registry) => Out,
): IndicatorSpec<Out> {
  const key = keyOf(name, sources, parameters);
  const home = commonHome(key, sources);
  return planSpec(key, largestOf(parts.map((part) => part.warmupBars)), { home, column: key, resolve: shape });
}

/**
 * Returns the sources at the rows of the first source's feed. A source of another feed has the value of its last closed bar. If bars of both
 * feeds close at the same instant, this is the new bar.
 */
export function onOneFeed(sources: readonly Operand[]): readonly Operand[] {
  const home = sources[0]?.home;
  if (home === undefined || sources.every((source) => source.home === home)) return sources;
  return sources.map((source) => (source.home === home ? source : asOf(home, source)));
}

function asOf(home: SpecOwner, source: Operand): Operand {
  return { kind: 'spec', home, key: asOfKey(source.home, source.key), warmupBars: 1, resolve: (registry) => registry.asOf(source) };
}

/** Returns the key of a series of another feed, such as `of(ETHUSDT 1h, close)`. */
export function asOfKey({ label }: SpecOwner, key: string): string {
  return `of(${label}, ${key})`;
}

/** Returns the key of an indicator, such as `sma(close, 10)`. */
function keyOf(name: string, sources: readonly Operand[], parameters: readonly (number | string)[]): string {
  return `${name}(${[...sources.map((source) => source.key), ...parameters].join(', ')})`;
}

/**
 * Returns the set to which all sources belong. Throws ConfigError after `seal`, and if the sources belong to several feeds, which composed
 * indicators cannot align.
 */
function commonHome(key: string, sources: readonly Operand[]): SpecOwner {
  const home = sources[0]?.home;
  assert(home !== undefined, `${key} has no source`);
  if (sources.some((source) => source.home !== home)) {
    throw new ConfigError(
      `${key}: expected sources of one feed, got sources of several feeds`,
      'read them at the rows of one feed first: custom([own.close, other.high], () => (close, high) => high)',
    );
  }
  if (home.isSealed) throw lateSpec(key);
  return home;
}

/**
 * Returns the error of a registration after the construction of strategies. The error also reveals `if (crossedUp(a, b))` in a callback, which
 * would always be true, because a spec is an object.
 */
export function lateSpec(key: string): ConfigError {
  return new ConfigError(
    `${key}: indicators and signals are registered while the strategy is constructed, not later`,
    'make it a field of the class, x = this.use(...), and read x.value in onBar',
  );
}

/** Throws ConfigError unless a parameter is a whole number in [min, max]. */
export function checkWhole(name: string, parameter: string, value: number, min: number, max = 10_000_000): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw new ConfigError(
    `${name}: ${parameter}: expected a whole number from ${min} to ${max}, got ${value}`,
    `correct the ${parameter} of ${name}`,
  );
}

/** Throws ConfigError unless a parameter is a finite number above 0. */
export function checkPositive(name: string, parameter: string, value: number): void {
  if (Number.isFinite(value) && value > 0) return;
  throw new ConfigError(`${name}: ${parameter}: expected a number above 0, got ${value}`, `correct the ${parameter} of ${name}`);
}
