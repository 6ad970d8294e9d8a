// Lists the faults that the simulation must find. Each has a number:
// 1 to 199: a guard of the order path (test/mutations/table.ts) is removed. The first guard of row 7 has the number 7, the second one 107.
// 201 to 299: a fault that the product once had, and that a simulated day found.
// 301 and more: a rule that other bots commonly follow, in place of the product's.

import type { Change, Guard } from '../../mutations/guard.ts';
import { GUARDS } from '../../mutations/table.ts';

/** Changes of source lines that together make one fault. */
export interface PlantedFault {
  readonly name: string;
  readonly changes: readonly Change[];
}

/** A row of the table has one or two guards. The number of its second guard is the row plus this offset. */
export const SECOND_GUARD_OFFSET = 100;

/** Returns the guard with this number; undefined for any other number. */
function guardOf(number: number): Guard | undefined {
  const isSecond = number > SECOND_GUARD_OFFSET;
  const rowOfGuard = isSecond ? number - SECOND_GUARD_OFFSET : number;
  const guardsOfRow = GUARDS.filter(({ row }) => row === rowOfGuard);
  return guardsOfRow[isSecond ? 1 : 0];
}
/** Returns the changes that remove a guard. */
const changesOf = (guard: Guard): readonly Change[] =>
  [guard, ...(guard.otherChanges ?? [])].map(({ file, from, to }) => ({ file, from, to }));

/** Lowest number of a fault that is not a removed guard. */
export const MIN_OTHER_FAULT = 201;
/** The faults that are not removed guards, by number. */
export const OTHER_FAULTS: Readonly<Record<number, PlantedFault>> = {
  201: {
    name: 'after a restart, a waiting order that was denied at its release has the time of its draft, not that of its release',
    changes: [
      {
        file: 'src/tasks/bot/lifetime/lifetimeRecords.ts',
        from: "Number(verdict?.inputs['createdMs'] ?? draft?.createdMs ?? NaN)",
        to: "draft?.createdMs ?? Number(verdict?.inputs['createdMs'] ?? NaN)",
      },
    ],
  },
  202: {
    name: 'a restart begins with strategies that remember nothing',
    changes: [
      {
        file: 'src/tasks/bot/startLifetime.ts',
        from: '  if (lifetime === null) return beginLifetime(deps, null);',
        // Every start begins a new lifetime.
        to: '  return beginLifetime(deps, lifetime);',
      },
    ],
  },
  203: {
    name: 'trades of an order whose answer was lost count as booked when a kill closes positions',
    changes: [
      {
        file: 'src/tasks/kill/evidence/evidenceReader.ts',
        from: '.filter((row) => !this.books.isBooked(instrument.id, row));',
        to: '.filter((row) => !this.books.isBooked(instrument.id, row) && this.books.isOwnId(row.venueId));',
      },
    ],
  },
  204: {
    name: 'fills of an outage are booked, and no strategy is notified of them',
    changes: [
      {
        file: 'src/engine/host/callbackQueue.ts',
        from: 'const batches = heldCallbacks.map((batch) => batch.filter(isCurrent));',
        to: 'const batches = heldCallbacks.map((batch) => batch.filter((each) => isCurrent(each) && each.fill === null));',
      },
    ],
  },
  205: {
    name: 'a second copy of an order and its fills belong to no account',
    changes: [
      {
        file: 'src/adapters/exchange/observe/duplicates.ts',
        from: "if (!raisedCauses.has('DUPLICATE', null)) this.#unclearedIds.clear();",
        to: "if (venueId !== '') return;",
      },
    ],
  },
  206: {
    name: 'a bot whose journal was moved away continues to send orders',
    changes: [
      {
        file: 'src/adapters/journal/file/journalFile.ts',
        from: 'this.#disk.sync(path, finish);',
        to: 'this.#disk.sync(path, (failure) => finish(failure === REPLACED ? null : failure));',
      },
      {
        file: 'src/adapters/journal/file/journalFile.ts',
        from: 'if (identityOf(this.#disk, path) === identity) continue;',
        // `|| true` in place of a bare `continue` keeps the names in use, as the compiler of the changed source demands.
        to: 'if (identityOf(this.#disk, path) === identity || true) continue;',
      },
    ],
  },
  207: {
    name: 'a slice that a kill never sent has an unknown outcome after the next start',
    changes: [
      {
        file: 'src/tasks/bot/lifetime/lifetimeReplay.ts',
        from: "if (reason === 'notSent' && state === STATE.sent) ",
        to: "if (reason === 'notSent' && state === STATE.draft) ",
      },
    ],
  },
  208: {
    name: 'a start forgets an incident of the exchange',
    changes: [
      {
        file: 'src/adapters/exchange/restoreTracking.ts',
        from: 'if (key === INCIDENT_KEY) target.onIncident(Number(value));',
        to: '',
      },
    ],
  },
  209: {
    name: 'a kill does not journal an incident of the exchange',
    changes: [{ file: 'src/tasks/bot/run/killBot.ts', from: 'journal.cursor(incidentRecord(market, venueMs));', to: '' }],
  },
  210: {
    name: 'the paper exchange answers before its change is durable',
    changes: [
      {
        file: 'src/paperExchange/storage/storeWriter.ts',
        from: 'else if (!this.#isBusy && !this.#isDirty && this.#waitingCallbacks.length === 0) done(true);',
        to: 'else if (this.#lastWriteMs > -Infinity) done(true);',
      },
    ],
  },
  211: {
    name: 'the paper exchange reports a write as durable without a sync',
    changes: [
      {
        file: 'src/paperExchange/storage/storeWriter.ts',
        from: 'this.#sync(this.#path, isNewFile ? syncFolder : onDurable, callbacks);',
        to: 'if (isNewFile) this.#sync(this.#path, syncFolder, callbacks);\n      else onDurable();',
      },
    ],
  },
  212: {
    name: 'a kill with an older copy of the journal uses client order ids that the bot has used since',
    changes: [
      {
        file: 'src/tasks/kill/separate/standaloneKill.ts',
        from: 'let lastOrderId = id + SLICE_GAP;',
        // The gap is 0, and its name stays in use.
        to: 'let lastOrderId = SLICE_GAP - SLICE_GAP + id;',
      },
    ],
  },
  213: {
    name: 'in two-way mode, an order that opens one side reduces the other one in the books',
    changes: [
      {
        file: 'src/portfolio/futuresLedger.ts',
        from: 'const closedLots = holding.terms.isNet || isReduceOnly ? Math.min(lots, opposite.lots) : 0;',
        to: 'const closedLots = Math.min(lots, opposite.lots);',
      },
    ],
  },
  214: {
    name: 'after a restart, funding of a position that was closed and opened again is a change of that of the earlier one',
    changes: [
      {
        file: 'src/adapters/exchange/account/funding.ts',
        from: 'if (total.openedMs !== null) this.#openedMs.set(key, total.openedMs);',
        to: '',
      },
    ],
  },
  215: {
    name: 'a liquidation that has closed contracts of the account, too, needs margin to be adopted',
    changes: [
      {
        file: 'src/engine/router/adoption.ts',
        from: "endedLots !== null && ledger.closable(strategyIndex, instrument, side === 'buy', true) > 0;",
        to: "endedLots !== null && ledger.closable(strategyIndex, instrument, side === 'buy', true) >= endedLots;",
      },
    ],
  },
  301: {
    name: 'common rule: send the create again after a time-out',
    changes: changesOf(guardOf(3)!),
  },
  302: {
    name: 'common rule: read the open orders five times, then treat the order as rejected',
    changes: [
      {
        file: 'src/orders/prove/resolver.ts',
        from: '    const lagMs = proofGuards.readLag ? this.readLagMs : 0;',
        to: "    if (evidence.channel === 'openOrders' && ++this.polls === 5) return { kind: 'noEffect' };\n    const lagMs = proofGuards.readLag ? this.readLagMs : 0;",
      },
      {
        file: 'src/orders/prove/resolver.ts',
        from: 'if (evidence.found && this.isList(evidence.channel)) return',
        to: "if (evidence.found && evidence.channel === 'openOrders') return",
      },
      { file: 'src/orders/prove/resolver.ts', from: 'Math.max(bounds.resolveEveryMs, minApartMs)', to: '2000' },
      {
        file: 'src/orders/prove/resolver.ts',
        from: '  private provingRounds = 0;',
        to: '  private provingRounds = 0;\n  private polls = 0;',
      },
      // This rule does not read trades, and forgets an order that it treats as rejected.
      {
        file: 'src/adapters/exchange/observe/attribution.ts',
        from: "      case 'found':\n",
        to: "      case 'found':\n        if (match.tracked.isBelievedAbsent || sighting.channel === 'myTrades') return null;\n",
      },
      { file: 'src/orders/prove/guards.ts', from: '  absentReserve: true,', to: '  absentReserve: false,' },
      { file: 'src/orders/prove/guards.ts', from: '  absentMemory: true,', to: '  absentMemory: false,' },
    ],
  },
};

/** Returns the fault with this number. Null for an unknown number. */
export function plantedFaultOf(number: number): PlantedFault | null {
  const guard = guardOf(number);
  if (guard) return { name: guard.name, changes: changesOf(guard) };
  return OTHER_FAULTS[number] ?? null;
}
