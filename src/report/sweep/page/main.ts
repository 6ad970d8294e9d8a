// The script of the sweep page in the browser: the map with its selectors, the charts, the table, and the command of the chosen set.
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

import { addCopying, addKeys, addPrinting, addScrollCues, addTheme, addTips, addWidths } from '../../page/browser/controls.ts';
import { byId, element } from '../../page/browser/dom.ts';
import { HeatMap } from './heatMap.ts';
import { commandOf, paramsOf, sweepFigureText, unpackModel, type Model } from './model.ts';
import { drawParameters, drawSpread } from './pictures.ts';
import { coloursOf } from './scale.ts';
import { firstView, type MapCell, type PinnedAxis, type View } from './view.ts';
import type { SweepPage } from './wire.ts';

// The page writer guarantees that the JSON has this type.
const pageData = JSON.parse(byId('page')?.textContent ?? '{}') as SweepPage;

/** Draws everything again. Replaced once the page has its data. */
let redraw = (): void => {};

/** Draws the page, and connects its selectors. */
async function startPage(): Promise<void> {
  const model = await unpackModel(pageData);
  const canvas = byId('map');
  if (!(canvas instanceof HTMLCanvasElement)) throw new Error('the page has a map');
  let view = firstView(model);
  const map = new HeatMap(canvas, model, view, (cell, isChosen) => {
    showCell(model, view, cell);
    if (isChosen && cell !== null) showCommand(model, cell);
  });
  const changeView = (change: Partial<View>) => {
    view = { ...view, ...change };
    map.show(view);
    drawLegend(map, view);
    showCell(model, view, null);
    if (change.figure) drawCharts(model, view);
  };
  connectSelectors(model, () => view, changeView);
  connectTableRows(model, map, (pinned) => changeView({ pinned, isSmooth: false }));
  redraw = () => {
    map.draw();
    drawLegend(map, view);
    drawCharts(model, view);
  };
  redraw();
  if (pageData.best !== null) map.choose(pageData.best);
  document.documentElement.dataset['state'] = 'ready';
}

/** Draws the charts below the map. */
function drawCharts(model: Model, { figure }: View): void {
  drawSpread(model, figure);
  drawParameters(model, figure);
}

/** Shows the figures of a cell in the line above the map, which is empty without a cell. */
function showCell(model: Model, view: View, cell: MapCell | null): void {
  const texts = cell === null ? [] : cellLines(model, view, cell);
  byId('map-read')?.replaceChildren(...texts.map((text) => element('span', {}, text)));
}

/** Shows the command that runs the set of a cell, and marks the set in the table. Does nothing unless the set ran. */
function showCommand(model: Model, { set, kind }: MapCell): void {
  const command = byId('set-command');
  if (!command || set === null || kind !== 'ran') return;
  command.textContent = commandOf(model, set);
  const copyButton = command.parentElement?.querySelector('button');
  if (copyButton) copyButton.dataset['copy'] = command.textContent;
  for (const row of document.querySelectorAll('tr[data-set]')) {
    row.setAttribute('aria-selected', String(row.getAttribute('data-set') === String(set)));
  }
}

/** Returns the texts about the cell under the cursor. */
function cellLines(model: Model, { figure, isSmooth }: View, { set, kind, value }: MapCell): readonly string[] {
  if (set === null) return ['no set was run here'];
  const params = paramsOf(model, set);
  if (kind === 'refused') return [params, 'refused by the strategy'];
  if (kind === 'failed') return [params, 'failed'];
  const figureNamed = (name: string) => model.figures.find((candidate) => candidate.name === name);
  const otherFigures = ['sharpe', 'totalReturn', 'maxDrawdown', 'trades'].flatMap((name) => {
    const other = figureNamed(name);
    return other && other.name !== figure.name
      ? [`${other.label} ${sweepFigureText(other.values[set] ?? NaN, other.kind, pageData.asset)}`]
      : [];
  });
  const neighbourText = sweepFigureText(model.neighbours(figure)[set] ?? NaN, figure.kind, pageData.asset);
  // A smooth map shows the mean of the neighbourhood, but this line is about the set itself.
  const ownValue = isSmooth ? (figure.values[set] ?? NaN) : value;
  const ownText = sweepFigureText(ownValue, figure.kind, pageData.asset);
  return [params, `${figure.label} ${ownText}`, `neighbours ${neighbourText}`, ...otherFigures];
}

/** Number of colours in the legend. */
const LEGEND_SHADES = 24;

/** Draws the legend of the map colours. */
function drawLegend(map: HeatMap, { figure }: View): void {
  const host = byId('map-key');
  if (!host) return;
  const { low, high } = map.scale;
  const shades = Array.from({ length: LEGEND_SHADES }, (_, index) => {
    const shade = element('span');
    const value = low + ((high - low) * index) / (LEGEND_SHADES - 1);
    shade.style.background = coloursOf(value, map.scale).fill;
    return shade;
  });
  const endLabel = (value: number) => element('span', { class: 'end' }, sweepFigureText(value, figure.kind, pageData.asset));
  host.replaceChildren(endLabel(low), element('span', { class: 'shades', 'aria-hidden': 'true' }, ...shades), endLabel(high));
}

/** Connects the selectors above the map. `currentView` returns the view that the map shows. */
function connectSelectors(model: Model, currentView: () => View, changeView: (change: Partial<View>) => void): void {
  listenToSelect('pick-figure', (value) => {
    const figure = model.figures[Number(value)];
    if (figure) changeView({ figure });
  });
  // Choosing the parameter of the other axis swaps the two axes.
  listenToSelect('pick-across', (value) => {
    const { across, down } = currentView();
    const newAcross = Number(value);
    changeView({ across: newAcross, down: newAcross === down ? across : down });
    updateSelectors(currentView());
  });
  listenToSelect('pick-down', (value) => {
    const { across, down } = currentView();
    const newDown = Number(value);
    changeView({ down: newDown, across: newDown === across && down !== null ? down : across });
    updateSelectors(currentView());
  });
  pageData.axes.forEach((_, axis) => {
    listenToSelect(`hold-${axis}`, (value) => {
      const pin: PinnedAxis = value === 'best' || value === 'mean' ? value : Number(value);
      changeView({ pinned: currentView().pinned.map((oldPin, otherAxis) => (otherAxis === axis ? pin : oldPin)) });
    });
  });
  byId('smooth')?.addEventListener('change', (event) => {
    if (event.target instanceof HTMLInputElement) changeView({ isSmooth: event.target.checked });
  });
  updateSelectors(currentView());
}

/** Sets the selectors to the values of the view. */
function updateSelectors({ figure, across, down, pinned }: View): void {
  selectValue(
    'pick-figure',
    pageData.figures.findIndex(({ name }) => name === figure.name),
  );
  selectValue('pick-across', across);
  if (down !== null) selectValue('pick-down', down);
  pinned.forEach((value, axis) => {
    selectValue(`hold-${axis}`, value);
    const label = byId(`hold-${axis}`)?.closest('label');
    // An axis of the map shows all values of its parameter, so no value can be chosen.
    if (label) label.hidden = axis === across || axis === down;
  });
}

/** Calls `onValue` with each new value of a selector. */
function listenToSelect(id: string, onValue: (value: string) => void): void {
  byId(id)?.addEventListener('change', (event) => {
    if (event.target instanceof HTMLSelectElement) onValue(event.target.value);
  });
}

/** Sets the value of a selector. */
function selectValue(id: string, value: number | string): void {
  const select = byId(id);
  if (select instanceof HTMLSelectElement) select.value = String(value);
}

/** Makes the table rows selectable. A row shows its set on the map and, where needed, sets the other parameters to the set's values. */
function connectTableRows(model: Model, map: HeatMap, pinAll: (pinned: readonly PinnedAxis[]) => void): void {
  for (const row of document.querySelectorAll<HTMLElement>('tr[data-set]')) {
    const showSet = () => {
      const set = Number(row.dataset['set']);
      if (!map.choose(set)) {
        pinAll(pageData.axes.map((_, axis) => model.places[axis]?.[set] ?? 0));
        map.choose(set);
      }
      byId('map-section')?.scrollIntoView({ block: 'nearest' });
    };
    row.addEventListener('click', showSet);
    row.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      showSet();
    });
  }
}

const theme = addTheme(() => redraw());
addTips();
addCopying();
addPrinting(() => redraw());
addWidths(() => redraw());
addScrollCues();
addKeys({
  t: theme.next,
  m: () => byId('map')?.focus(),
  n: () => byId('smooth')?.click(),
});
// The last script of the page sends this event, when all data of the page are parsed (src/report/page/shell.ts).
document.addEventListener('isobar-columns', () => void startPage());
