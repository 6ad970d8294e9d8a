// Lists the faults that the simulation must find: removed guards of the order path, and former faults that it found itself.

import type { Change, Guard } from '../../mutations/guard.ts';
import { GUARDS } from '../../mutations/table.ts';

/** Changes of source lines that together make one fault. */
export interface PlantedFault {
  readonly name: string;
  readonly changes: readonly Change[];
}

/** Added to the row to get the number of the second guard of a row. A row has one or two guards. */
export const SECOND_OF_ROW = 100;

/** Returns the guard with this number; undefined for any other number. */
function guardOf(number: number): Guard | undefined {
  const isSecond = number > SECOND_OF_ROW;
  const rowOfGuard = isSecond ? number - SECOND_OF_ROW : number;
  const guardsOfRow = GUARDS.filter(({ row }) => row === rowOfGuard);
  return guardsOfRow[isSecond ? 1 : 0];
}
/** Returns the changes that remove a guard. */
const changesOf = (guard: Guard): readonly Change[] => [guard, ...(guard.and ?? [])].map(({ file, from, to }) => ({ file, from, to }));

/** Lowest number of a fault that is not a guard. */
export const FIRST_FORMER_FAULT = 201;
/** Faults that are not guards, by number. */
export const FORMER_FAULTS: Readonly<Record<number, PlantedFault>> = {
  201: {
    name: 'a waiting order that is denied when it is released is looked for at the time at which it was made',
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
        from: '  if (lifetime === null) return beginLifetime(deps, 1);',
        to: '  return beginLifetime(deps, lifetime === null ? 1 : lifetime.number + 1);',
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
    name: 'a bot whose journal was moved away goes on sending',
    changes: [
      {
        file: 'src/adapters/journal/file/journalFile.ts',
        from: '    this.#disk.sync(path, (failure) => {',
        to: '    this.#disk.sync(path, (told) => {\n      const failure = told === REPLACED ? null : told;',
      },
      {
        file: 'src/adapters/journal/file/journalFile.ts',
        from: 'if (identityOf(this.#disk, path) === identity) continue;',
        to: 'if (identityOf(this.#disk, path) === identity || true) continue;',
      },
    ],
  },
  207: {
    name: 'the next start takes a slice of a kill that was not sent for an unknown outcome',
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
    name: 'the paper exchange takes a write for durable without a sync',
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
        to: 'let lastOrderId = SLICE_GAP - SLICE_GAP + id;',
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
export function plantedBy(number: number): PlantedFault | null {
  const guard = guardOf(number);
  if (guard) return { name: guard.name, changes: changesOf(guard) };
  return FORMER_FAULTS[number] ?? null;
}
