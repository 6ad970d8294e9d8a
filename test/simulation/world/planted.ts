// Faults that the world has to find: a guard of the order path taken out, or a fault put back that it had found itself.

import { GUARDS } from '../../mutations/table.ts';

interface Change {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}
export interface Planted {
  readonly name: string;
  readonly changes: readonly Change[];
}

/** Numbers behind those of the guards. */
export const OLD_FAULTS: Readonly<Record<number, Planted>> = {
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
};

/** The changes of a row; null: there is none. */
export function plantedBy(row: number): Planted | null {
  const guard = GUARDS.find((each) => each.row === row);
  if (guard) return { name: guard.name, changes: [guard, ...(guard.and ?? [])].map(({ file, from, to }) => ({ file, from, to })) };
  return OLD_FAULTS[row] ?? null;
}
