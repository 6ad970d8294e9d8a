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
const page = JSON.parse(byId('page')?.textContent ?? '{}') as SweepPage;

/** Draws everything again. Replaced once the page has its data. */
let redraw = (): void => {};

/** Draws the page, and connects its selectors. */
async function startPage(): Promise<void> {
  const model = await unpackModel(page);
  const canvas = byId('map');
  if (!(canvas instanceof HTMLCanvasElement)) throw new Error('the page has a map');
  let view = firstView(model);
  const map = new HeatMap(canvas, model, view, (cell, isChosen) => setStatus(model, view, cell, isChosen));
  const show = (change: Partial<View>) => {
    view = { ...view, ...change };
    map.show(view);
    drawKey(map, view);
    setStatus(model, view, null, false);
    if (change.figure) drawPictures(model, view);
  };
  addPickers(model, () => view, show);
  connectTableRows(model, map, (pinned) => show({ pinned, isSmooth: false }));
  redraw = () => {
    map.draw();
    drawKey(map, view);
    drawPictures(model, view);
  };
  redraw();
  if (page.best !== null) map.choose(page.best);
  document.documentElement.dataset['state'] = 'ready';
}

/** Draws the charts below the map. */
function drawPictures(model: Model, { figure }: View): void {
  drawSpread(model, figure);
  drawParameters(model, figure);
}

/** Shows the line above the map. After a set is chosen, shows its command. */
function setStatus(model: Model, view: View, cell: MapCell | null, isChosen: boolean): void {
  const line = byId('map-read');
  if (!line) return;
  line.replaceChildren(...(cell === null ? [] : cellLines(model, view, cell)).map((text) => element('span', {}, text)));
  const command = byId('set-command');
  if (!isChosen || !command || cell === null || cell.set === null || cell.kind !== 'ran') return;
  command.textContent = commandOf(model, cell.set);
  const copy = command.parentElement?.querySelector('button');
  if (copy) copy.dataset['copy'] = command.textContent;
  for (const row of document.querySelectorAll('tr[data-set]')) {
    row.setAttribute('aria-selected', String(row.getAttribute('data-set') === String(cell.set)));
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
      ? [`${other.label} ${sweepFigureText(other.values[set] ?? NaN, other.kind, page.asset)}`]
      : [];
  });
  const neighbourText = sweepFigureText(model.neighbours(figure)[set] ?? NaN, figure.kind, page.asset);
  // A smooth map shows the mean of the neighbourhood, but this line is about the set itself.
  const ownValue = isSmooth ? (figure.values[set] ?? NaN) : value;
  const ownText = sweepFigureText(ownValue, figure.kind, page.asset);
  return [params, `${figure.label} ${ownText}`, `neighbours ${neighbourText}`, ...otherFigures];
}

/** Number of colours in the legend. */
const LEGEND_SHADES = 24;

/** Draws the legend of the map colours. */
function drawKey(map: HeatMap, { figure }: View): void {
  const host = byId('map-key');
  if (!host) return;
  const { low, high } = map.scale;
  const shades = Array.from({ length: LEGEND_SHADES }, (_, index) => {
    const shade = element('span');
    const value = low + ((high - low) * index) / (LEGEND_SHADES - 1);
    shade.style.background = coloursOf(value, map.scale).fill;
    return shade;
  });
  const endLabel = (value: number) => element('span', { class: 'end' }, sweepFigureText(value, figure.kind, page.asset));
  host.replaceChildren(endLabel(low), element('span', { class: 'shades', 'aria-hidden': 'true' }, ...shades), endLabel(high));
}

/** Connects the selectors above the map. `currentView` returns the view that the map shows. */
function addPickers(model: Model, currentView: () => View, show: (change: Partial<View>) => void): void {
  onSelect('pick-figure', (value) => {
    const figure = model.figures[Number(value)];
    if (figure) show({ figure });
  });
  onSelect('pick-across', (value) => {
    const { across, down } = currentView();
    const next = Number(value);
    show({ across: next, down: next === down ? across : down });
    updateSelectors(currentView());
  });
  onSelect('pick-down', (value) => {
    const { across, down } = currentView();
    const next = Number(value);
    show({ down: next, across: next === across && down !== null ? down : across });
    updateSelectors(currentView());
  });
  page.axes.forEach((_, axis) => {
    onSelect(`hold-${axis}`, (value) => {
      const pin: PinnedAxis = value === 'best' || value === 'mean' ? value : Number(value);
      show({ pinned: currentView().pinned.map((oldPin, otherAxis) => (otherAxis === axis ? pin : oldPin)) });
    });
  });
  byId('smooth')?.addEventListener('change', (event) => {
    if (event.target instanceof HTMLInputElement) show({ isSmooth: event.target.checked });
  });
  updateSelectors(currentView());
}

/** Updates the selectors to match the map. A parameter that is an axis of the map has no fixed value. */
function updateSelectors({ figure, across, down, pinned }: View): void {
  selectValue(
    'pick-figure',
    page.figures.findIndex(({ name }) => name === figure.name),
  );
  selectValue('pick-across', across);
  if (down !== null) selectValue('pick-down', down);
  pinned.forEach((value, axis) => {
    selectValue(`hold-${axis}`, value);
    const label = byId(`hold-${axis}`)?.closest('label');
    if (label) label.hidden = axis === across || axis === down;
  });
}

/** Calls `onValue` with the new value of a selector. */
function onSelect(id: string, onValue: (value: string) => void): void {
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
        pinAll(page.axes.map((_, axis) => model.places[axis]?.[set] ?? 0));
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
document.addEventListener('isobar-columns', () => void startPage());
