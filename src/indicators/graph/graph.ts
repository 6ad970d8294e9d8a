// The graph of the indicators of one feed: its nodes, their columns, and the assembly of windows and kernels.

import { largestOf } from '../../base/number/extremes.ts';
import { assert } from '../../base/assert.ts';
import { InvariantError } from '../../base/errors.ts';
import { pow10 } from '../../base/number/exact.ts';
import { listOf } from '../../base/memory/listOf.ts';
import { ticksOf, type BarColumns, type PriceColumn } from '../../model/bars/bars.ts';
import type { CustomNote, Design, SpecOwner, Kernel, IndicatorOutput, ScaledColumn, Wiring } from './spec.ts';
import type { TechnicalLibrary } from './technicalLibrary.ts';
import { NumberWindow, SignalWindow } from './window.ts';

/** A column of a feed or of an indicator, with the number of earlier rows that series and kernels read. */
export class GraphOutput implements IndicatorOutput {
  readonly home: SpecOwner;
  readonly key: string;
  readonly warmupBars: number;
  readonly price: PriceColumn | null;
  /** Null for a column of the feed. */
  readonly node: GraphNode | null;
  /** Number of earlier values that `ago` can read. */
  depth = 1;
  /** Number of earlier rows that kernels read. */
  lookBack = 0;
  /** 0 for a column that reads only its own feed. A column that reads another feed is one level above its sources and filled after them. */
  get level(): number {
    return this.node?.level ?? 0;
  }

  constructor(home: SpecOwner, node: GraphNode | null, key: string, warmupBars: number, price: PriceColumn | null) {
    this.home = home;
    this.node = node;
    this.key = key;
    this.warmupBars = warmupBars;
    this.price = price;
  }
}

/** An indicator. `inputs` and `outputs` are in the order of its design. */
export class GraphNode {
  /** What the node computes, with its parameters. */
  readonly design: Design;
  /** The outputs of other nodes, or bar columns, that the node reads. */
  readonly inputs: readonly GraphOutput[];
  /** The series that the node computes. */
  readonly outputs: readonly GraphOutput[];
  /** Position in the order of computation: larger than the level of every input. */
  readonly level: number;

  constructor(home: SpecOwner, design: Design, key: string, inputs: readonly GraphOutput[]) {
    this.design = design;
    this.inputs = inputs;
    this.level = Math.max(0, largestOf(inputs.map((input) => input.level))) + (design.isAsOf === true ? 1 : 0);
    this.outputs = listOf(design.outputs, (output) => new GraphOutput(home, this, key + output.suffix, output.warmupBars, null));
    for (const input of inputs) input.lookBack = Math.max(input.lookBack, design.lookBack);
  }
}

/** The windows of all columns of a set, for a run or for a trace. */
export class Windows {
  readonly #numbers = new Map<GraphOutput, NumberWindow>();
  readonly #states = new Map<GraphOutput, SignalWindow>();

  /** Adds a column of the feed. */
  addColumn(output: GraphOutput, column: Float64Array): void {
    this.#numbers.set(output, new NumberWindow(column));
  }

  /** Adds a column of states that is filled already. */
  addStates(output: GraphOutput, states: Uint8Array): void {
    this.#states.set(output, new SignalWindow(states));
  }

  /** Adds the window of a column of another feed. */
  share(output: GraphOutput, { number, state }: Partial<{ readonly number: NumberWindow; readonly state: SignalWindow }>): void {
    if (number !== undefined) this.#numbers.set(output, number);
    if (state !== undefined) this.#states.set(output, state);
  }

  /** Adds an empty window for each output of a node. */
  addNode(node: GraphNode): void {
    for (const output of node.outputs) {
      if (node.design.kind === 'series') this.#numbers.set(output, new NumberWindow());
      else this.#states.set(output, new SignalWindow());
    }
  }

  /** Returns the window of a series. Throws InvariantError for a column that this set does not have. */
  number(output: GraphOutput): NumberWindow {
    const window = this.#numbers.get(output);
    if (window === undefined) throw new InvariantError(`${output.key} is not a series of this set`);
    return window;
  }

  /** Returns the window of a signal. Throws InvariantError for a column that this set does not have. */
  state(output: GraphOutput): SignalWindow {
    const window = this.#states.get(output);
    if (window === undefined) throw new InvariantError(`${output.key} is not a signal of this set`);
    return window;
  }

  /** Removes all windows except those of the feed's own columns. */
  removeComputed(): void {
    for (const output of this.#numbers.keys()) if (output.node !== null) this.#numbers.delete(output);
    this.#states.clear();
  }

  /** Returns the windows of a node, in the order of its outputs. */
  of(node: GraphNode): readonly (NumberWindow | SignalWindow)[] {
    return listOf(node.outputs, (output) => (node.design.kind === 'series' ? this.number(output) : this.state(output)));
  }
}

/** Returns `node` and all nodes of its feed on which it depends, sources first. */
export function ancestry(node: GraphNode): readonly GraphNode[] {
  const foundNodes = new Set<GraphNode>();
  const visit = (current: GraphNode) => {
    if (current.design.isAsOf !== true) for (const input of current.inputs) if (input.node !== null) visit(input.node);
    foundNodes.add(current);
  };
  visit(node);
  return [...foundNodes];
}

/** Records how the kernels of a set read the columns of its feed. */
export class ColumnUse {
  /** The tick columns that kernels read. If bars are read block by block, their `base` moves with each block. */
  readonly ticks: { base: number }[] = [];
  /** True if a kernel reads the times of rows. Such a kernel needs the times of all rows in memory. */
  readsTimes = false;
}

/** Makes windows and kernels for the nodes of a graph, sources first. */
class Assembly {
  /** The kernels by level. Within a level, they are in the order in which they must run. */
  readonly kernels: Kernel[][] = [[]];
  readonly #windows: Windows;
  readonly #bars: BarColumns;
  readonly #blockRows: number;
  readonly #technical: TechnicalLibrary | null;
  readonly #use: ColumnUse;
  /** For windows of sums, the windows of the divided values, which kernels of plain numbers read. */
  readonly #quotients = new Map<NumberWindow, NumberWindow>();

  constructor(windows: Windows, bars: BarColumns, blockRows: number, technical: TechnicalLibrary | null, use: ColumnUse) {
    this.#use = use;
    this.#windows = windows;
    this.#bars = bars;
    this.#blockRows = blockRows;
    this.#technical = technical;
  }

  /** Allocates the windows of a node, and makes its kernel. */
  add(node: GraphNode): void {
    const nodeWindows = this.#windows.of(node);
    for (const [index, output] of node.outputs.entries()) nodeWindows[index]!.allocate(frontOf(output), this.#blockRows);
    const kernel = node.design.makeKernel(this.#wire(node));
    this.#push(node.level, new WindowedKernel(kernel, nodeWindows, node.design.custom));
  }

  #push(level: number, kernel: Kernel): void {
    while (this.kernels.length <= level) this.kernels.push([]);
    this.kernels[level]!.push(kernel);
  }

  /** Returns the sources and outputs of a node for its kernel. */
  #wire(node: GraphNode): Wiring {
    const windows = this.#windows;
    const technical = this.#technical;
    const use = this.#use;
    const bars = this.#bars;
    const input = (source: number) => node.inputs[source]!;
    return {
      numbers: (source) => this.#numbers(input(source)),
      fractions: (source) => windows.number(input(source)),
      signals: (source) => windows.state(input(source)),
      scaled: (source) => this.#scaled(input(source)),
      get openMs() {
        use.readsTimes = true;
        return bars.openMs;
      },
      get times() {
        use.readsTimes = true;
        return bars;
      },
      timesOf: (source) => {
        use.readsTimes = true;
        return input(source).home.times;
      },
      out: (output) => windows.number(node.outputs[output]!),
      outSignal: (output) => windows.state(node.outputs[output]!),
      get technical() {
        assert(technical !== null, 'an indicator of technicalindicators without the package: load it and pass it to seal');
        return technical;
      },
    };
  }

  /**
   * Returns a window of plain numbers. For a window of sums, adds a kernel that divides them, after the kernel of the sums and before the first
   * one that reads the numbers.
   */
  #numbers(input: GraphOutput): NumberWindow {
    const window = this.#windows.number(input);
    if (window.divisor === 1) return window;
    let quotients = this.#quotients.get(window);
    if (quotients === undefined) {
      quotients = new NumberWindow();
      quotients.allocate(frontOf(input), this.#blockRows);
      this.#quotients.set(window, quotients);
      this.#push(input.level, new WindowedKernel(new Quotients(window, quotients), [quotients]));
    }
    return quotients;
  }

  /** Returns a price column in ticks, or any other column unchanged. */
  #scaled(input: GraphOutput): ScaledColumn {
    if (input.price === null) return { column: this.#numbers(input), scale: 1, isWhole: false };
    const { instrument } = this.#bars;
    const column = { values: ticksOf(this.#bars, input.price), base: 0 };
    this.#use.ticks.push(column);
    return { column, scale: pow10(instrument.priceDigits), isWhole: true };
  }
}

/**
 * Allocates the windows of `nodes`, whose sources come first. Returns their kernels by level, in the order in which they must run. A kernel can
 * read windows of lower levels, also those of other feeds.
 */
export function assembleGraph(
  nodes: readonly GraphNode[],
  windows: Windows,
  bars: BarColumns,
  blockRows: number,
  technical: TechnicalLibrary | null,
  use: ColumnUse = new ColumnUse(),
): readonly (readonly Kernel[])[] {
  const assembly = new Assembly(windows, bars, blockRows, technical, use);
  for (const node of nodes) assembly.add(node);
  return assembly.kernels;
}

/**
 * Returns the number of earlier rows that a window keeps. It is at least one more than the depth of `ago`, because the cursor starts at row
 * -1.
 */
export function frontOf(output: GraphOutput): number {
  return Math.max(output.depth + 1, output.lookBack);
}

/** A kernel with the windows that it fills. */
class WindowedKernel implements Kernel {
  readonly custom: CustomNote | undefined;
  readonly #kernel: Kernel;
  readonly #windows: readonly (NumberWindow | SignalWindow)[];

  constructor(kernel: Kernel, windows: readonly (NumberWindow | SignalWindow)[], custom?: CustomNote) {
    this.custom = custom;
    this.#kernel = kernel;
    this.#windows = windows;
  }

  fill(fromRow: number, toRow: number): void {
    const windows = this.#windows;
    for (let i = 0; i < windows.length; i++) windows[i]!.reserve(fromRow, toRow);
    this.#kernel.fill(fromRow, toRow);
  }
}

/** Divides the sums of a window. */
class Quotients implements Kernel {
  readonly #sums: NumberWindow;
  readonly #out: NumberWindow;

  constructor(sums: NumberWindow, out: NumberWindow) {
    this.#sums = sums;
    this.#out = out;
  }

  fill(fromRow: number, toRow: number): void {
    this.#sums.divideInto(this.#out.values, fromRow - this.#out.base, fromRow, toRow);
  }
}
