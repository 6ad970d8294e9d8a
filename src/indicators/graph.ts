// The graph of a set's indicators: nodes and their columns, and its assembly into windows and kernels.

import { assert } from '../base/assert.ts';
import { InvariantError } from '../base/errors.ts';
import { pow10 } from '../base/exact.ts';
import { ticksOf, type BarColumns, type PriceColumn } from '../model/bars.ts';
import { NOT_READY } from './series.ts';
import type { Design, Home, Kernel, Output, ScaledColumn, Wiring } from './spec.ts';
import type { TechnicalLibrary } from './technicalLibrary.ts';
import { SlidingWindow, type NumberWindow, type SignalWindow } from './window.ts';

/** A column of a feed, or of an indicator over it, and how far back it is read. */
export class GraphOutput implements Output {
  readonly home: Home;
  readonly key: string;
  readonly warmupBars: number;
  readonly price: PriceColumn | null;
  /** Null for a column of the feed. */
  readonly node: GraphNode | null;
  /** Earlier values that `ago` reaches. */
  depth = 1;
  /** Earlier rows that kernels read. */
  lookBack = 0;

  constructor(home: Home, node: GraphNode | null, key: string, warmupBars: number, price: PriceColumn | null) {
    this.home = home;
    this.node = node;
    this.key = key;
    this.warmupBars = warmupBars;
    this.price = price;
  }
}

/** An indicator; `inputs` and `outputs` are in the order of its design. */
export class GraphNode {
  readonly design: Design;
  readonly inputs: readonly GraphOutput[];
  readonly outputs: readonly GraphOutput[];

  constructor(home: Home, design: Design, key: string, inputs: readonly GraphOutput[]) {
    this.design = design;
    this.inputs = inputs;
    this.outputs = design.outputs.map((output) => new GraphOutput(home, this, key + output.suffix, output.warmupBars, null));
    for (const input of inputs) input.lookBack = Math.max(input.lookBack, design.lookBack);
  }
}

/** The windows of columns: those of a run, or fresh ones for a trace. */
export class Windows {
  readonly #numbers = new Map<GraphOutput, NumberWindow>();
  readonly #states = new Map<GraphOutput, SignalWindow>();

  addColumn(output: GraphOutput, column: Float64Array): void {
    this.#numbers.set(output, SlidingWindow.over(column));
  }

  addNode(node: GraphNode): void {
    for (const output of node.outputs) {
      if (node.design.kind === 'series') this.#numbers.set(output, new SlidingWindow((length) => new Float64Array(length).fill(NaN)));
      else this.#states.set(output, new SlidingWindow((length) => new Uint8Array(length).fill(NOT_READY)));
    }
  }

  number(output: GraphOutput): NumberWindow {
    const window = this.#numbers.get(output);
    if (window === undefined) throw new InvariantError(`${output.key} is no series of this set`);
    return window;
  }

  state(output: GraphOutput): SignalWindow {
    const window = this.#states.get(output);
    if (window === undefined) throw new InvariantError(`${output.key} is no signal of this set`);
    return window;
  }

  of(node: GraphNode): readonly (NumberWindow | SignalWindow)[] {
    return node.outputs.map((output) => (node.design.kind === 'series' ? this.number(output) : this.state(output)));
  }
}

/** `node` and all that it rests on, sources first. */
export function ancestry(node: GraphNode): readonly GraphNode[] {
  const found = new Set<GraphNode>();
  const visit = (at: GraphNode) => {
    for (const input of at.inputs) if (input.node !== null) visit(input.node);
    found.add(at);
  };
  visit(node);
  return [...found];
}

/** Takes memory for the windows of `nodes` (sources first) and makes their kernels, in the same order. */
export function assemble(
  nodes: readonly GraphNode[],
  windows: Windows,
  bars: BarColumns,
  blockRows: number,
  technical: TechnicalLibrary | null,
): readonly Kernel[] {
  return nodes.map((node) => {
    const own = windows.of(node);
    for (const [index, output] of node.outputs.entries()) own[index]!.allocate(Math.max(output.depth + 1, output.lookBack), blockRows);
    return new WindowedKernel(node.design.make(wire(node, windows, bars, technical)), own);
  });
}

/** A kernel with the windows that it fills. */
class WindowedKernel implements Kernel {
  readonly #kernel: Kernel;
  readonly #windows: readonly (NumberWindow | SignalWindow)[];

  constructor(kernel: Kernel, windows: readonly (NumberWindow | SignalWindow)[]) {
    this.#kernel = kernel;
    this.#windows = windows;
  }

  fill(fromRow: number, toRow: number): void {
    const windows = this.#windows;
    for (let i = 0; i < windows.length; i++) windows[i]!.reserve(fromRow, toRow);
    this.#kernel.fill(fromRow, toRow);
  }
}

function wire(node: GraphNode, windows: Windows, bars: BarColumns, technical: TechnicalLibrary | null): Wiring {
  const input = (source: number) => node.inputs[source]!;
  return {
    numbers: (source) => windows.number(input(source)),
    signals: (source) => windows.state(input(source)),
    scaled: (source) => scaled(input(source), windows, bars),
    out: (output) => windows.number(node.outputs[output]!),
    outSignal: (output) => windows.state(node.outputs[output]!),
    get technical() {
      assert(technical !== null, 'an indicator of technicalindicators without the package: load it and pass it to seal');
      return technical;
    },
  };
}

function scaled(input: GraphOutput, windows: Windows, bars: BarColumns): ScaledColumn {
  if (input.price === null) return { column: windows.number(input), scale: 1, whole: false };
  return { column: { values: ticksOf(bars, input.price), base: 0 }, scale: pow10(bars.instrument.priceDigits), whole: true };
}
