// Derives alerts for the operator from the differences between two views of a bot.

import type { Alert, AlertLevel } from '../../../ports/notifier.ts';
import type { BotView, CauseView } from '../../control/botView.ts';
import { causeRow } from '../../control/haltCauses.ts';

/** Returns the alerts in order; none if nothing has changed. `before` null: the bot has just started. */
export function alertsBetween(before: BotView | null, now: BotView): readonly Alert[] {
  const alert = (level: AlertLevel, code: string, scope: string, message: string): Alert => ({
    level,
    code,
    bot: now.name,
    mode: now.mode,
    scope,
    message,
    timeMs: now.timeMs,
  });
  const started = before === null ? [alert('info', 'STARTED', 'account', `started, isobar ${now.version}, account ${now.account}`)] : [];
  return [...started, ...causeAlerts(before, now, alert), ...orderAlerts(before, now, alert), ...killAlerts(before, now, alert)];
}

type MakeAlert = (level: AlertLevel, code: string, scope: string, message: string) => Alert;

/** A halt cause and the scope that it halts. */
interface ScopedCause {
  readonly scope: string;
  readonly cause: CauseView;
}

/** Returns the halt causes of a view by scope and code. */
function causesOf(view: BotView | null): ReadonlyMap<string, ScopedCause> {
  const scopedCauses = (view?.scopes ?? []).flatMap(({ scope, causes }) => causes.map((cause) => ({ scope, cause })));
  return new Map(scopedCauses.map((scoped) => [`${scoped.scope} ${scoped.cause.code}`, scoped]));
}

/** Returns alerts for halt causes that were raised or have ended. */
function causeAlerts(before: BotView | null, now: BotView, alert: MakeAlert): readonly Alert[] {
  const causesBefore = causesOf(before);
  const causesNow = causesOf(now);
  const raised = [...causesNow].flatMap(([key, { scope, cause }]) => {
    const { code, state, why, clearsItself } = cause;
    if (causesBefore.get(key)?.cause.state === state) return [];
    const isAlarm = !clearsItself || state === 'KILLED' || state === 'CANCEL_ONLY';
    const todo = causeRow(code)?.todo ?? 'isobar status';
    return [alert(isAlarm ? 'alarm' : 'warn', code, scope, `${state}: ${why}. What to do: ${todo.replaceAll('`', '')}.`)];
  });
  const cleared = [...causesBefore]
    .filter(([key]) => !causesNow.has(key))
    .map(([, { scope, cause }]) =>
      alert('info', `${cause.code}_OVER`, scope, `${cause.code} has ended: ${scope} is in state ${stateOf(now, scope)}`),
    );
  return [...raised, ...cleared];
}

/** Returns the risk state of a scope. A view lists only scopes that are halted. */
const stateOf = (view: BotView, scope: string): string => view.scopes.find((other) => other.scope === scope)?.state ?? 'RUN';

/** Returns alerts for orders that need the operator, foreign orders, and a failed journal. */
function orderAlerts(before: BotView | null, now: BotView, alert: MakeAlert): readonly Alert[] {
  const alertedClientOrderIds = new Set(before?.unknown.filter(({ needsPerson }) => needsPerson).map(({ cid }) => cid));
  const unknownAlerts = now.unknown
    .filter(({ needsPerson, cid }) => needsPerson && !alertedClientOrderIds.has(cid))
    .map(({ cid, instrument, cause }) =>
      alert('alarm', 'NEEDS_PERSON', `order:${cid}`, `${instrument}: ${cause}. Look it up, then isobar orders resolve ${cid}.`),
    );
  const alertedForeignIds = new Set(before?.foreignOrders.map(({ id }) => id));
  const foreignAlerts = now.foreignOrders
    .filter(({ id }) => !alertedForeignIds.has(id))
    .map(({ kind, id, instrument, message }) =>
      alert('alarm', 'ALIEN', `${kind}:${id}`, `${instrument}: ${message}. isobar orders adopt or ignore ${id}.`),
    );
  const hasJournalFailed = now.journal.failure !== null && before?.journal.failure === null;
  const journalAlerts = hasJournalFailed ? [alert('alarm', 'JOURNAL', 'account', now.journal.failure)] : [];
  return [...unknownAlerts, ...foreignAlerts, ...journalAlerts];
}

/** Returns an alert if a kill has ended. */
function killAlerts(before: BotView | null, { kill }: BotView, alert: MakeAlert): readonly Alert[] {
  if (kill === null || kill.phase !== 'done' || before?.kill?.phase === 'done') return [];
  return kill.residuals.length === 0
    ? [alert('warn', 'KILL_DONE', 'account', `the kill by ${kill.who} completed: ${kill.message}`)]
    : [alert('alarm', 'KILL_UNRESOLVED', 'account', `the kill by ${kill.who} could not settle: ${kill.residuals.join('; ')}`)];
}
