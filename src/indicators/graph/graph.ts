// The graph of the indicators of one feed: nodes, their columns, and the assembly of windows and kernels.

import { assert } from '../../base/assert.ts';
import { InvariantError } from '../../base/errors.ts';
import { pow10 } from '../../base/number/exact.ts';
import { listOf } from '../../base/memory/listOf.ts';
import { ticksOf, type BarColumns, type PriceColumn } from '../../model/bars/bars.ts';
import type { CustomNote, Design, SpecOwner, Kernel, IndicatorOutput, ScaledColumn, Wiring } from './spec.ts';
import type { TechnicalLibrary } from './technicalLibrary.ts';
import { NumberWindow, SignalWindow } from './window.ts';

/** A column of a feed or of an indicator, with the numbers of earlier rows that are read. */
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
  /** 0 for a column that reads only its own feed. A column that reads another feed is one level above its sources, and is filled after them. */
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
  readonly design: Design;
  readonly inputs: readonly GraphOutput[];
  readonly outputs: readonly GraphOutput[];
  readonly level: number;

  constructor(home: SpecOwner, design: Design, key: string, inputs: readonly GraphOutput[]) {
    this.design = design;
    this.inputs = inputs;
    this.level = Math.max(0, ...inputs.map((input) => input.level)) + (design.isAsOf === true ? 1 : 0);
    this.outputs = listOf(design.outputs, (output) => new GraphOutput(home, this, key + output.suffix, output.warmupBars, null));
    for (const input of inputs) input.lookBack = Math.max(input.lookBack, design.lookBack);
  }
}

/** The windows of all columns of a set, for a run or for a trace. */
export class Windows {
  readonly #numbers = new Map<GraphOutput, NumberWindow>();
  readonly #states = new Map<GraphOutput, SignalWindow>();

  addColumn(output: GraphOutput, column: Float64Array): void {
    this.#numbers.set(output, new NumberWindow(column));
  }

  addStates(output: GraphOutput, states: Uint8Array): void {
    this.#states.set(output, new SignalWindow(states));
  }

  /** Adds the window of a column of another feed. */
  share(output: GraphOutput, { number, state }: Partial<{ readonly number: NumberWindow; readonly state: SignalWindow }>): void {
    if (number !== undefined) this.#numbers.set(output, number);
    if (state !== undefined) this.#states.set(output, state);
  }

  addNode(node: GraphNode): void {
    for (const output of node.outputs) {
      if (node.design.kind === 'series') this.#numbers.set(output, new NumberWindow());
      else this.#states.set(output, new SignalWindow());
    }
  }

  number(output: GraphOutput): NumberWindow {
    const window = this.#numbers.get(output);
    if (window === undefined) throw new InvariantError(`${output.key} is not a series of this set`);
    return window;
  }

  state(output: GraphOutput): SignalWindow {
    const window = this.#states.get(output);
    if (window === undefined) throw new InvariantError(`${output.key} is not a signal of this set`);
    return window;
  }

  of(node: GraphNode): readonly (NumberWindow | SignalWindow)[] {
    return listOf(node.outputs, (output) => (node.design.kind === 'series' ? this.number(output) : this.state(output)));
  }
}

/** Returns `node` and all nodes of its feed on which it depends, sources first. */
export function ancestry(node: GraphNode): readonly GraphNode[] {
  const found = new Set<GraphNode>();
  const visit = (current: GraphNode) => {
    if (current.design.isAsOf !== true) for (const input of current.inputs) if (input.node !== null) visit(input.node);
    found.add(current);
  };
  visit(node);
  return [...found];
}

/** How the kernels of a set read the columns of its feed. */
export class ColumnUse {
  /** The tick columns that kernels read. They move with bars that are read block by block. */
  readonly ticks: { base: number }[] = [];
  /** True if a kernel reads the times of rows, which it takes for whole columns. */
  readsTimes = false;
}

/** Makes windows and kernels for the nodes of a graph, sources first. */
class Assembly {
  /** By level. Inside a level, kernels are in the order in which they must run. */
  readonly kernels: Kernel[][] = [[]];
  readonly #windows: Windows;
  readonly #bars: BarColumns;
  readonly #blockRows: number;
  readonly #technical: TechnicalLibrary | null;
  readonly #use: ColumnUse;
  /** For windows that hold sums: windows with the divided values, for kernels that need plain numbers. */
  readonly #quotients = new Map<NumberWindow, NumberWindow>();

  constructor(windows: Windows, bars: BarColumns, blockRows: number, technical: TechnicalLibrary | null, use: ColumnUse) {
    this.#use = use;
    this.#windows = windows;
    this.#bars = bars;
    this.#blockRows = blockRows;
    this.#technical = technical;
  }

  add(node: GraphNode): void {
    const own = this.#windows.of(node);
    for (const [index, output] of node.outputs.entries()) own[index]!.allocate(frontOf(output), this.#blockRows);
    const kernel = node.design.make(this.#wire(node));
    this.#push(node.level, new WindowedKernel(kernel, own, node.design.custom));
  }

  #push(level: number, kernel: Kernel): void {
    while (this.kernels.length <= level) this.kernels.push([]);
    this.kernels[level]!.push(kernel);
  }

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
   * Returns plain numbers. For a window of sums, an additional kernel divides them. It runs after the source and before the first kernel
   * that needs them.
   */
  #numbers(input: GraphOutput): NumberWindow {
    const held = this.#windows.number(input);
    if (held.divisor === 1) return held;
    let quotients = this.#quotients.get(held);
    if (quotients === undefined) {
      quotients = new NumberWindow();
      quotients.allocate(frontOf(input), this.#blockRows);
      this.#quotients.set(held, quotients);
      this.#push(input.level, new WindowedKernel(new Quotients(held, quotients), [quotients]));
    }
    return quotients;
  }

  #scaled(input: GraphOutput): ScaledColumn {
    if (input.price === null) return { column: this.#numbers(input), scale: 1, whole: false };
    const { instrument } = this.#bars;
    const column = { values: ticksOf(this.#bars, input.price), base: 0 };
    this.#use.ticks.push(column);
    return { column, scale: pow10(instrument.priceDigits), whole: true };
  }
}

/**
 * Allocates the windows of `nodes` (sources first) and returns their kernels in the order in which they must run. They are listed by level,
 * because kernels of a level read windows of lower levels, also in other feeds.
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

/** Returns the number of earlier rows that a window keeps. It is at least one more than the depth of `ago`, because the cursor starts at row -1. */
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
