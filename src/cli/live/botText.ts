// Formats the state of a bot for the terminal: at most 100 columns, readable without colour.

import { sanitizeText } from '../../base/text/untrustedText.ts';
import { formatMinute, formatTime } from '../../model/time.ts';
import type { ActAnswer, BotLogLine } from '../../tasks/control/botControl.ts';
import type { BotView, BotOrderView, ScopeView, SeriesView } from '../../tasks/control/botView.ts';
import { wholeText, counted, grouped, NO_VALUE, percent } from '../../base/text/format.ts';
import { alignedTable } from '../terminal/tables.ts';
import { indentText, wrapText } from '../terminal/wrapText.ts';

/** Maximum length of an untrusted text that has a paragraph of its own, in characters. */
const MAX_TEXT_LENGTH = 600;
/** Maximum length of an untrusted text in a line of the log, in characters. */
const MAX_LOG_LENGTH = 1000;
/** Maximum length of an untrusted text at the end of a line, in characters. */
const MAX_NOTE_LENGTH = 60;

// Alignment of the columns of each table, one letter a column: `l` left, `r` right.
const STRATEGY_ALIGNMENT = 'lrlrrr';
const HEADROOM_ALIGNMENT = 'llrrll';
const ORDER_ALIGNMENT = 'lllrrrlr';
const POSITION_ALIGNMENT = 'lllrlrrrl';

/** Returns untrusted text as lines that are indented by `by` spaces. */
const indentedLines = (text: string, by = 2): readonly string[] => indentText(sanitizeText(text, MAX_TEXT_LENGTH), by);
/** Returns an amount with a plus sign if it is above 0. */
const signedText = (text: string): string => (/^[^-].*[1-9]/.test(text) ? `+${grouped(text)}` : grouped(text));

/** Returns a duration in ms as text: `37 s`, `4 min`, `2 h 05 min`, `3 d`. Null becomes a dash. */
export function shortSpanText(durationMs: number | null): string {
  if (durationMs === null) return NO_VALUE;
  const seconds = Math.max(0, Math.round(durationMs / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${String(minutes % 60).padStart(2, '0')} min` : `${Math.floor(hours / 24)} d`;
}

/** Returns the output of `isobar status`. */
export function statusLines(view: BotView): readonly string[] {
  const { name, mode, timeScale, account, pid, startedMs, timeMs, scopes } = view;
  const [accountScope] = scopes;
  const scale = timeScale === 1 ? '' : `, time ${timeScale}x`;
  return [
    `${accountScope?.state ?? NO_VALUE}  ${sanitizeText(name)}  ${mode}${scale}  account ${account}  process ${pid}`,
    `up ${shortSpanText(timeMs - startedMs)}, since ${formatMinute(startedMs)}`,
    ...scopes.flatMap((scope) => causeLines(scope, timeMs)),
    ...killLines(view),
    '',
    ...alignedTable(
      ['strategy', 'equity', '', 'today', 'orders', 'fills'],
      view.strategies.map(({ name: strategy, equity, asset, today, orders, fills }) => [
        strategy,
        grouped(equity),
        asset,
        signedText(today),
        wholeText(orders),
        wholeText(fills),
      ]),
      STRATEGY_ALIGNMENT,
    ),
    '',
    ...orderCounts(view),
    ...(view.headroom.length === 0 ? [] : ['', ...headroomLines(view)]),
    '',
    ...healthLines(view),
  ];
}

/** Returns the halt causes of a scope, each with its age and how it clears. */
function causeLines({ scope, state, causes }: ScopeView, nowMs: number): readonly string[] {
  return causes.flatMap(({ code, why, sinceMs, clearsItself }) => {
    const remedy = clearsItself ? 'clears by itself' : `isobar resume ${scope} --code ${code}`;
    return indentedLines(`${state} ${scope}: ${code}, ${why} (for ${shortSpanText(nowMs - sinceMs)}; ${remedy})`);
  });
}

/** Returns the state of a kill. Empty without one. */
function killLines({ kill }: BotView): readonly string[] {
  if (kill === null) return [];
  return [
    ...indentedLines(`kill${kill.flatten ? ' and flatten' : ''} by ${kill.who}: ${kill.phase}, ${kill.message}`),
    ...kill.residuals.flatMap((residual) => indentedLines(residual, 4)),
  ];
}

/** Returns the numbers of orders by state, and the totals since the start. */
function orderCounts({ open, unknown, provenAbsent, foreignOrders, counts }: BotView): readonly string[] {
  const parts = [
    `${open.length} open`,
    `${unknown.length} of unknown outcome`,
    `${provenAbsent.length} proven absent`,
    `${foreignOrders.length} foreign`,
  ];
  const totals = [
    `${wholeText(counts.ordersSent)} sent`,
    counted(counts.fills, 'fill'),
    `${wholeText(counts.ordersDenied)} denied by risk`,
    `${wholeText(counts.ordersRefused)} refused`,
  ];
  return [`orders    ${parts.join(', ')}`, `total     ${totals.join(', ')}`];
}

/** Returns a table of the limits, with the used part of each. */
function headroomLines({ headroom }: BotView): readonly string[] {
  return alignedTable(
    ['limit', 'of', 'used', 'max', 'unit', ''],
    headroom.map(({ limit, scope, used, max, unit }) => [
      limit,
      scope,
      limitText(used, unit),
      limitText(max, unit),
      unit === 'fraction' ? '' : unit,
      usedBar(used, max),
    ]),
    HEADROOM_ALIGNMENT,
  );
}

/** Returns a value of a limit in its unit. */
const limitText = (amount: string, unit: string): string => (unit === 'fraction' ? percent(Number(amount)) : grouped(amount));

/** Returns a bar of ten cells and the used part of a limit in percent. */
function usedBar(used: string, max: string): string {
  const fraction = Number(max) > 0 ? Math.min(1, Math.max(0, Number(used) / Number(max))) : 0;
  const fullCells = Math.round(fraction * 10);
  return `${'▇'.repeat(fullCells)}${'▁'.repeat(10 - fullCells)} ${wholeText(fraction * 100)} %`;
}

/** Returns the newest value of an external series. A value can be ahead of its time, such as a forecast. */
function seriesLine({ name, source, value, knownMs, ageMs }: SeriesView, nowMs: number): string {
  const title = `series    ${sanitizeText(name)} (${source}):`;
  if (value === null || knownMs === null || ageMs === null) return `${title} no value yet`;
  const ageText = ageMs < 0 ? `of ${shortSpanText(-ageMs)} ahead` : `of ${shortSpanText(ageMs)} ago`;
  return `${title} ${value}, ${ageText}, known for ${shortSpanText(nowMs - knownMs)}`;
}

/** Returns the age of a feed's newest bar. */
function feedLine({ instrument, interval, ageMs, maxAgeMs }: BotView['feeds'][number]): string {
  return `data      ${instrument} ${interval}: newest bar closed ${shortSpanText(ageMs)} ago (at most ${shortSpanText(maxAgeMs)})`;
}

/** Returns the offset of a venue's clock with its uncertainty. */
function clockLine({ market, offsetMs, uncertaintyMs, maxUncertaintyMs }: BotView['clocks'][number]): string {
  const offsetText = offsetMs === null ? 'not measured' : `${Math.round(offsetMs)} ms off, uncertainty ${Math.ceil(uncertaintyMs ?? 0)} ms`;
  return `clock     ${market}: ${offsetText} (at most ${maxUncertaintyMs} ms)`;
}

/** Returns the result and the age of the last audit. */
function auditLine({ fastMs: auditedMs, result, maxAgeMs, message }: BotView['audit'], nowMs: number): string {
  const resultText = auditedMs === null ? 'none yet' : `${result}, ${shortSpanText(nowMs - auditedMs)} ago`;
  const messageText = message === '' ? '' : `: ${sanitizeText(message, MAX_NOTE_LENGTH)}`;
  return `audit     ${resultText} (at most ${shortSpanText(maxAgeMs)})${messageText}`;
}

/** Returns how far the journal is durable, or why it failed. */
function journalLine({ failure, durableSeq, lastSeq }: BotView['journal']): string {
  if (failure !== null) return `journal   FAILED: ${sanitizeText(failure, MAX_NOTE_LENGTH)}`;
  return `journal   record ${wholeText(durableSeq)} on the disk, ${wholeText(lastSeq - durableSeq)} not yet durable`;
}

/** Returns the state of the data, the clocks, the audit, the journal, the rate limits and the process. */
function healthLines({
  feeds,
  series,
  clocks,
  audit,
  journal,
  budget: rateClasses,
  timeMs,
  loopDelayP99Ms,
  rssBytes,
}: BotView): readonly string[] {
  const delayText = loopDelayP99Ms === null ? '' : `, event loop ${loopDelayP99Ms.toFixed(1)} ms at p99`;
  const stoppedClasses = rateClasses.filter(({ stoppedUntilMs }) => stoppedUntilMs !== null);
  const [fullestClass] = rateClasses.toSorted((a, b) => b.used / b.max - a.used / a.max);
  return [
    ...feeds.map(feedLine),
    ...series.map((view) => seriesLine(view, timeMs)),
    ...clocks.map(clockLine),
    auditLine(audit, timeMs),
    journalLine(journal),
    ...(fullestClass
      ? [
          `requests  fullest: ${fullestClass.name}, ${wholeText(fullestClass.used)} of ${wholeText(fullestClass.max)} in ${fullestClass.windowMs / 1000} s`,
        ]
      : []),
    ...stoppedClasses.map(({ name, stoppedUntilMs }) => `requests  ${name} is stopped until ${formatTime(stoppedUntilMs ?? 0)}`),
    `process   ${wholeText(rssBytes / 2 ** 20)} MiB${delayText}`,
  ];
}

/** Returns the output of `isobar orders`: first the orders about which the operator may have to decide. */
export function orderLines({ open, unknown, provenAbsent, foreignOrders, timeMs }: BotView): readonly string[] {
  const row = (order: BotOrderView): readonly string[] => [
    order.cid,
    order.instrument,
    order.side,
    order.qty === null ? `${grouped(order.amount ?? '0')} (amount)` : grouped(order.qty),
    order.price === null ? 'market' : grouped(order.price),
    grouped(order.filled),
    order.lifecycle,
    shortSpanText(timeMs - order.createdMs),
  ];
  const headings = ['order', 'instrument', 'side', 'quantity', 'price', 'filled', 'state', 'age'];
  const orderTable = (title: string, orders: readonly BotOrderView[]): readonly string[] =>
    orders.length === 0 ? [] : [title, ...alignedTable(headings, orders.map(row), ORDER_ALIGNMENT), ''];
  const lines = [
    ...orderTable('Of unknown outcome', unknown),
    ...unknown.flatMap(({ cid, cause, doing: nextStep, needsPerson: needsOperator }) => {
      const remedy = needsOperator ? `; isobar orders resolve ${cid} --outcome ... --why ...` : '';
      return indentedLines(`${cid}: ${cause}; ${nextStep}${remedy}`);
    }),
    ...(unknown.length > 0 ? [''] : []),
    ...(foreignOrders.length > 0 ? ['Not ours: adopt or ignore'] : []),
    ...foreignOrders.flatMap(({ kind, id, instrument, message, seenMs }) =>
      indentedLines(`${kind} ${id} ${instrument}: ${message} (seen ${shortSpanText(timeMs - seenMs)} ago)`),
    ),
    ...(foreignOrders.length > 0 ? [''] : []),
    ...orderTable('Open', open),
    ...orderTable('Proven absent, still watched', provenAbsent),
  ];
  if (lines.length === 0) return ['no open orders'];
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** Returns the output of `isobar positions`. */
export function positionLines({ positions }: BotView): readonly string[] {
  if (positions.length === 0) return ['no positions'];
  return alignedTable(
    ['strategy', 'instrument', 'side', 'quantity', '', 'entry', 'last', 'profit', ''],
    positions.map(({ strategy, instrument, side, qty, base, entryPrice, lastPrice, profit, quote }) => [
      strategy,
      instrument,
      side,
      grouped(qty),
      base,
      entryPrice === null ? NO_VALUE : grouped(entryPrice),
      lastPrice === null ? NO_VALUE : grouped(lastPrice),
      profit === null ? NO_VALUE : signedText(profit),
      quote,
    ]),
    POSITION_ALIGNMENT,
  );
}

/** Returns a line of the log as text. */
export function logText({ timeMs, level, message }: BotLogLine): string {
  return `${formatTime(timeMs)} ${level.padEnd(5)} ${sanitizeText(message, MAX_LOG_LENGTH)}`;
}

/** Returns the message of the bot after an action. */
export const actReplyLines = ({ message }: ActAnswer): readonly string[] => wrapText(sanitizeText(message, MAX_TEXT_LENGTH));
