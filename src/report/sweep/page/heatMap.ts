// Draws the heat map of a sweep: cells on two axes, a cursor for pointer and keys, and outlines of the best set and the plateau.
/// <reference lib="dom" />

import { colour } from '../../page/browser/dom.ts';
import { briefValue, type Model } from './model.ts';
import { coloursOf, scaleOf, type ColourScale } from './scale.ts';
import { mapCells, type MapCell, type View } from './view.ts';

const FONT_FAMILY = 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';
const FONT_PX = 11;
/** Minimum width and height of a cell for its number to be readable. */
const NUMBER_WIDTH = 40;
const NUMBER_HEIGHT = 16;
/** Bounds of the size of a cell, and the height that the map should have. All in CSS pixels. */
const MIN_CELL_HEIGHT = 10;
const MAX_CELL_HEIGHT = 34;
const MAX_CELL_WIDTH = 92;
const TARGET_MAP_HEIGHT = 480;
/** Height of the cells when the map has only one row. */
const SINGLE_ROW_HEIGHT = 56;
/** Space for the names and values of the axes. */
const BOTTOM = 38;
const TOP = 4;
/** Space to the left of the cells: without a vertical axis, and for its name beside its values. */
const LEFT_WITHOUT_AXIS = 8;
const AXIS_NAME_WIDTH = 26;
/** Smaller cells have no gap between them. */
const MIN_SIZE_FOR_GAP = 12;

/** How far an arrow key moves the cursor. Row 0 is at the bottom. */
const ARROW_STEPS: ReadonlyMap<string, { readonly columns: number; readonly rows: number }> = new Map([
  ['ArrowLeft', { columns: -1, rows: 0 }],
  ['ArrowRight', { columns: 1, rows: 0 }],
  ['ArrowUp', { columns: 0, rows: 1 }],
  ['ArrowDown', { columns: 0, rows: -1 }],
]);

/** Sizes of the map in pixels. */
interface MapLayout {
  readonly left: number;
  readonly width: number;
  readonly height: number;
  readonly columns: number;
  readonly rows: number;
  readonly cellWidth: number;
  readonly cellHeight: number;
}

/** A rectangle on the canvas: left, top, width and height in CSS pixels. */
type Box = readonly [x: number, y: number, width: number, height: number];

/** The map. It shows one figure over two axes. */
export class HeatMap {
  readonly #canvas: HTMLCanvasElement;
  readonly #model: Model;
  readonly #onCursor: (cell: MapCell | null, isChosen: boolean) => void;
  #view: View;
  #cells: readonly MapCell[] = [];
  #scale: ColourScale = scaleOf([]);
  #layout: MapLayout | null = null;
  #cursor: number | null = null;

  /** `onCursor` receives the cell under the cursor, and whether the reader has chosen it. */
  constructor(canvas: HTMLCanvasElement, model: Model, view: View, onCursor: (cell: MapCell | null, isChosen: boolean) => void) {
    this.#canvas = canvas;
    this.#model = model;
    this.#view = view;
    this.#onCursor = onCursor;
    canvas.addEventListener('pointermove', (event) => this.#onPointer(event, false));
    canvas.addEventListener('pointerdown', (event) => this.#onPointer(event, true));
    canvas.addEventListener('pointerleave', () => this.#onCursor(this.#cells[this.#cursor ?? -1] ?? null, false));
    canvas.addEventListener('keydown', (event) => this.#onKey(event));
    this.show(view);
  }

  /** The colours of the current view. */
  get scale(): ColourScale {
    return this.#scale;
  }

  /** Shows another view, without a cursor. */
  show(view: View): void {
    this.#view = view;
    this.#cells = mapCells(this.#model, view);
    this.#scale = scaleOf(this.#cells.map(({ value }) => value));
    this.#cursor = null;
    this.draw();
  }

  /** Puts the cursor on the cell of `setIndex`. Returns false when the map does not show the set. */
  choose(setIndex: number): boolean {
    const index = this.#cells.findIndex((cell) => cell.set === setIndex);
    if (index < 0) return false;
    this.#moveTo(index, true);
    return true;
  }

  /** Draws the map at the current size and theme. */
  draw(): void {
    const context = this.#canvas.getContext('2d');
    if (!context) return;
    const { page } = this.#model;
    const { across, down } = this.#view;
    const columns = page.axes[across]?.values.length ?? 1;
    const rows = down === null ? 1 : (page.axes[down]?.values.length ?? 1);
    context.font = `${FONT_PX}px ${FONT_FAMILY}`;
    const left = down === null ? LEFT_WITHOUT_AXIS : this.#labelWidth(context, down) + AXIS_NAME_WIDTH;
    const outerWidth = this.#canvas.parentElement?.clientWidth ?? 600;
    const cellWidth = Math.min(MAX_CELL_WIDTH, (outerWidth - left - 4) / columns);
    const fittingHeight = Math.max(MIN_CELL_HEIGHT, Math.min(MAX_CELL_HEIGHT, TARGET_MAP_HEIGHT / rows));
    const cellHeight = rows === 1 ? SINGLE_ROW_HEIGHT : fittingHeight;
    const layout = { left, columns, rows, cellWidth, cellHeight, width: outerWidth, height: TOP + rows * cellHeight + BOTTOM };
    this.#layout = layout;
    this.#resizeCanvas(context, layout);
    for (const cell of this.#cells) this.#drawCell(context, cell, layout);
    this.#drawAxes(context, layout);
    this.#drawOutlines(context, layout);
  }

  /** Returns the width of the longest value of an axis. */
  #labelWidth(context: CanvasRenderingContext2D, axis: number): number {
    const values = this.#model.page.axes[axis]?.values ?? [];
    return values.reduce<number>((max, value) => Math.max(max, context.measureText(String(value)).width), 0);
  }

  /** Sets the canvas to the pixel density of the screen, and its height to that of the rows. */
  #resizeCanvas(context: CanvasRenderingContext2D, { width, height }: MapLayout): void {
    const pixelRatio = devicePixelRatio;
    this.#canvas.width = Math.round(width * pixelRatio);
    this.#canvas.height = Math.round(height * pixelRatio);
    this.#canvas.style.width = `${width}px`;
    this.#canvas.style.height = `${height}px`;
    context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
    context.font = `${FONT_PX}px ${FONT_FAMILY}`;
    context.textBaseline = 'middle';
  }

  /** Returns left, top, width and height of a cell. The lowest value of the axis is at the bottom. Whole pixels keep the gaps even. */
  #boxOf(columnIndex: number, row: number, layout: MapLayout): Box {
    const x = Math.round(layout.left + columnIndex * layout.cellWidth);
    const y = Math.round(TOP + (layout.rows - 1 - row) * layout.cellHeight);
    const right = Math.round(layout.left + (columnIndex + 1) * layout.cellWidth);
    const bottom = Math.round(TOP + (layout.rows - row) * layout.cellHeight);
    return [x, y, right - x, bottom - y];
  }

  /**
   * Draws a cell in the colour of its value, with the value where it fits. A set without a value is grey, a set that did not run is
   * hatched.
   */
  #drawCell(context: CanvasRenderingContext2D, cell: MapCell, layout: MapLayout): void {
    const [x, y, width, height] = this.#boxOf(cell.column, cell.row, layout);
    if (cell.kind === 'none') return;
    const gap = width >= MIN_SIZE_FOR_GAP && height >= MIN_SIZE_FOR_GAP ? 1 : 0;
    if (!Number.isFinite(cell.value)) {
      context.fillStyle = colour('line');
      context.globalAlpha = 0.45;
      context.fillRect(x, y, width - gap, height - gap);
      context.globalAlpha = 1;
      if (cell.kind !== 'ran') drawHatching(context, [x, y, width - gap, height - gap]);
      return;
    }
    const { fill, text } = coloursOf(cell.value, this.#scale);
    context.fillStyle = fill;
    context.fillRect(x, y, width - gap, height - gap);
    if (gap > 0) {
      // A frame separates the cell from the page, because a value near zero has nearly the colour of the page.
      context.strokeStyle = colour('line');
      context.lineWidth = 1;
      context.strokeRect(x + 0.5, y + 0.5, width - gap - 1, height - gap - 1);
    }
    if (width < NUMBER_WIDTH || height < NUMBER_HEIGHT) return;
    context.fillStyle = text;
    context.textAlign = 'center';
    context.fillText(briefValue(cell.value, this.#view.figure.kind), x + width / 2, y + height / 2 + 0.5, width - 4);
  }

  /** Draws names and values of both axes. Values that would overlap are left out. */
  #drawAxes(context: CanvasRenderingContext2D, layout: MapLayout): void {
    const { axes } = this.#model.page;
    const across = axes[this.#view.across];
    const down = this.#view.down === null ? undefined : axes[this.#view.down];
    const bottom = TOP + layout.rows * layout.cellHeight;
    context.fillStyle = colour('muted');
    context.textAlign = 'center';
    const maxLabelWidth = across ? this.#labelWidth(context, this.#view.across) + 10 : 0;
    const columnStep = Math.max(1, Math.ceil(maxLabelWidth / layout.cellWidth));
    across?.values.forEach((value, column) => {
      if (column % columnStep === 0) context.fillText(String(value), layout.left + (column + 0.5) * layout.cellWidth, bottom + 11);
    });
    const middle = layout.left + (layout.columns * layout.cellWidth) / 2;
    context.fillText(axisName(across), middle, bottom + 28);
    if (!down) return;
    context.textAlign = 'right';
    const rowStep = Math.max(1, Math.ceil((FONT_PX + 3) / layout.cellHeight));
    down.values.forEach((value, row) => {
      const y = TOP + (layout.rows - row - 0.5) * layout.cellHeight + 0.5;
      if (row % rowStep === 0) context.fillText(String(value), layout.left - 7, y);
    });
    context.save();
    context.translate(9, TOP + (layout.rows * layout.cellHeight) / 2);
    context.rotate(-Math.PI / 2);
    context.textAlign = 'center';
    context.fillText(axisName(down), 0, 0);
    context.restore();
  }

  /** Outlines the plateau, the best cell and the cell of the cursor. */
  #drawOutlines(context: CanvasRenderingContext2D, layout: MapLayout): void {
    const { best, plateau } = this.#model.page;
    const plateauCell = this.#cells.find(({ set }) => set !== null && set === plateau);
    if (plateauCell) this.#outlineBlock(context, plateauCell, layout);
    const bestCell = this.#cells.find(({ set }) => set !== null && set === best);
    if (bestCell) {
      const bestBox = this.#boxOf(bestCell.column, bestCell.row, layout);
      drawOutline(context, bestBox, { stroke: colour('text'), lineWidth: 2.5, dash: [] });
    }
    const cursorCell = this.#cells[this.#cursor ?? -1];
    if (cursorCell) {
      const cursorBox = shrunkBox(this.#boxOf(cursorCell.column, cursorCell.row, layout));
      drawOutline(context, cursorBox, { stroke: colour('bench'), lineWidth: 2.5, dash: [] });
    }
  }

  /** Outlines the part of the plateau's neighbourhood that is on the map. */
  #outlineBlock(context: CanvasRenderingContext2D, { column, row }: MapCell, layout: MapLayout): void {
    // Only an ordered axis has neighbours.
    const reachOf = (axis: number | null) => (axis !== null && this.#model.page.axes[axis]?.isOrdered ? 1 : 0);
    const columnReach = reachOf(this.#view.across);
    const rowReach = reachOf(this.#view.down);
    const firstColumn = Math.max(0, column - columnReach);
    const lastColumn = Math.min(layout.columns - 1, column + columnReach);
    const lowestRow = Math.max(0, row - rowReach);
    const highestRow = Math.min(layout.rows - 1, row + rowReach);
    const [x, y] = this.#boxOf(firstColumn, highestRow, layout);
    const [lastX, lastY, width, height] = this.#boxOf(lastColumn, lowestRow, layout);
    const block: Box = [x, y, lastX + width - x, lastY + height - y];
    drawOutline(context, block, { stroke: colour('text'), lineWidth: 1.5, dash: [5, 3] });
  }

  /** Moves the cursor to the cell under the pointer if the pointer was pressed. Otherwise only reports the cell. */
  #onPointer(event: PointerEvent, isPressed: boolean): void {
    const layout = this.#layout;
    if (!layout) return;
    const column = Math.floor((event.offsetX - layout.left) / layout.cellWidth);
    const row = layout.rows - 1 - Math.floor((event.offsetY - TOP) / layout.cellHeight);
    const isOnMap = column >= 0 && column < layout.columns && row >= 0 && row < layout.rows;
    const index = isOnMap ? row * layout.columns + column : -1;
    if (isPressed && isOnMap) this.#moveTo(index, true);
    else this.#onCursor(this.#cells[index] ?? this.#cells[this.#cursor ?? -1] ?? null, false);
  }

  /** Moves the cursor by the arrow keys. It starts at the best cell. */
  #onKey(event: KeyboardEvent): void {
    const layout = this.#layout;
    const step = ARROW_STEPS.get(event.key);
    const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
    if (!layout || !step || hasModifier) return;
    event.preventDefault();
    const bestCell = this.#cells.find(({ set }) => set === this.#model.page.best);
    const start = this.#cells[this.#cursor ?? -1] ?? bestCell ?? this.#cells[0];
    if (!start) return;
    const column = Math.min(layout.columns - 1, Math.max(0, start.column + step.columns));
    const row = Math.min(layout.rows - 1, Math.max(0, start.row + step.rows));
    this.#moveTo(row * layout.columns + column, true);
  }

  /** Moves the cursor to a cell. */
  #moveTo(index: number, isChosen: boolean): void {
    this.#cursor = index;
    this.draw();
    this.#onCursor(this.#cells[index] ?? null, isChosen);
  }
}

/** How an outline is drawn. */
interface LineStyle {
  readonly stroke: string;
  /** Width in CSS pixels. */
  readonly lineWidth: number;
  /** Lengths of dashes and gaps in CSS pixels. Empty for a solid line. */
  readonly dash: readonly number[];
}

/** Shrinks the outline of the cursor, so that the outline of the best set stays visible around it. */
function shrunkBox([x, y, width, height]: Box): Box {
  return width > 16 && height > 16 ? [x + 3, y + 3, width - 6, height - 6] : [x, y, width, height];
}

/** Returns the name of an axis with its unit. */
function axisName(axis: { readonly name: string; readonly unit: string } | undefined): string {
  if (!axis) return '';
  return axis.unit === '' ? axis.name : `${axis.name}, ${axis.unit}`;
}

/** Draws the outline of a box. */
function drawOutline(context: CanvasRenderingContext2D, [x, y, width, height]: Box, style: LineStyle): void {
  // A wider line in the page colour separates the outline from any cell colour.
  const halo: LineStyle = { stroke: colour('surface'), lineWidth: style.lineWidth + 2, dash: [] };
  for (const { stroke, lineWidth, dash } of [halo, style]) {
    context.strokeStyle = stroke;
    context.lineWidth = lineWidth;
    context.setLineDash([...dash]);
    context.strokeRect(x - 0.5, y - 0.5, width, height);
  }
  context.setLineDash([]);
}

/** Fills a box with diagonal lines. */
function drawHatching(context: CanvasRenderingContext2D, [x, y, width, height]: Box): void {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.strokeStyle = colour('muted');
  context.globalAlpha = 0.4;
  context.lineWidth = 1;
  context.beginPath();
  for (let offset = -height; offset < width; offset += 6) {
    context.moveTo(x + offset, y + height);
    context.lineTo(x + offset + height, y);
  }
  context.stroke();
  context.restore();
}
