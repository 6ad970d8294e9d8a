// The indicators and signals of one feed. Strategies register them, and the engine then fills them block by block.

import { assert } from '../../base/assert.ts';
import { InvariantError } from '../../base/errors.ts';
import { listOf } from '../../base/memory/listOf.ts';
import type { BarColumns, PriceColumn } from '../../model/bars/bars.ts';
import { asOfDesign, firstReadyRow } from './asOf.ts';
import { ancestry, assembleGraph, ColumnUse, frontOf, GraphNode, GraphOutput, Windows } from './graph.ts';
import { ColumnSeries, ColumnSignal, type FeedSeries, type RowCursor, type Series, type Signal } from './series.ts';
import { asOfKey, bind, checkWhole, lateSpec, outputOf, planOf } from './spec.ts';
import type { CustomNote, Design, SpecOwner, IndicatorSpec, Kernel, NodeOutputs, Operand, Registry, SignalSource, Source } from './spec.ts';
import type { TechnicalLibrary } from './technicalLibrary.ts';
import { NOT_READY, TRUE } from './window.ts';

/** Number of rows in a block of `traceValues`. It has no influence on the values. */
const TRACE_ROWS = 4096;

/**
 * The indicators of one feed. The caller constructs the set, calls `use` while strategies are constructed, and calls `seal`. Then it fills every
 * kernel, in order, with contiguous blocks of rows from row 0. Series return the values at the cursor, which the caller moves.
 */
export class IndicatorSet implements SpecOwner {
  /** The columns of the feed. */
  readonly series: FeedSeries;
  readonly #bars: BarColumns;
  readonly #cursor: RowCursor;
  readonly #blockRows: number;
  readonly #outputs = new Map<Series | Signal, GraphOutput>();
  readonly #nodes = new Map<string, { readonly node: GraphNode; readonly views: NodeOutputs }>();
  readonly #windows = new Windows();
  readonly #functions = new Map<object, number>();
  /** The kernels by level. The first level reads only this feed. Null before `seal`. */
  #kernels: readonly (readonly Kernel[])[] | null = null;
  #readyRow = 0;
  readonly #use = new ColumnUse();
  #technical: TechnicalLibrary | null = null;

  /** A block has at most `blockRows` rows. */
  constructor(bars: BarColumns, cursor: RowCursor, blockRows: number) {
    assert(blockRows >= 1, `a block of ${blockRows} rows`);
    this.#bars = bars;
    this.#cursor = cursor;
    this.#blockRows = blockRows;
    const column = (name: PriceColumn | 'volume'): Series => {
      const output = new GraphOutput(this, null, name, 1, name === 'volume' ? null : name);
      this.#windows.addColumn(output, bars[name]);
      return this.#viewSeries(output);
    };
    this.series = { open: column('open'), high: column('high'), low: column('low'), close: column('close'), volume: column('volume') };
  }

  /** True once the registration has ended. */
  get isSealed(): boolean {
    return this.#kernels !== null;
  }

  /** True when a registered indicator uses the technicalindicators package. `seal` then requires the package. */
  get needsTechnical(): boolean {
    return [...this.#nodes.values()].some(({ node }) => node.design.usesTechnical);
  }

  /** Custom indicators of strategies. */
  get customs(): readonly CustomNote[] {
    return [...this.#nodes.values()].flatMap(({ node }) => node.design.custom ?? []);
  }

  get label(): string {
    return `${this.#bars.instrument.wireName} ${this.#bars.interval}`;
  }
  get times(): BarColumns {
    return this.#bars;
  }

  /** Kernels that read only this feed, sources first. Only after `seal`. */
  get kernels(): readonly Kernel[] {
    return this.#sealed[0]!;
  }
  /**
   * Kernels that read other feeds, by level. Before the caller fills a level, it fills the level below in all feeds up to the same instant. Only
   * after `seal`.
   */
  get linked(): readonly (readonly Kernel[])[] {
    return this.#sealed.slice(1);
  }
  get #sealed(): readonly (readonly Kernel[])[] {
    assert(this.#kernels !== null, 'the kernels of a set that is not sealed');
    return this.#kernels;
  }

  /** Index of the first row at which all registered indicators are ready, according to their warm-ups. */
  get readyRow(): number {
    return this.#readyRow;
  }

  /**
   * Registers an indicator and returns its series or signals. Equal keys share one kernel. `depth` is the number of bars that `ago` may look
   * back. For a series of this set, `use` only increases the depth and returns the series. Throws ConfigError after `seal`.
   */
  use<Out>(specOrView: IndicatorSpec<Out>, depth?: number): Out;
  use(specOrView: Source, depth: number): Series;
  use(specOrView: SignalSource): Signal;
  use<Out>(specOrView: IndicatorSpec<Out> | Series | Signal, depth = 1): Out | Series | Signal {
    const plan = planOf(specOrView);
    if (plan === null) return this.#deepen(specOrView as Series | Signal, depth);
    const { key: name, warmupBars } = specOrView as IndicatorSpec<Out>;
    this.#checkOpen(name, plan.home, depth);
    const out = plan.resolve(this.#registry(depth));
    this.#readyRow = Math.max(this.#readyRow, warmupBars - 1);
    return out;
  }

  /** Ends the registration: fixes the look-back of each window, allocates memory and makes the kernels. */
  seal(technical: TechnicalLibrary | null = null): void {
    assert(!this.isSealed, 'a set is sealed once');
    const nodes = [...this.#nodes.values()].map(({ node }) => node);
    this.#kernels = assembleGraph(nodes, this.#windows, this.#bars, this.#blockRows, technical, this.#use);
    this.#technical = technical;
  }

  /** Frees the memory of the blocks after the last row. Traces can still be read, because they compute their values again. */
  freeBlocks(): void {
    this.#kernels = [];
    this.#windows.removeComputed();
  }

  /** Number of rows before a block that kernels and series read in the columns of the feed. */
  get rowsBack(): number {
    let rows = 1;
    for (const output of this.#outputs.values()) if (output.node === null) rows = Math.max(rows, frontOf(output));
    return rows;
  }

  /** True if a kernel needs the times of all rows, which bars that are read block by block do not have. */
  get readsTimes(): boolean {
    return this.#use.readsTimes;
  }

  /** Notes that the first element of each column of the feed now belongs to row `base`. */
  moveColumns(base: number): void {
    for (const output of this.#outputs.values()) if (output.node === null) this.#windows.number(output).base = base;
    for (const column of this.#use.ticks) column.base = base;
  }

  /**
   * Writes the rows of [fromRow, toRow) at which `signal` is true to `into`, in ascending order. Returns their number. The rows must belong to
   * the newest block, and `into` must have space for all of them.
   */
  listRows(signal: Signal, fromRow: number, toRow: number, into: Int32Array): number {
    const { values, base, rows, listed } = this.#windows.state(this.#outputOf(signal));
    let count = 0;
    if (rows !== null) {
      for (let i = 0; i < listed; i++) if (rows[i]! >= fromRow && rows[i]! < toRow) into[count++] = rows[i]!;
      return count;
    }
    const end = toRow - base;
    // indexOf skips false rows faster than a loop. After the end it can find rows of older blocks, so the loop also checks the end.
    for (let i = values.indexOf(TRUE, fromRow - base); i >= 0 && i < end; i = values.indexOf(TRUE, i + 1)) into[count++] = i + base;
    return count;
  }

  /** Returns the values of a series at all rows of the feed, NaN while not ready, for a report. New kernels compute them again. */
  traceValues(series: Series): Float64Array {
    assert(this.isSealed, 'a trace of a set that is not sealed');
    const output = this.#outputOf(series);
    // The caller may change the result, so a column of the feed must be copied.
    return output.node === null ? this.#windows.number(output).values.slice() : this.#traceNumbers(output);
  }

  /**
   * Returns the values that `traceValues` has at `rows`, which are in ascending order. Computes all rows up to the last of them but stores
   * only these, because memory for a whole column costs more than the computation.
   */
  traceAt(series: Series, rows: Int32Array): Float64Array {
    assert(this.isSealed, 'a trace of a set that is not sealed');
    const output = this.#outputOf(series);
    const trace = new Float64Array(rows.length);
    const end = rows.length === 0 ? 0 : rows.at(-1)! + 1;
    if (output.node === null) this.#windows.number(output).divideRows(trace, rows, 0, end);
    else {
      let nextElement = 0;
      this.#fillAgain(
        output.node,
        (windows, _, to) => (nextElement = windows.number(output).divideRows(trace, rows, nextElement, to)),
        end,
      );
    }
    return trace;
  }

  /** Returns the values of a series at all rows. */
  #traceNumbers(output: GraphOutput): Float64Array {
    if (output.node === null) return this.#windows.number(output).values;
    const trace = new Float64Array(this.#bars.length);
    this.#fillAgain(output.node, (windows, from, to) => windows.number(output).divideInto(trace, from, from, to));
    return trace;
  }

  /** Returns the states of a signal at all rows. */
  #traceStates(output: GraphOutput): Uint8Array {
    const trace = new Uint8Array(this.#bars.length);
    this.#fillAgain(output.node!, (windows, from, to) => {
      const { values, base } = windows.state(output);
      trace.set(values.subarray(from - base, to - base), from);
    });
    return trace;
  }

  /** Adds all rows of a column of this set to the windows of a trace of another feed. */
  #traceInto(windows: Windows, output: GraphOutput): void {
    if (output.node?.design.kind === 'signal') windows.addStates(output, this.#traceStates(output));
    else windows.addColumn(output, this.#traceNumbers(output));
  }

  /** Fills new windows of a node and of its sources over the rows of the feed before `end`, and calls `onBlock` after each block. */
  #fillAgain(node: GraphNode, onBlock: (windows: Windows, from: number, to: number) => void, end = this.#bars.length): void {
    const windows = new Windows();
    for (const output of this.#outputs.values()) if (output.node === null) windows.addColumn(output, this.#windows.number(output).values);
    const nodes = ancestry(node);
    for (const tracedNode of nodes) {
      windows.addNode(tracedNode);
      if (tracedNode.design.isAsOf === true) for (const input of tracedNode.inputs) setOf(input).#traceInto(windows, input);
    }
    const kernels = assembleGraph(nodes, windows, this.#bars, TRACE_ROWS, this.#technical).flat();
    for (let from = 0; from < end; from += TRACE_ROWS) {
      const to = Math.min(from + TRACE_ROWS, end);
      for (const kernel of kernels) kernel.fill(from, to);
      onBlock(windows, from, to);
    }
  }

  /** Returns the name of a series or signal in reports, such as `sma(close, 10)`. */
  keyOf(view: Series | Signal): string {
    return this.#outputOf(view).key;
  }

  /** Returns the direct sources of a series or a signal, in their order. Empty for a column of the feed. */
  sourcesOf(view: Series | Signal): readonly (Series | Signal)[] {
    const { node } = this.#outputOf(view);
    return node === null || node.design.isAsOf === true ? [] : node.inputs.map((input) => this.#viewOf(input));
  }

  /** Returns the other feeds that a series or signal of this set reads, with the number of bars that it needs from each. */
  otherFeedNeeds(view: Series | Signal): readonly { readonly home: SpecOwner; readonly warmupBars: number }[] {
    const needs: { home: SpecOwner; warmupBars: number }[] = [];
    const visitedNodes = new Set<GraphNode>();
    const collect = ({ node }: GraphOutput): void => {
      if (node === null || visitedNodes.has(node)) return;
      visitedNodes.add(node);
      for (const input of node.inputs) {
        if (node.design.isAsOf === true) needs.push({ home: input.home, warmupBars: input.warmupBars });
        collect(input);
      }
    };
    collect(this.#outputOf(view));
    return needs;
  }

  /** Returns the first row at which a series or signal is ready after its warm-up. Returns the number of rows if it is never ready. */
  firstReadyRow(view: Series | Signal): number {
    return firstReadyRow(this.#outputOf(view));
  }

  /** Returns the state of a signal at a row of the newest block: FALSE, TRUE or NOT_READY. */
  stateAt(signal: Signal, row: number): number {
    const { values, base } = this.#windows.state(this.#outputOf(signal));
    return values[row - base] ?? NOT_READY;
  }

  /** Returns a number for a function of the user. Equal functions get equal numbers, so that two uses share one indicator. */
  numberOf(make: object): number {
    const functionNumber = this.#functions.get(make) ?? this.#functions.size + 1;
    this.#functions.set(make, functionNumber);
    return functionNumber;
  }

  /** Increases the depth of a series of this set, and returns the series. */
  #deepen(view: Series | Signal, depth: number): Series | Signal {
    const { key, home } = outputOf(view);
    this.#checkOpen(key, home, depth);
    const output = this.#outputOf(view);
    output.depth = Math.max(output.depth, depth);
    return view;
  }

  /** Throws ConfigError after `seal` and for an invalid depth. */
  #checkOpen(key: string, home: SpecOwner, depth: number): void {
    if (this.isSealed) throw lateSpec(key);
    checkWhole(key, 'depth', depth, 0, 1_000_000);
    assert(home === this, `${key} is registered with the set of another feed`);
  }

  /** Returns the outputs of the node with this key, which it adds if there is no such node. */
  #node(design: Design, key: string, depth: number): NodeOutputs {
    let knownNode = this.#nodes.get(key);
    if (knownNode === undefined) {
      // The depth applies only to the result, so the sources are registered with their own depth.
      const inputs = listOf(design.sources, (source) => (design.isAsOf === true ? this.#inputOfOtherFeed(source) : this.#input(source)));
      const node = new GraphNode(this, design, key, inputs);
      this.#windows.addNode(node);
      knownNode = { node, views: this.#viewNode(node) };
      this.#nodes.set(key, knownNode);
    }
    for (const output of knownNode.node.outputs) output.depth = Math.max(output.depth, depth);
    return knownNode.views;
  }

  /** Registers a source of this feed, and returns its column. */
  #input(source: Operand): GraphOutput {
    if (source.kind === 'column') return this.#outputOf(source.view);
    return this.#outputOf(source.resolve(this.#registry(1)));
  }

  #registry(depth: number): Registry {
    return { node: (design, key) => this.#node(design, key, depth), asOf: (source) => this.#asOf(source) };
  }

  /** Registers a source with the set of its own feed. Adds a column to this set that reads the source at the rows of this feed. */
  #asOf(source: Operand): Series | Signal {
    const input = this.#inputOfOtherFeed(source);
    const key = asOfKey(source.home, input.key);
    let knownNode = this.#nodes.get(key);
    if (knownNode === undefined) {
      const kind = input.node?.design.kind ?? 'series';
      const node = new GraphNode(this, asOfDesign(kind), key, [input]);
      this.#windows.addNode(node);
      knownNode = { node, views: this.#viewNode(node) };
      this.#nodes.set(key, knownNode);
    }
    return knownNode.node.design.kind === 'series' ? knownNode.views.series(0) : knownNode.views.signal(0);
  }

  /** Returns the column of a series or signal of this set. */
  #outputOf(view: Series | Signal): GraphOutput {
    // A series that wraps a series of this set is bound to the same column.
    const output = this.#outputs.get(view) ?? outputOf(view);
    assert(output instanceof GraphOutput && output.home === this, 'a series of another set');
    return output;
  }

  /** Registers a source with the set of its own feed, and shares the window of its column with this set. */
  #inputOfOtherFeed(source: Operand): GraphOutput {
    const { home } = source;
    assert(home instanceof IndicatorSet, `${source.key} belongs to no set`);
    if (home === this) return this.#input(source);
    if (home.isSealed) throw lateSpec(source.key);
    const input = home.#input(source);
    const isSignal = input.node?.design.kind === 'signal';
    this.#windows.share(input, isSignal ? { state: home.#windows.state(input) } : { number: home.#windows.number(input) });
    return input;
  }

  /** Returns the series or signal of a column. */
  #viewOf(output: GraphOutput): Series | Signal {
    for (const [view, column] of this.#outputs) if (column === output) return view;
    throw new InvariantError(`${output.key} has no view`);
  }

  /** Makes the series or signals of a node. */
  #viewNode(node: GraphNode): NodeOutputs {
    const isSeries = node.design.kind === 'series';
    const series = isSeries ? listOf(node.outputs, (output) => this.#viewSeries(output)) : [];
    const signals = isSeries ? [] : listOf(node.outputs, (output) => this.#viewSignal(output));
    return { series: (output) => series[output]!, signal: (output) => signals[output]! };
  }

  #viewSeries(output: GraphOutput): Series {
    const view = bind(new ColumnSeries(this.#windows.number(output), this.#cursor, output), output);
    this.#outputs.set(view, output);
    return view;
  }

  #viewSignal(output: GraphOutput): Signal {
    const view = bind(new ColumnSignal(this.#windows.state(output), this.#cursor), output);
    this.#outputs.set(view, output);
    return view;
  }
}

/** Returns the set of a column. */
function setOf({ home, key }: GraphOutput): IndicatorSet {
  assert(home instanceof IndicatorSet, `${key} belongs to no set`);
  return home;
}
