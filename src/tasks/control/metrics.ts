// Formats a bot's view as Prometheus metrics (text format 0.0.4). config/alerts.yml uses these names.

import { RISK_STATES } from '../../risk/live/halts.ts';
import type { BotView } from './botView.ts';

type Labels = Readonly<Record<string, string>>;

/** One sample of a metric: its labels and value. */
interface Sample {
  readonly labels?: Labels;
  readonly value: number | null;
}

/** Returns the value of a label, escaped. */
const escaped = (value: string): string => value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');

/** Returns one metric with its samples; empty without a sample. */
function metric(name: string, kind: 'gauge' | 'counter', help: string, samples: readonly Sample[]): string {
  const lines = samples.flatMap(({ labels = {}, value }) => {
    if (value === null || !Number.isFinite(value)) return [];
    const labelTexts = Object.entries(labels).map(([label, content]) => `${label}="${escaped(content)}"`);
    const labelPart = labelTexts.length > 0 ? `{${labelTexts.join(',')}}` : '';
    return [`${name}${labelPart} ${value}`];
  });
  return lines.length === 0 ? '' : `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${lines.join('\n')}\n`;
}

/** Returns ms as seconds; null stays null. */
const seconds = (ms: number | null): number | null => (ms === null ? null : ms / 1000);
/** Returns the age of a time in seconds. */
const ageSeconds = (view: BotView, ms: number | null): number | null => (ms === null ? null : Math.max(0, (view.timeMs - ms) / 1000));

/** Returns all metrics. Every name begins with `isobar_`. Unknown values are left out. */
export function metricsText(view: BotView): string {
  return [...stateMetrics(view), ...orderMetrics(view), ...moneyMetrics(view), ...healthMetrics(view)].join('');
}

/** Returns the metrics of the bot and its risk states. */
function stateMetrics(view: BotView): readonly string[] {
  const info = { name: view.name, version: view.version, mode: view.mode, account: view.account };
  return [
    metric('isobar_info', 'gauge', 'Which bot this is; always 1', [{ labels: info, value: 1 }]),
    metric('isobar_start_time_seconds', 'gauge', 'When the bot started, Unix time', [{ value: view.startedMs / 1000 }]),
    metric(
      'isobar_state',
      'gauge',
      'Risk state of a scope: 0 RUN, 1 HALT_NEW, 2 CANCEL_ONLY, 3 KILLED',
      view.scopes.map(({ scope, state }) => ({ labels: { scope }, value: RISK_STATES.indexOf(state) })),
    ),
    metric(
      'isobar_cause',
      'gauge',
      'A cause that holds; always 1',
      view.scopes.flatMap(({ scope, causes }) =>
        causes.map(({ code, state, clearsItself }) => ({ labels: { scope, code, state, needs_person: String(!clearsItself) }, value: 1 })),
      ),
    ),
    metric('isobar_kill_unresolved', 'gauge', 'What a kill could not settle', view.kill ? [{ value: view.kill.residuals.length }] : []),
  ];
}

/** Returns the metrics of orders and fills. */
function orderMetrics({ open, unknown, provenAbsent, foreignOrders, counts, timeMs }: BotView): readonly string[] {
  const oldestAgeMs = unknown.reduce((age, { createdMs }) => Math.max(age, timeMs - createdMs), 0);
  return [
    metric('isobar_orders', 'gauge', 'Orders by what is known of them', [
      { labels: { kind: 'open' }, value: open.length },
      { labels: { kind: 'unknown' }, value: unknown.length },
      { labels: { kind: 'no_effect' }, value: provenAbsent.length },
      { labels: { kind: 'foreign' }, value: foreignOrders.length },
    ]),
    metric('isobar_unknown_oldest_seconds', 'gauge', 'Age of the oldest order of unknown outcome', [{ value: oldestAgeMs / 1000 }]),
    metric('isobar_unknown_needs_person', 'gauge', 'Orders of unknown outcome that the operator has to decide', [
      { value: unknown.filter(({ needsPerson }) => needsPerson).length },
    ]),
    metric('isobar_orders_total', 'counter', 'Orders since the start, by what came of them', [
      { labels: { result: 'sent' }, value: counts.ordersSent },
      { labels: { result: 'denied' }, value: counts.ordersDenied },
      { labels: { result: 'refused' }, value: counts.ordersRefused },
      { labels: { result: 'unknown' }, value: counts.unknowns },
    ]),
    metric('isobar_fills_total', 'counter', 'Fills since the start', [{ value: counts.fills }]),
    metric('isobar_requests_total', 'counter', 'Requests to the exchange since the start', [{ value: counts.requests }]),
    metric('isobar_rate_refusals_total', 'counter', 'Requests that the exchange refused for their number (429, 418)', [
      { value: counts.rateRefusals },
    ]),
    metric('isobar_reconnects_total', 'counter', 'Connections that were opened again', [{ value: counts.reconnects }]),
  ];
}

/** Returns the metrics of equity and limits. */
function moneyMetrics({ equity, strategies, headroom }: BotView): readonly string[] {
  return [
    metric(
      'isobar_equity',
      'gauge',
      'Equity of all strategies',
      equity.map(({ asset, now }) => ({ labels: { asset }, value: Number(now) })),
    ),
    metric(
      'isobar_equity_today',
      'gauge',
      'Change of equity since 00:00 UTC',
      equity.map(({ asset, today }) => ({ labels: { asset }, value: Number(today) })),
    ),
    metric(
      'isobar_strategy_equity',
      'gauge',
      'Equity of a strategy',
      strategies.map(({ name, asset, equity: now }) => ({ labels: { strategy: name, asset }, value: Number(now) })),
    ),
    metric(
      'isobar_limit_used_ratio',
      'gauge',
      'Used part of a limit: 1 is at the limit',
      headroom.map(({ limit, scope, used, max }) => ({
        labels: { limit, scope },
        value: Number(max) > 0 ? Number(used) / Number(max) : null,
      })),
    ),
  ];
}

/** Returns the metrics of data, clocks, request limits, audits, journal and process. */
function healthMetrics(view: BotView): readonly string[] {
  return [...dataMetrics(view), ...exchangeMetrics(view), ...auditMetrics(view), ...processMetrics(view)];
}

/** Returns the metrics of the age of bars and of external series. */
function dataMetrics({ feeds, series }: BotView): readonly string[] {
  return [
    metric(
      'isobar_data_age_seconds',
      'gauge',
      'Age of the newest closed bar',
      feeds.map(({ instrument, interval, ageMs }) => ({ labels: { instrument, interval }, value: seconds(ageMs) })),
    ),
    metric(
      'isobar_series_age_seconds',
      'gauge',
      'Age of the newest value of an external series, by the time that it is of',
      series.map(({ name, ageMs }) => ({ labels: { name }, value: seconds(ageMs) })),
    ),
    metric(
      'isobar_data_age_limit_seconds',
      'gauge',
      'Age at which a symbol is halted',
      feeds.map(({ instrument, interval, maxAgeMs }) => ({ labels: { instrument, interval }, value: seconds(maxAgeMs) })),
    ),
  ];
}

/** Returns the metrics of the clocks of the exchange and of its request limits. */
function exchangeMetrics({ clocks, budget }: BotView): readonly string[] {
  return [
    metric(
      'isobar_clock_offset_seconds',
      'gauge',
      'Clock of the exchange minus ours',
      clocks.map(({ market, offsetMs }) => ({ labels: { market }, value: seconds(offsetMs) })),
    ),
    metric(
      'isobar_clock_uncertainty_seconds',
      'gauge',
      'By how much that may be wrong',
      clocks.map(({ market, uncertaintyMs }) => ({ labels: { market }, value: seconds(uncertaintyMs) })),
    ),
    metric(
      'isobar_rate_used_ratio',
      'gauge',
      'Used part of a request limit',
      budget.map(({ name, used, max }) => ({ labels: { class: name }, value: max > 0 ? used / max : null })),
    ),
    metric(
      'isobar_rate_stopped',
      'gauge',
      '1 while nothing of a class of requests is sent',
      budget.map(({ name, stoppedUntilMs }) => ({ labels: { class: name }, value: stoppedUntilMs === null ? 0 : 1 })),
    ),
  ];
}

/** Returns the metrics of the last audit. */
function auditMetrics(view: BotView): readonly string[] {
  const { audit } = view;
  return [
    metric('isobar_audit_age_seconds', 'gauge', 'Since orders, fills and balances were last compared completely', [
      { value: ageSeconds(view, audit.fastMs) },
    ]),
    metric(
      'isobar_audit_ok',
      'gauge',
      '1 while the last comparison found no difference',
      audit.result === 'none' ? [] : [{ value: audit.result === 'ok' ? 1 : 0 }],
    ),
  ];
}

/** Returns the metrics of the journal and of the process. */
function processMetrics({ journal, loopDelayP99Ms, rssBytes, timeMs }: BotView): readonly string[] {
  return [
    metric('isobar_journal_failed', 'gauge', '1 when nothing is written any more', [{ value: journal.failure === null ? 0 : 1 }]),
    metric('isobar_journal_waiting_records', 'gauge', 'Records that are not on the disk yet', [
      { value: journal.lastSeq - journal.durableSeq },
    ]),
    metric('isobar_event_loop_delay_p99_seconds', 'gauge', 'Event-loop delay of the last minute', [{ value: seconds(loopDelayP99Ms) }]),
    metric('isobar_resident_memory_bytes', 'gauge', 'Resident memory of the process', [{ value: rssBytes }]),
    metric('isobar_view_time_seconds', 'gauge', 'Time of the bot at which this was taken, Unix time', [{ value: timeMs / 1000 }]),
  ];
}
