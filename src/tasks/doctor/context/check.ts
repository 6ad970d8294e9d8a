// What a check is and what it finds: the vocabulary of `isobar doctor`.

import type { Market } from '../../../model/instrument.ts';
import type { Dialect } from '../../../protocol/dialect.ts';

/** `skipped`: not looked at, because something that it rests on failed, or because there is nothing to look at. */
export type Status = 'ok' | 'warning' | 'failed' | 'skipped';

/** Options of the dialect that a check has found out. */
export type DialectFinding = Partial<Pick<Dialect, 'signQuery' | 'signPathPrefix' | 'positionsFrom' | 'klinesRange'>>;

/** What a check found. All texts are our own words, but for `serviceText`. */
export interface CheckFinding {
  readonly status: Status;
  /** One line. */
  readonly detail: string;
  /** Further lines. */
  readonly more?: readonly string[];
  /** A line with words of the service, fit for a terminal; a support bundle leaves it out. */
  readonly serviceText?: string | null;
  /** What to do, in plain words, the likeliest first. */
  readonly fix?: readonly string[];
  /** The service's error code. */
  readonly code?: number | null;
  readonly dialect?: DialectFinding;
  /** Says what is nobody else's business, such as amounts and paths: a support bundle keeps the status alone. */
  readonly isPrivate?: boolean;
}

export interface DoctorCheck {
  /** `dns`; of a market `spot.dns`. */
  readonly name: string;
  /** Null for what concerns both. */
  readonly market: Market | null;
  /** Names of earlier checks without which this one says nothing. */
  readonly needs: readonly string[];
  run(): Promise<CheckFinding>;
}

/** A finding with all its members, and how long it took. */
export interface CheckResult extends Required<CheckFinding> {
  readonly name: string;
  readonly market: Market | null;
  /** Whole ms. */
  readonly ms: number;
}

export const ok = (detail: string, rest: Omit<CheckFinding, 'status' | 'detail'> = {}): CheckFinding => ({ status: 'ok', detail, ...rest });
export const skipped = (detail: string): CheckFinding => ({ status: 'skipped', detail });
export const warning = (
  detail: string,
  fix: readonly string[],
  rest: Omit<CheckFinding, 'status' | 'detail' | 'fix'> = {},
): CheckFinding => ({
  status: 'warning',
  detail,
  fix,
  ...rest,
});
export const failed = (
  detail: string,
  fix: readonly string[],
  rest: Omit<CheckFinding, 'status' | 'detail' | 'fix'> = {},
): CheckFinding => ({
  status: 'failed',
  detail,
  fix,
  ...rest,
});

/** True where everything can be worked with. */
export const isHealthy = (results: readonly CheckResult[]): boolean => results.every(({ status }) => status !== 'failed');
