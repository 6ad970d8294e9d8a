// All halt causes by code: the meaning, whether it clears by itself, and the action of the operator. docs/operations.md has the same list.

import { HALT_CAUSES } from '../../risk/live/haltCauses.ts';

/** One halt cause. */
export interface CauseRow {
  readonly code: string;
  /** What has happened, as a clause. */
  readonly means: string;
  /** False when the cause clears by itself once its reason has ended. */
  readonly needsPerson: boolean;
  /** What the operator does, as a clause. */
  readonly todo: string;
}

/** Causes that do not come from the exchange, the disk or the clock. */
const BOT_CAUSES: readonly Omit<CauseRow, 'todo'>[] = [
  { code: 'OPERATOR', means: 'the operator has halted it', needsPerson: true },
  { code: 'KILLED', means: 'a kill: no order leaves, in this process and in the next', needsPerson: true },
  { code: 'STARTING', means: 'starting: waiting for the clock, the journal and two clean audits', needsPerson: false },
  { code: 'DAILY_LOSS', means: 'the loss since 00:00 UTC has reached its limit', needsPerson: false },
  { code: 'DRAWDOWN', means: 'equity has fallen too far below its peak', needsPerson: true },
  { code: 'LOSS_STREAK', means: 'a strategy has lost too many trades in a row', needsPerson: true },
  { code: 'REPEAT', means: 'a strategy trades, or is refused, far more often than it should', needsPerson: true },
  { code: 'RESTRICTED', means: 'the account, or this time of day, is restricted', needsPerson: true },
  { code: 'STRATEGY', means: 'a strategy threw an error or took too long', needsPerson: true },
];

/** What the operator does about a cause, by its code. */
const TODO_BY_CODE: Readonly<Record<string, string>> = {
  OPERATOR: '`isobar resume`, once the reason is gone',
  KILLED: 'look at every order and position, then re-arm: `isobar resume account --code KILLED --why ...`, and start the bot',
  STARTING: 'wait; if it stays, `isobar status` and `isobar logs` say what it waits for',
  UNKNOWN_OUTCOME: 'wait: it is looked for, mostly for less than two minutes; nothing is sent twice',
  NEEDS_PERSON: 'look the order up at the exchange, then `isobar orders resolve`',
  UNKNOWN_BUDGET: 'look whether the exchange is in trouble; it continues when they are resolved',
  LATE_LANDING: 'the bot is cancelling it: check its fills, then resume; if it happens again, raise `orders.deltaMinMs`',
  ALIEN: '`isobar orders` shows it: adopt it, or ignore it; it clears when each is decided',
  NO_JOURNAL:
    'bring the journal back from a copy and start with it; or close what is left at the exchange, then resume: the books start empty',
  DUPLICATE: 'the extra one is being cancelled: check the position, then resume, and report it to the exchange',
  STRAY: 'wait; if it stays, compare the trades at the exchange with `isobar orders`',
  GAP: 'wait; if it stays, look whether the exchange cuts its lists',
  MISMATCH: 'find the transfer, fee or manual trade that explains it, then resume: later audits count from there',
  ECHO: 'cancel the order at the exchange and report it: either side has a fault',
  ADMISSION: 'look at the order; if it happens again, raise `orders.deltaMinMs`; then resume',
  FINE_FILL: 'look at the lot of the symbol at the exchange, and correct it in the catalog; then resume',
  POST_TRADE: 'look at the trade at the exchange, then resume',
  KEY: 'look at the key at the exchange: rights, addresses, expiry; `isobar doctor`; then restart',
  LOCKED: 'ask the exchange; nothing leaves before the operator has re-armed',
  BANNED: "wait until the ban has ended, do not restart in a loop; use the exchange's own site meanwhile",
  SETTINGS:
    'wait; if it stays, set leverage and mode of the contract at the exchange by hand, or in the config as an open position has them',
  STATUS:
    'look at the order at the exchange. If it is gone: `isobar orders resolve`, outcome noEffect. Else report the name of the state. Then resume',
  FEE_COIN: 'turn fees in another coin off at the exchange, then resume',
  INCIDENT: 'wait: ten quiet minutes and two clean audits clear it',
  CLOCK: 'look at the network, and at the clock of this computer',
  STALE_DATA: 'wait; look whether the exchange trades; `isobar doctor`',
  STALE_ACCOUNT: 'look at the network, and at the request limits in `isobar status`',
  DEAD_MAN: 'acknowledge the alert, and see that the heartbeat reaches the bot',
  NAKED: 'wait: protection is placed, or the position is closed; if not, place it at the exchange',
  NAKED_EXIT: 'find out why its stop was missing; it clears when the position is closed',
  DAILY_LOSS: 'understand it before the next day lets the bot continue; halt it by hand if in doubt',
  DRAWDOWN: 'understand it; resume begins a new peak',
  LOSS_STREAK: 'look at the strategy, then resume it',
  REPEAT: 'look at its log: most often it is a fault of the strategy',
  RESTRICTED: 'ask the exchange, or wait for the end of the window; then resume',
  MAINTENANCE: 'nothing: it ends when the window does',
  MAINTENANCE_CANCEL: 'nothing: it ends when the window does',
  JOURNAL: 'free disk space or repair the disk, then restart: `isobar journal check` says whether the journal is whole',
  STRATEGY: '`isobar logs` has the error; fix it and restart',
};

const DEFAULT_TODO = 'look at `isobar logs`, then resume';

/** Every known cause. Causes by the operator and by strategies come first. */
export const CAUSES: readonly CauseRow[] = [
  ...BOT_CAUSES,
  ...Object.entries(HALT_CAUSES).map(([code, { help, needsPerson }]) => ({ code, means: help, needsPerson })),
].map((cause) => ({ ...cause, todo: TODO_BY_CODE[cause.code] ?? DEFAULT_TODO }));

const CAUSE_BY_CODE = new Map(CAUSES.map((cause) => [cause.code, cause]));

/** True when a cause clears by itself. An unknown code needs the operator. */
export const clearsItself = (code: string): boolean => CAUSE_BY_CODE.get(code)?.needsPerson === false;
/** Returns a cause by its code; null: unknown. */
export const causeRow = (code: string): CauseRow | null => CAUSE_BY_CODE.get(code) ?? null;
