// The script of the dashboard page: asks for a token, polls the bot once a second, and marks old numbers as stale.
/// <reference lib="dom" />

import type { BotView } from '../../../control/botView.ts';
import type { AccessLevel, BotRequest } from '../../../control/botRequest.ts';
import { byId } from '../../../../report/page/browser/dom.ts';
import { addTheme } from '../../../../report/page/browser/controls.ts';
import { LiveCharts } from './charts.ts';
import { ActDialog } from './dialogs.ts';
import { postAct, hasFailed, storeToken, fetchView, storedToken, type FailedRequest } from './botClient.ts';
import {
  showCards,
  showDecisions,
  showHeadroom,
  showHealth,
  showKill,
  showState,
  showTables,
  showUnknown,
  showWho,
  type ItemActs,
} from './sections.ts';
import { setHidden, setText } from './table.ts';

const POLL_EVERY_MS = 1000;
/** Without a reply for this long the page marks its numbers as old. */
const STALE_MS = 3000;

/** The token of the user; null while the page asks for it. */
let token: string | null = storedToken();
let shownView: BotView | null = null;
/** Time at which `shownView` arrived, as `performance.now()` counts it. */
let receivedAtMs = 0;
let requestsSent = 0;
const charts = new LiveCharts();
const dialog = new ActDialog(perform);

/** Sends an act. Returns the problem; null if the act was done. */
async function perform(request: BotRequest, typed: string): Promise<string | null> {
  if (token === null) return 'no token: log in again';
  const answer = await postAct(token, request, typed);
  void refresh();
  if (hasFailed(answer)) return answer.problem;
  return answer.done ? null : answer.message;
}

/** Fetches the view and shows it. */
async function refresh(): Promise<void> {
  if (token === null) return;
  const requestNumber = ++requestsSent;
  const answer = await fetchView(token);
  // A slow reply must not overwrite a newer one.
  if (requestNumber !== requestsSent) return;
  if (hasFailed(answer)) showFailure(answer);
  else show(answer.view, answer.allowed);
}

/** Asks for a token again if it is invalid. Other failures only let the numbers become stale. */
function showFailure({ kind, problem }: FailedRequest): void {
  if (kind !== 'token') return;
  storeToken(null);
  token = null;
  logIn(problem === 'expected a token' ? 'The bot does not have this token.' : problem);
}

/** Shows a new view, and what the token allows. */
function show(view: BotView, allowed: AccessLevel): void {
  shownView = view;
  receivedAtMs = performance.now();
  setHidden('login', true);
  setHidden('board', false);
  showState(view);
  showWho(view, allowed);
  showCards(view);
  showUnknown(view, itemActs, allowed !== 'read');
  showHeadroom(view);
  showHealth(view);
  showTables(view);
  showDecisions(view);
  showKill(view);
  charts.show(view);
  showButtons(view, allowed);
  markStale();
  document.documentElement.dataset['state'] = 'ready';
}

/** Enables the acts that the token allows. */
function showButtons({ scopes, alarmMs }: BotView, allowed: AccessLevel): void {
  const isHalted = scopes.some(({ causes }) => causes.some(({ clearsItself }) => !clearsItself));
  byId('halt')?.toggleAttribute('disabled', allowed === 'read');
  byId('kill')?.toggleAttribute('disabled', allowed !== 'kill');
  setHidden('seen', alarmMs === null || allowed === 'read');
  setHidden('resume', !isHalted || allowed === 'read');
}

/** Turns the page grey while the bot does not answer. */
function markStale(): void {
  const silentMs = performance.now() - receivedAtMs;
  const isStale = shownView !== null && silentMs > STALE_MS;
  document.body.classList.toggle('stale', isStale);
  setHidden('gone', !isStale);
  if (isStale)
    setText('gone', `No answer from the bot for ${Math.round(silentMs / 1000)} s: these numbers are old. isobar kill still works.`);
}

/** Shows the form for the token. */
function logIn(problem: string): void {
  setHidden('login', false);
  setHidden('board', true);
  setText('login-problem', problem);
  setText('state-word', '–');
  setText('state-why', '');
  byId('state')?.removeAttribute('data-state');
  byId('token')?.focus();
  document.documentElement.dataset['state'] = 'login';
}

const itemActs: ItemActs = {
  adopt: (id, description) =>
    dialog.ask({
      ...question(`Adopt ${description}?`, 'It is managed, or counted, by this bot from now on.', 'Adopt', 'adopt'),
      request: (why) => ({ op: 'adopt', id, strategy: null, why }),
    }),
  ignore: (id, description) =>
    dialog.ask({
      ...question(`Ignore ${description}?`, 'The order is not ours; the bot never touches it.', 'Ignore', null),
      request: (why) => ({ op: 'ignore', id, why }),
    }),
  resolve: (id, outcome) =>
    dialog.ask({
      ...question(
        outcome === 'placed' ? 'Was it placed?' : 'Did it have no effect?',
        `Check at the exchange what became of ${id} first.`,
        'Resolve',
        'resolve',
      ),
      request: (why) => ({ op: 'resolve', id, outcome, venueId: null, why }),
    }),
};

/** Returns a question without a prepared reason and without the option to flatten. */
function question(title: string, message: string, button: string, word: string | null) {
  return { title, message, button, word, why: '', isDanger: false, canFlatten: false } as const;
}

byId('halt')?.addEventListener('click', () =>
  dialog.ask({
    ...question('Halt the account?', 'The bot opens no new risk. It still sends cancels and orders that reduce.', 'Halt', null),
    why: 'halted from the dashboard',
    request: (why) => ({ op: 'halt', scope: 'account', state: 'HALT_NEW', why }),
  }),
);
byId('kill')?.addEventListener('click', () =>
  dialog.ask({
    ...question('Kill?', 'The bot sends no more orders, cancels all open ones, and stays down until it is re-armed.', 'Kill', null),
    why: 'killed from the dashboard',
    isDanger: true,
    canFlatten: true,
    request: (why, flatten) => ({ op: 'kill', flatten, why }),
  }),
);
byId('seen')?.addEventListener('click', () => void perform({ op: 'acknowledge' }, ''));
byId('resume')?.addEventListener('click', () => {
  const lastingCauses = shownView?.scopes.flatMap(({ scope, causes }) =>
    causes.filter(({ clearsItself }) => !clearsItself).map(({ code, why }) => ({ scope, code, haltedWhy: why })),
  );
  const firstCause = lastingCauses?.[0];
  if (!firstCause) return;
  const { scope, code, haltedWhy } = firstCause;
  dialog.ask({
    ...question(`Resume ${scope}?`, `It clears ${code} (${haltedWhy}) and nothing else.`, 'Resume', 'resume'),
    request: (why) => ({ op: 'resume', scope, code, why }),
  });
});
byId('login')?.addEventListener('submit', (event) => {
  event.preventDefault();
  const field = byId('token');
  const typedToken = field instanceof HTMLInputElement ? field.value.trim() : '';
  if (typedToken === '') return;
  if (field instanceof HTMLInputElement) field.value = '';
  token = typedToken;
  storeToken(typedToken);
  setText('login-problem', '');
  void refresh();
});
addTheme(() => charts.restyle());
if (token === null) logIn('');
else void refresh();
setInterval(() => {
  markStale();
  void refresh();
}, POLL_EVERY_MS);
