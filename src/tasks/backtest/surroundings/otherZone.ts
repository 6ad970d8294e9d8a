// Shows a run another time zone than that of the machine, to find out whether a decision depends on it.
//
// A thread cannot change its time zone. So the watch of dates asks here, and calculates local times itself while a run has another zone.

/** Time zones that runs see in place of the true one: one west of UTC with a summer time, one east of it with an odd offset. */
export const OTHER_ZONES = ['America/St_Johns', 'Asia/Kathmandu'] as const;
/** A zone that runs can see. */
export type OtherZone = (typeof OTHER_ZONES)[number];
/** The language of dates for which code names none, while a run has another zone. */
export const OTHER_ZONE_LANGUAGE = 'da';

/** Offsets change only at full quarters of an hour. */
const OFFSET_STEP_MS = 900_000;

const RealFormat = Intl.DateTimeFormat;
const { UTC: utcOf } = Date;
const RealDate = Date;

/** The zone of the current run, with the number of its reads and its known offsets; null: the true zone. */
let shown: { readonly zone: OtherZone; readonly format: Intl.DateTimeFormat; readonly offsets: Map<number, number>; reads: number } | null =
  null;

/** Returns the name of the zone that the current run sees, and counts a read; null: the true zone. */
export function otherZone(): OtherZone | null {
  if (shown === null) return null;
  shown.reads++;
  return shown.zone;
}

/** Runs a function while its code sees another time zone. Returns its result, and how often its code has used the zone. */
export async function withOtherZone<T>(zone: OtherZone, run: () => Promise<T>): Promise<{ readonly result: T; readonly reads: number }> {
  const format = new RealFormat('en-US', {
    timeZone: zone, hourCycle: 'h23', era: 'short', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric',
  }); // prettier-ignore
  const current = (shown = { zone, format, offsets: new Map<number, number>(), reads: 0 });
  try {
    return { result: await run(), reads: current.reads };
  } finally {
    shown = null;
  }
}

/** Returns by how much the local time of the shown zone is ahead of UTC at a time, ms. `timeMs`: Unix ms. NaN for an invalid time. */
function offsetMs(timeMs: number): number {
  if (shown === null || Number.isNaN(timeMs)) return NaN;
  const step = Math.floor(timeMs / OFFSET_STEP_MS);
  const known = shown.offsets.get(step);
  if (known !== undefined) return known;
  const beginMs = step * OFFSET_STEP_MS;
  const parts = new Map(shown.format.formatToParts(beginMs).map(({ type, value }) => [type, value]));
  const number = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
  const year = parts.get('era') === 'BC' ? 1 - number('year') : number('year');
  const local = new RealDate(utcOf(2000, number('month') - 1, number('day'), number('hour'), number('minute'), number('second')));
  local.setUTCFullYear(year, number('month') - 1, number('day'));
  const offset = local.getTime() - beginMs;
  shown.offsets.set(step, offset);
  return offset;
}

/** Returns the local time of the shown zone as if it were UTC, Unix ms. */
export const toOtherLocal = (ms: number): number => ms + offsetMs(ms);

/** Returns the time at which the shown zone has a local time, Unix ms. `localMs`: as if it were UTC. */
export function fromOtherLocal(localMs: number): number {
  const guessMs = localMs - offsetMs(localMs);
  return localMs - offsetMs(guessMs);
}

/** Returns the offset of the shown zone in minutes, as `Date.prototype.getTimezoneOffset` does. */
export const otherOffsetMinutes = (ms: number): number => -offsetMs(ms) / 60_000;
