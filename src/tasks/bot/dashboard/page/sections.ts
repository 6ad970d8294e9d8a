// Fills the sections of the dashboard page from a view of the bot.
/// <reference lib="dom" />

import type { BotView, BotOrderView } from '../../../control/botView.ts';
import { byId, element } from '../../../../report/page/browser/dom.ts';
import { clockText, wholeText, counted, grouped, minuteText, NO_VALUE, percent, THIN } from '../../../../base/text/format.ts';
import {
  ageText,
  cell,
  shortMoneyText,
  msText,
  setHidden,
  setText,
  showTable,
  signedText,
  signKind,
  twoDecimals,
  type TableCell,
} from './table.ts';

/** What the buttons of the list "Needs your eye" do. `description` names the order or fill in the dialog. */
export interface ItemActs {
  adopt(id: string, description: string): void;
  ignore(id: string, description: string): void;
  resolve(cid: string, outcome: 'placed' | 'noEffect'): void;
}

type HaltCauseView = BotView['scopes'][number]['causes'][number];

/** The risk states, the best one first. */
const STATES_BEST_FIRST = ['RUN', 'HALT_NEW', 'CANCEL_ONLY', 'KILLED'];

/** Shows the worst risk state and its first cause. */
export function showState({ scopes, timeMs }: BotView): void {
  const [worstScope] = scopes.toSorted((a, b) => STATES_BEST_FIRST.indexOf(b.state) - STATES_BEST_FIRST.indexOf(a.state));
  const riskState = worstScope?.state ?? 'RUN';
  byId('state')?.setAttribute('data-state', riskState);
  setText('state-word', riskState);
  const [firstCause] = worstScope?.causes ?? [];
  const causeCount = scopes.reduce((sum, { causes }) => sum + causes.length, 0);
  const reason = firstCause && worstScope ? causeText(worstScope.scope, firstCause, timeMs) : 'everything that the rules allow';
  setText('state-why', causeCount > 1 ? `${reason} (and ${causeCount - 1} more)` : reason);
}

/** Returns the scope, code, reason and age of a halt cause, and who clears it. */
function causeText(scope: string, { code, why, sinceMs, clearsItself }: HaltCauseView, nowMs: number): string {
  const scopeText = scope === 'account' ? '' : `${scope}: `;
  const clearing = clearsItself ? 'clears by itself' : 'the operator clears it';
  return `${scopeText}${code}, ${why}, for ${ageText(nowMs - sinceMs)}; ${clearing}`;
}

/** Shows which bot this is, and what the token allows. */
export function showWho({ name, mode, timeScale, account, version, startedMs, timeMs }: BotView, allowed: string): void {
  const scale = timeScale === 1 ? '' : `, time ${timeScale}x`;
  const facts = [
    name,
    `${mode}${scale}`,
    `account ${account}`,
    `up ${ageText(timeMs - startedMs)}`,
    minuteText(timeMs),
    `isobar ${version}`,
    `token: ${allowed}`,
  ];
  setText('who', facts.join(' · '));
  document.title = `${name} · ${mode}`;
}

/** Shows equity, counts and the last audit as cards. */
export function showCards({ equity, open, unknown, positions, counts, audit, timeMs }: BotView): void {
  const equityCards = equity.map(({ asset, now, today }) => {
    const changeText = `since 00:00 UTC ${signedText(twoDecimals(today))}`;
    return card({ label: 'Equity', value: shortMoneyText(now), unit: asset, secondLine: changeText, kind: signKind(today) });
  });
  const areAllKnown = unknown.length === 0;
  const isAuditOk = audit.result === 'ok';
  byId('cards')?.replaceChildren(
    ...equityCards,
    card({ label: 'Positions', value: wholeText(positions.length), secondLine: `${counted(counts.fills, 'fill')} since the start` }),
    card({
      label: 'Open orders',
      value: wholeText(open.length),
      secondLine: `${wholeText(counts.ordersSent)} sent, ${wholeText(counts.ordersDenied)} denied`,
    }),
    card({
      label: 'Unknown',
      value: wholeText(unknown.length),
      secondLine: areAllKnown ? 'every outcome is known' : 'being looked for',
      kind: areAllKnown ? 'text' : 'amber',
    }),
    card({
      label: 'Last audit',
      value: audit.fastMs === null ? NO_VALUE : ageText(timeMs - audit.fastMs),
      secondLine: isAuditOk ? 'no difference' : audit.message || audit.result,
      kind: isAuditOk ? 'text' : 'amber',
    }),
  );
}

/** The content of a card. `kind` gives its second line a colour; `amber` marks the whole card as bad. */
interface CardContent {
  readonly label: string;
  readonly value: string;
  readonly unit?: string;
  readonly secondLine: string;
  readonly kind?: TableCell['kind'];
}

/** Returns a card with a label, a value with its unit, and a second line. */
function card({ label, value, unit = '', secondLine, kind = 'text' }: CardContent): HTMLElement {
  const unitText = unit === '' ? '' : ` ${unit}`;
  return element(
    'div',
    { class: 'card' },
    element('div', { class: 'label' }, label),
    element('div', { class: kind === 'amber' ? 'value amber' : 'value' }, value, element('span', { class: 'unit' }, unitText)),
    element('div', { class: kind === 'text' ? 'sub' : `sub ${kind}` }, secondLine),
  );
}

/** Lists orders of unknown outcome and foreign orders, with buttons if the user may operate. */
export function showUnknown({ unknown, foreignOrders, timeMs }: BotView, acts: ItemActs, mayOperate: boolean): void {
  setHidden('unknown', unknown.length + foreignOrders.length === 0);
  const listEntry = (text: string, buttons: readonly HTMLElement[]): HTMLElement =>
    element('div', { class: 'item' }, element('p', {}, text), element('div', { class: 'acts' }, ...(mayOperate ? buttons : [])));
  const unknownEntries = unknown.map((order) => {
    const { cid, createdMs, cause, doing, needsPerson } = order;
    const text = `Order ${cid}, ${orderText(order)}, unknown for ${ageText(timeMs - createdMs)}: ${cause}; ${doing}.`;
    if (!needsPerson) return listEntry(text, []);
    const placedButton = button('It was placed', () => acts.resolve(cid, 'placed'));
    const noEffectButton = button('It had no effect', () => acts.resolve(cid, 'noEffect'));
    return listEntry(text, [placedButton, noEffectButton]);
  });
  const foreignEntries = foreignOrders.map(({ kind, id, instrument, message, seenMs }) => {
    const description = `${kind} ${id}`;
    return listEntry(`Not ours: ${description} on ${instrument}, ${message}, seen ${ageText(timeMs - seenMs)} ago.`, [
      button('Adopt', () => acts.adopt(id, description)),
      button('Ignore', () => acts.ignore(id, description)),
    ]);
  });
  byId('unknown-list')?.replaceChildren(...unknownEntries, ...foreignEntries);
}

/** Returns a button that calls `onClick`. */
function button(label: string, onClick: () => void): HTMLElement {
  const node = element('button', {}, label);
  node.addEventListener('click', onClick);
  return node;
}

const qtyOf = ({ qty, amount }: BotOrderView): string => (qty === null ? `${grouped(amount ?? '0')} (amount)` : grouped(qty));
/** Returns the terms of an order, such as `buy 0.5 of spot:BTCUSDT at 60 000`. */
function orderText(order: BotOrderView): string {
  const priceText = order.price === null ? 'at market' : `at ${grouped(order.price)}`;
  return `${order.side} ${qtyOf(order)} of ${order.instrument} ${priceText}`;
}

/** Shows each limit with its used part. */
export function showHeadroom({ headroom }: BotView): void {
  const rows = headroom.map(({ limit, scope, used, max, unit, code }) => {
    const usedPart = Number(max) > 0 ? Math.max(0, Number(used) / Number(max)) : 0;
    const bar = element('meter', {
      min: '0',
      max: '1',
      low: '0.7',
      high: '0.9',
      optimum: '0',
      value: String(Math.min(1, usedPart)),
      title: code,
    });
    const amounts =
      unit === 'fraction' ? `${percent(Number(used))} of ${percent(Number(max))}` : `${grouped(used)} of ${grouped(max)} ${unit}`;
    const name = element('span', {}, scope === 'account' ? limit : `${limit}, ${scope}`);
    const usedText = element('span', { class: 'mono' }, `${amounts}, ${wholeText(usedPart * 100)}${THIN}% used`);
    return element('div', { class: 'limit' }, element('div', {}, name, usedText), bar);
  });
  byId('limits')?.replaceChildren(
    ...(rows.length > 0 ? rows : [element('p', { class: 'empty' }, 'No limits are set: add some under risk in the config.')]),
  );
}

/** Returns the age of a value, as seen from now. */
const seriesAge = (ageMs: number): string => (ageMs < 0 ? `of ${ageText(-ageMs)} ahead` : `of ${ageText(ageMs)} ago`);

/** Shows data age, clocks, request budgets, the audit, the journal and the process. */
export function showHealth(view: BotView): void {
  const root = byId('checks');
  root?.setAttribute('class', 'checks');
  root?.replaceChildren(...dataRows(view), ...exchangeRows(view), ...processRows(view));
}

/** Returns a row of the list of checks. A bad value is highlighted. */
function checkRow(label: string, value: string, isBad = false): HTMLElement {
  return element('div', { class: isBad ? 'row bad' : 'row' }, element('span', {}, label), element('span', { class: 'mono' }, value));
}

/** Returns the rows about the age of bars and of external series. */
function dataRows({ feeds, series }: BotView): readonly HTMLElement[] {
  return [
    ...feeds.map(({ instrument, interval, ageMs, maxAgeMs }) =>
      checkRow(`Data age, ${instrument} ${interval}`, `${ageText(ageMs)} of ${ageText(maxAgeMs)}`, ageMs === null || ageMs > maxAgeMs),
    ),
    ...series.map(({ name, source, value, ageMs }) =>
      checkRow(`Series ${name}, ${source}`, value === null ? 'no value yet' : `${value}, ${seriesAge(ageMs ?? 0)}`),
    ),
  ];
}

/** Number of request budgets that the page shows. */
const MAX_BUDGETS = 4;

/** Returns the rows about the clocks of the exchange and the request budgets that are used most. */
function exchangeRows({ clocks, budget, timeMs }: BotView): readonly HTMLElement[] {
  const clockRows = clocks.map(({ market, offsetMs, uncertaintyMs, maxUncertaintyMs }) => {
    const measuredText = `${msText(offsetMs ?? 0)} ±${Math.ceil(uncertaintyMs ?? 0)} of ${maxUncertaintyMs}${THIN}ms`;
    const isBad = uncertaintyMs === null || uncertaintyMs > maxUncertaintyMs;
    return checkRow(`Clock offset, ${market}`, offsetMs === null ? 'not measured' : measuredText, isBad);
  });
  const fullestFirst = budget.toSorted((a, b) => b.used / b.max - a.used / a.max);
  const budgetRows = fullestFirst.slice(0, MAX_BUDGETS).map(({ name, used, max, windowMs, stoppedUntilMs }) => {
    if (stoppedUntilMs !== null) return checkRow(`Requests, ${name}`, `stopped for ${ageText(stoppedUntilMs - timeMs)}`, true);
    return checkRow(`Requests, ${name}`, `${wholeText(used)} of ${wholeText(max)} in ${windowMs / 1000}${THIN}s`);
  });
  return [...clockRows, ...budgetRows];
}

/** Returns the rows about the last audit, the journal and the process. */
function processRows({ audit, journal, timeMs, loopDelayP99Ms, rssBytes }: BotView): readonly HTMLElement[] {
  const auditText = audit.fastMs === null ? 'none yet' : `${audit.result}, ${ageText(timeMs - audit.fastMs)} of ${ageText(audit.maxAgeMs)}`;
  const delayText = loopDelayP99Ms === null ? '' : `, loop ${loopDelayP99Ms.toFixed(1)}${THIN}ms`;
  return [
    checkRow('Last audit', auditText, audit.result !== 'ok'),
    checkRow('Journal', journal.failure ?? `record ${wholeText(journal.durableSeq)} on disk`, journal.failure !== null),
    checkRow('Process', `${wholeText(rssBytes / 2 ** 20)}${THIN}MiB${delayText}`),
  ];
}

/** Shows strategies, positions, open orders and fills. */
export function showTables(view: BotView): void {
  showStrategies(view);
  showPositions(view);
  showOpenOrders(view);
  showFills(view);
}

/** Shows a row for each strategy. */
function showStrategies({ strategies }: BotView): void {
  showTable(
    'strategy-table',
    ['<Strategy', '<Asset', 'Equity', 'Today', 'Orders', 'Fills'],
    strategies.map(({ name, asset, equity, today, orders, fills: filled }) => [
      cell(name),
      cell(asset),
      cell(grouped(equity)),
      cell(signedText(today), signKind(today)),
      cell(wholeText(orders)),
      cell(wholeText(filled)),
    ]),
    'No strategy.',
  );
}

/** Shows a row for each open position. */
function showPositions({ positions }: BotView): void {
  showTable(
    'position-table',
    ['<Instrument', '<Strategy', '<Side', 'Quantity', 'Entry', 'Last', 'Profit'],
    positions.map(({ instrument, strategy, side, qty, base, entryPrice, lastPrice, profit, quote }) => [
      cell(instrument),
      cell(strategy),
      cell(side === 'long' ? '▲ long' : '▼ short', side === 'long' ? 'gain' : 'loss'),
      cell(`${grouped(qty)} ${base}`),
      cell(entryPrice === null ? NO_VALUE : grouped(entryPrice)),
      cell(lastPrice === null ? NO_VALUE : grouped(lastPrice)),
      profit === null ? cell(NO_VALUE) : cell(`${signedText(profit)} ${quote}`, signKind(profit)),
    ]),
    'Flat: nothing is held.',
  );
}

/** Shows a row for each open order. */
function showOpenOrders({ open, timeMs }: BotView): void {
  showTable(
    'order-table',
    ['<Instrument', '<Strategy', '<Side', 'Quantity', 'Price', 'Filled', '<State', 'Age', '<Order'],
    open.map((order) => [
      cell(order.instrument),
      cell(order.strategy),
      cell(order.side === 'buy' ? '▲ buy' : '▼ sell', order.side === 'buy' ? 'gain' : 'loss'),
      cell(qtyOf(order)),
      cell(order.price === null ? 'market' : grouped(order.price)),
      cell(grouped(order.filled)),
      cell(order.lifecycle),
      cell(ageText(timeMs - order.createdMs)),
      cell(order.cid),
    ]),
    'No open order.',
  );
}

/** Number of the newest fills that the page shows. */
const MAX_FILLS = 20;

/** Shows the newest fills, newest first. */
function showFills({ fills }: BotView): void {
  showTable(
    'fill-table',
    ['<Time', '<Instrument', '<Side', 'Quantity', 'Price', 'Fee', '<Strategy'],
    fills
      .slice(-MAX_FILLS)
      .toReversed()
      .map(({ timeMs: atMs, instrument, side, qty, price, fee, feeCoin, strategy }) => [
        cell(`${minuteText(atMs).slice(0, 10)} ${clockText(atMs)}`),
        cell(instrument),
        cell(side === 'buy' ? '▲ buy' : '▼ sell', side === 'buy' ? 'gain' : 'loss'),
        cell(grouped(qty)),
        cell(grouped(price)),
        cell(`${grouped(fee)} ${feeCoin}`),
        cell(strategy ?? 'not ours'),
      ]),
    'No fill since the start.',
  );
}

/** Sequence number of the newest decision on the page. */
let shownSeq = -1;

/** Lists the decisions, newest first, if there are new ones. */
export function showDecisions({ decisions }: BotView): void {
  const newest = decisions.at(-1)?.seq ?? 0;
  if (newest === shownSeq) return;
  shownSeq = newest;
  const rows = decisions.toReversed().map(({ timeMs, level, strategy, code, message }) => {
    const strategyText = strategy === null ? '' : `${strategy}: `;
    const codeText = code === null ? '' : ` (${code})`;
    const time = element('span', { class: 'muted mono' }, clockText(timeMs));
    return element('li', { class: level }, time, element('p', {}, `${strategyText}${message}${codeText}`));
  });
  byId('decision-list')?.replaceChildren(
    ...(rows.length > 0 ? rows : [element('li', {}, element('p', { class: 'empty' }, 'Nothing was decided yet.'))]),
  );
}

/** Shows the phase of a kill, and what it could not settle. */
export function showKill({ kill }: BotView): void {
  setHidden('kill-progress', kill === null);
  if (kill === null) return;
  const lines = [
    `${kill.flatten ? 'Cancel and flatten' : 'Cancel'}, by ${kill.who}: ${kill.phase}. ${kill.message}`,
    ...kill.residuals.map((residual) => `Not settled: ${residual}`),
  ];
  byId('kill-says')?.replaceChildren(...lines.map((line, index) => element('p', { class: index === 0 ? '' : 'amber' }, line)));
}
