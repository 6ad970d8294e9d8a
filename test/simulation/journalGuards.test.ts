// Each guard of src/adapters/journal/records/guards.ts in the world that needs it: right with it, wrong without (order-safety, section 16).

import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Lots, Ticks } from '../../src/base/brand.ts';
import { guards } from '../../src/adapters/journal/records/guards.ts';

type Guard = keyof typeof guards;

/** The desks over the modules of the room, with one guard turned off; null: with all of them. */
async function desksWithout(without: Guard | null) {
  vi.resetModules();
  if (without !== null) vi.doMock('../../src/adapters/journal/records/guards.ts', () => ({ guards: { ...guards, [without]: false } }));
  // One after the other: an import that begins while another one still registers the mock would load the module itself.
  const disks = await import('../fixtures/simulatedDisk.ts');
  const journals = await import('../fixtures/journalFixture.ts');
  const bots = await import('../fixtures/restartFixture.ts');
  return { ...disks, ...journals, ...bots };
}
type Desks = Awaited<ReturnType<typeof desksWithout>>;

afterEach(() => {
  vi.doUnmock('../../src/adapters/journal/records/guards.ts');
  vi.resetModules();
});

/** A life on a disk, and its only file with `change` made to its text. */
function changed(
  { SimulatedDisk, openFixture: openSetup, steps, FOLDER }: Desks,
  change: (text: string) => string,
): InstanceType<Desks['SimulatedDisk']> {
  const disk = new SimulatedDisk();
  const { journal } = openSetup(disk);
  for (const step of steps()) step(journal);
  disk.run();
  const name = disk.list(FOLDER).find((file) => file.startsWith('journal-'))!;
  const after = disk.afterKill('', 0);
  after.overwrite(`${FOLDER}/${name}`, Buffer.from(change(Buffer.from(disk.read(`${FOLDER}/${name}`)).toString())));
  return after;
}
function isRefused({ recordsOf }: Desks, disk: InstanceType<Desks['SimulatedDisk']>): boolean {
  try {
    recordsOf(disk);
    return false;
  } catch {
    return true;
  }
}

/** By guard, a world that it keeps right. */
const WORLDS: Readonly<Record<Guard, (desks: Desks) => boolean>> = {
  // The answer was not there when the bot was killed: the exchange may have the order.
  sentIsUnknown: ({ SimulatedDisk, openBot, NOW_MS }) => {
    const disk = new SimulatedDisk();
    const { engine } = openBot(disk, NOW_MS);
    const order = engine.newOrder(0, engine.execution[0]!, 'buy');
    Object.assign(order, { slot: 'a', role: 'limit', lots: 100 as Lots, limit: 10_000 as Ticks });
    engine.submit(order);
    disk.run();
    const [again] = openBot(disk.afterKill('', 0), NOW_MS).engine.orders.active();
    return again?.lifecycle === 'unknown';
  },
  // The disk has thrown the bytes away, and would say that all is well.
  syncIsFinal: ({ SimulatedDisk, openFixture: openSetup, steps }) => {
    const disk = new SimulatedDisk();
    disk.syncFailures.push('EIO');
    const fixture = openSetup(disk);
    steps()[0]!(fixture.journal);
    disk.run();
    return fixture.failures.length === 1;
  },
  // A digit of an executed quantity.
  checksums: (desks) =>
    isRefused(
      desks,
      changed(desks, (text) => text.replace(/("qty":")0\.008"/, '$10.009"')),
    ),
  // A line is missing in the middle.
  rejectsDamage: (desks) =>
    isRefused(
      desks,
      changed(desks, (text) => text.split('\n').toSpliced(8, 1).join('\n')),
    ),
  haltsPersist: ({ SimulatedDisk, openBot, NOW_MS }) => {
    const disk = new SimulatedDisk();
    const { engine } = openBot(disk, NOW_MS);
    engine.risk.halts.raise({ kind: 'account' }, 'KILLED', 'OPERATOR', 'by hand', NOW_MS);
    disk.run();
    return openBot(disk.afterKill('', 0), NOW_MS).engine.risk.halts.stateOf(0, 0) === 'KILLED';
  },
};

describe('a guard of the journal', () => {
  it('has a world each', async () => {
    const whole = await desksWithout(null);
    expect(Object.entries(WORLDS).filter(([, world]) => !world(whole))).toEqual([]);
    expect(Object.keys(WORLDS).toSorted()).toEqual(Object.keys(guards).toSorted());
  });
  it.each(Object.keys(guards) as Guard[])('%s: without it that world breaks', async (guard) => {
    expect(WORLDS[guard](await desksWithout(guard))).toBe(false);
  });
});
