// Tests that each guard of src/adapters/journal/records/guards.ts is needed: its scenario passes with it and fails without it
// (docs/order-safety.md#each-guard-is-needed).

import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Lots, Ticks } from '../../src/base/brand.ts';
import { journalGuards } from '../../src/adapters/journal/records/guards.ts';

type Guard = keyof typeof journalGuards;

/** Returns the fixtures with the guard `removed` switched off, or with all guards if it is null. */
async function fixturesWithout(removed: Guard | null) {
  vi.resetModules();
  if (removed !== null)
    vi.doMock('../../src/adapters/journal/records/guards.ts', () => ({ journalGuards: { ...journalGuards, [removed]: false } }));
  // Import one copy after the other: an import that begins while another one registers the mock would load the original module.
  const disks = await import('../fixtures/simulatedDisk.ts');
  const journals = await import('../fixtures/journalFixture.ts');
  const bots = await import('../fixtures/restartFixture.ts');
  return { ...disks, ...journals, ...bots };
}
type Fixtures = Awaited<ReturnType<typeof fixturesWithout>>;

afterEach(() => {
  vi.doUnmock('../../src/adapters/journal/records/guards.ts');
  vi.resetModules();
});

/** Returns a disk with a complete journal whose only file was changed by `change`. */
function changedJournal(
  { SimulatedDisk, openFixture: openSetup, steps, FOLDER }: Fixtures,
  change: (text: string) => string,
): InstanceType<Fixtures['SimulatedDisk']> {
  const disk = new SimulatedDisk();
  const { journal } = openSetup(disk);
  for (const step of steps()) step(journal);
  disk.run();
  const name = disk.list(FOLDER).find((file) => file.startsWith('journal-'))!;
  const copy = disk.afterKill('', 0);
  copy.overwrite(`${FOLDER}/${name}`, Buffer.from(change(Buffer.from(disk.read(`${FOLDER}/${name}`)).toString())));
  return copy;
}
/** Returns true if reading the journal throws. */
function isRejected({ recordsOf }: Fixtures, disk: InstanceType<Fixtures['SimulatedDisk']>): boolean {
  try {
    recordsOf(disk);
    return false;
  } catch {
    return true;
  }
}

/** By guard, a scenario that returns true only with the guard. */
const SCENARIOS: Readonly<Record<Guard, (fixtures: Fixtures) => boolean>> = {
  // The bot was killed before the reply came: the exchange may have the order.
  sentIsUnknown: ({ SimulatedDisk, openBot, NOW_MS }) => {
    const disk = new SimulatedDisk();
    const { engine } = openBot(disk, NOW_MS);
    const order = engine.newOrder(0, engine.execution[0]!, 'buy');
    Object.assign(order, { slot: 'a', role: 'limit', lots: 100 as Lots, limit: 10_000 as Ticks });
    engine.submit(order);
    disk.run();
    const [restoredOrder] = openBot(disk.afterKill('', 0), NOW_MS).engine.orders.active();
    return restoredOrder?.lifecycle === 'unknown';
  },
  // The disk has discarded the bytes, and a second sync would succeed.
  syncIsFinal: ({ SimulatedDisk, openFixture: openSetup, steps }) => {
    const disk = new SimulatedDisk();
    disk.syncFailures.push('EIO');
    const fixture = openSetup(disk);
    steps()[0]!(fixture.journal);
    disk.run();
    return fixture.failures.length === 1;
  },
  // A digit of a filled quantity changed.
  checksums: (fixtures) =>
    isRejected(
      fixtures,
      changedJournal(fixtures, (text) => text.replace(/("qty":")0\.008"/, '$10.009"')),
    ),
  // A line is missing in the middle.
  rejectsDamage: (fixtures) =>
    isRejected(
      fixtures,
      changedJournal(fixtures, (text) => text.split('\n').toSpliced(8, 1).join('\n')),
    ),
  // A kill switch that was set before the restart must still be set after it.
  haltsPersist: ({ SimulatedDisk, openBot, NOW_MS }) => {
    const disk = new SimulatedDisk();
    const { engine } = openBot(disk, NOW_MS);
    engine.risk.halts.raise({ kind: 'account' }, 'KILLED', 'OPERATOR', 'by hand', NOW_MS);
    disk.run();
    return openBot(disk.afterKill('', 0), NOW_MS).engine.risk.halts.stateOf(0, 0) === 'KILLED';
  },
};

describe('a guard of the journal', () => {
  it('each journal guard has a scenario that passes with all guards', async () => {
    const withAllGuards = await fixturesWithout(null);
    expect(Object.entries(SCENARIOS).filter(([, scenario]) => !scenario(withAllGuards))).toEqual([]);
    expect(Object.keys(SCENARIOS).toSorted()).toEqual(Object.keys(journalGuards).toSorted());
  });
  it.each(Object.keys(journalGuards) as Guard[])('the scenario of the journal guard %s fails without the guard', async (guard) => {
    expect(SCENARIOS[guard](await fixturesWithout(guard))).toBe(false);
  });
});
