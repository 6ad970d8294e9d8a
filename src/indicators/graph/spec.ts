// Indicator specs: data that name an indicator over sources of one feed, and the plan by which a set turns them into a kernel.

import { assert } from '../../base/assert.ts';
import { ConfigError } from '../../base/errors.ts';
import type { PriceColumn, TickColumn } from '../../model/bars/bars.ts';
import type { Series, Signal } from './series.ts';
import type { IndicatorColumn, Fractions, NumberWindow, SignalWindow } from './window.ts';
import type { TechnicalLibrary } from './technicalLibrary.ts';

/** An indicator as data. Equal keys on one feed share one kernel. */
export interface IndicatorSpec<Out> {
  /** Kind, parameters and sources as text: `sma(close, 10)`. */
  readonly key: string;
  /** Bars of the feed that must have closed for the first ready value: 10 for `sma(close, 10)`. */
  readonly warmupBars: number;
  /** Names the type of what `use` returns; no spec has it. */
  readonly out?: Out;
}

/**
 * The plans of specs. A plan leads to the set of its feed, which can compute every row: it is kept beside the spec, because an author holds
 * the spec. Read by a bound function, which no change of a built-in prototype reaches.
 */
const plans = new WeakMap<object, SpecPlan<unknown>>();
const lookUp: (spec: object) => SpecPlan<unknown> | undefined = plans.get.bind(plans);

/** Returns the plan of a spec, or null for a series or a signal. */
export function planOf<Out>(what: IndicatorSpec<Out> | Series | Signal): SpecPlan<Out> | null {
  // A spec is registered with a plan of its own type (`planned`).
  return typeof what === 'object' && what !== null ? ((lookUp(what) as SpecPlan<Out> | undefined) ?? null) : null;
}

/** Returns the series or signals that a spec names. */
export function resolved<Out>(spec: IndicatorSpec<Out>, registry: Registry): Out {
  const plan = planOf(spec);
  assert(plan !== null, `${spec.key} has no plan`);
  return plan.resolve(registry);
}

function planned<Out>(key: string, warmupBars: number, plan: SpecPlan<Out>): IndicatorSpec<Out> {
  const spec: IndicatorSpec<Out> = Object.freeze({ key, warmupBars });
  plans.set(spec, plan);
  return spec;
}

export type Source = Series | IndicatorSpec<Series>;
export type SignalSource = Signal | IndicatorSpec<Signal>;

/** Fills the rows [fromRow, toRow) of its outputs; calls are contiguous from row 0, running state is kept between them. */
export interface Kernel {
  /** Of an author's own indicator. */
  readonly custom?: CustomNote | undefined;
  fill(fromRow: number, toRow: number): void;
}

/** What an indicator set shows to the specs over its series. */
export interface SpecOwner {
  readonly sealed: boolean;
  /** A number for a function of an author, the same for the same function. */
  numberOf(make: object): number;
}

/** The part of a set that plans register with. */
export interface Registry {
  node(design: Design, key: string): NodeOutputs;
}

/** The outputs of a registered node, by position. */
export interface NodeOutputs {
  series(output: number): Series;
  signal(output: number): Signal;
}

export interface SpecPlan<Out> {
  readonly home: SpecOwner;
  /** The key of the column that the spec names: what rests on it is named after it, as spec or as registered series. */
  readonly column: string;
  resolve(registry: Registry): Out;
}

/** Prices in whole ticks (`scale` ticks are 1 of the quote asset), any other source as it is (`scale` 1). */
export interface ScaledColumn {
  readonly column: IndicatorColumn<TickColumn>;
  readonly scale: number;
  /** True for whole ticks: sums of them are exact. */
  readonly whole: boolean;
}

/** What a kernel is connected to: its sources and outputs by position. */
export interface Wiring {
  /** The values as they are read. */
  numbers(source: number): IndicatorColumn<Float64Array>;
  /** The values as they are held: sums that nobody has divided yet, where there are such. */
  fractions(source: number): Fractions;
  signals(source: number): IndicatorColumn<Uint8Array>;
  scaled(source: number): ScaledColumn;
  out(output: number): NumberWindow;
  outSignal(output: number): SignalWindow;
  /** Throws InvariantError when the library was not passed to `seal`. */
  readonly technical: TechnicalLibrary;
}

/** What is known of an author's own indicator, for the check of `pure` and for messages. */
export interface CustomNote {
  /** `custom#1(close)`. */
  readonly key: string;
  /** The author has declared that its function reads and writes nothing outside `make`. */
  readonly isPure: boolean;
  /** Made where `custom` was called: its stack holds the line. */
  readonly place: Error;
}

export interface Design {
  /** Of an author's own indicator. */
  readonly custom?: CustomNote;
  readonly sources: readonly Operand[];
  /** Rows in front of a block that the kernel reads of its sources. */
  readonly lookBack: number;
  readonly kind: 'series' | 'signal';
  readonly outputs: readonly OutputDesign[];
  /** True when the kernel needs the technicalindicators package. */
  readonly technical: boolean;
  make(wiring: Wiring): Kernel;
}

export interface OutputDesign {
  /** Appended to the key of the node: '' or '.upper'. */
  readonly suffix: string;
  /** Bars of the feed up to the first ready value. */
  readonly warmupBars: number;
}

/** One column of a set: a feed column, or an output of an indicator. */
export interface IndicatorOutput {
  readonly home: SpecOwner;
  readonly key: string;
  readonly warmupBars: number;
  /** The price column of the feed that this is, or null. */
  readonly price: PriceColumn | null;
}

/** A source as a spec holds it: a column that exists, or the spec of one. */
export type Operand =
  | { readonly kind: 'column'; readonly home: SpecOwner; readonly key: string; readonly warmupBars: number; readonly view: Series | Signal }
  | {
      readonly kind: 'spec';
      readonly home: SpecOwner;
      readonly key: string;
      readonly warmupBars: number;
      readonly resolve: (registry: Registry) => Series | Signal;
    };

const outputs = new WeakMap<object, IndicatorOutput>();
const outputBehind: (view: object) => IndicatorOutput | undefined = outputs.get.bind(outputs);

/** Records which column a series or signal shows; called by the set that makes it. */
export function bind<T extends Series | Signal>(view: T, output: IndicatorOutput): T {
  outputs.set(view, output);
  return view;
}

/** The column behind a series or signal. Throws ConfigError for an object that no set has made. */
export function outputOf(view: Series | Signal): IndicatorOutput {
  const output = outputBehind(view);
  if (output === undefined) {
    throw new ConfigError(
      'an indicator got a source that is no series: expected a column of a feed, a registered series, or a spec',
      'pass this.bars.close or what this.use(...) returned; an own computation goes through custom(source, make)',
    );
  }
  return output;
}

/** The set that a spec, series or signal belongs to: the one to register it with. */
export function ownerOf(what: IndicatorSpec<unknown> | Series | Signal): SpecOwner {
  return (planOf(what) ?? outputOf(what as Series | Signal)).home;
}

/** A source or signal as a spec holds it. */
export function operand(source: Source | SignalSource): Operand {
  const of = planOf<Series | Signal>(source);
  if (of !== null) {
    const { warmupBars } = source as IndicatorSpec<Series | Signal>;
    return { kind: 'spec', home: of.home, key: of.column, warmupBars, resolve: (registry) => of.resolve(registry) };
  }
  const view = source as Series | Signal;
  const output = outputOf(view);
  return { kind: 'column', home: output.home, key: output.key, warmupBars: output.warmupBars, view };
}

/** One output of a node that several specs share under a key of its own. */
export interface SharedNode {
  readonly key: string;
  /** Suffix of the output that the spec names. */
  readonly output: string;
}

/** What the functions of this room say of an indicator; sources are read in order. */
export interface IndicatorRecipe {
  readonly name: string;
  readonly sources: readonly Operand[];
  readonly parameters?: readonly (number | string)[];
  readonly lookBack?: number;
  readonly technical?: boolean;
  readonly custom?: Omit<CustomNote, 'key'>;
  readonly shared?: SharedNode;
  /** Values of its sources that a kernel needs for the first value of each output, by the suffix of the output. */
  readonly needs: Readonly<Record<string, number>>;
  make(wiring: Wiring): Kernel;
}

/** The spec of an indicator with one series. */
export function seriesSpec(recipe: IndicatorRecipe): IndicatorSpec<Series> {
  return toSpec(recipe, 'series', (of) => of.series(0));
}

/** The spec of a signal. */
export function signalSpec(recipe: IndicatorRecipe): IndicatorSpec<Signal> {
  const output = recipe.shared === undefined ? 0 : Object.keys(recipe.needs).indexOf(recipe.shared.output);
  return toSpec(recipe, 'signal', (of) => of.signal(output));
}

/** The spec of an indicator with several series; `shape` names them. */
export function groupSpec<Out>(recipe: IndicatorRecipe, shape: (of: NodeOutputs) => Out): IndicatorSpec<Out> {
  return toSpec(recipe, 'series', shape);
}

function toSpec<Out>(recipe: IndicatorRecipe, kind: 'series' | 'signal', shape: (of: NodeOutputs) => Out): IndicatorSpec<Out> {
  const key = keyOf(recipe.name, recipe.sources, recipe.parameters ?? []);
  const home = commonHome(key, recipe.sources);
  const before = Math.max(...recipe.sources.map((source) => source.warmupBars)) - 1;
  const designs = Object.entries(recipe.needs).map(([suffix, needed]) => ({ suffix, warmupBars: before + needed }));
  const { sources, lookBack = 0, technical = false, shared = { key, output: '' } } = recipe;
  const design: Design = {
    ...(recipe.custom === undefined ? {} : { custom: { ...recipe.custom, key } }),
    sources, lookBack, kind, outputs: designs, technical,
    make: (wiring) => recipe.make(wiring),
  }; // prettier-ignore
  const warmupBars = Math.max(...designs.map((output) => output.warmupBars));
  const column = shared.key + shared.output;
  return planned(key, warmupBars, { home, column, resolve: (registry) => shape(registry.node(design, shared.key)) });
}

/** A spec whose outputs are those of other specs: no kernel of its own, so that the parts are shared with whoever names them too. */
export function compose<Out>(
  name: string,
  sources: readonly Operand[],
  parameters: readonly number[],
  parts: readonly IndicatorSpec<Series>[],
  shape: (registry: Registry) => Out,
): IndicatorSpec<Out> {
  const key = keyOf(name, sources, parameters);
  const home = commonHome(key, sources);
  return planned(key, Math.max(...parts.map((part) => part.warmupBars)), { home, column: key, resolve: shape });
}

function keyOf(name: string, sources: readonly Operand[], parameters: readonly (number | string)[]): string {
  return `${name}(${[...sources.map((source) => source.key), ...parameters].join(', ')})`;
}

/** The one set that all sources belong to. Throws ConfigError when feeds are mixed, or when the set-up is over. */
function commonHome(key: string, sources: readonly Operand[]): SpecOwner {
  const home = sources[0]?.home;
  assert(home !== undefined, `${key} has no source`);
  if (sources.some((source) => source.home !== home)) {
    throw new ConfigError(
      `${key}: expected sources of one feed, got sources of several`,
      'register one indicator a feed and combine their values in onBar or in a handler',
    );
  }
  if (home.sealed) throw lateSpec(key);
  return home;
}

/** The error of a registration after the set-up: a spec is data, so `if (crossedUp(a, b))` would be true for ever. */
export function lateSpec(key: string): ConfigError {
  return new ConfigError(
    `${key}: indicators and signals are registered while the strategy is constructed, not later`,
    'make it a field of the class, x = this.use(...), and read x.value in onBar',
  );
}

/** Refuses a parameter that is no whole number in [min, max]. */
export function checkWhole(name: string, parameter: string, value: number, min: number, max = 10_000_000): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw new ConfigError(
    `${name}: ${parameter}: expected a whole number from ${min} to ${max}, got ${value}`,
    `correct the ${parameter} of ${name}`,
  );
}

/** Refuses a parameter that is no finite number above 0. */
export function checkPositive(name: string, parameter: string, value: number): void {
  if (Number.isFinite(value) && value > 0) return;
  throw new ConfigError(`${name}: ${parameter}: expected a number above 0, got ${value}`, `correct the ${parameter} of ${name}`);
}
