// The types of a check and its findings in `isobar doctor`.

import type { Market } from '../../../model/instrument.ts';
import type { Dialect } from '../../../protocol/dialect.ts';

/** `skipped`: not checked, because an earlier check failed or because there is nothing to check. */
export type Status = 'ok' | 'warning' | 'failed' | 'skipped';

/** Options of the dialect that a check has determined. */
export type DialectFinding = Partial<Pick<Dialect, 'signQuery' | 'signPathPrefix' | 'positionsFrom' | 'klinesRange'>>;

/** The finding of a check. All texts are isobar's own, except `serviceText`. */
export interface CheckFinding {
  readonly status: Status;
  /** One line. */
  readonly detail: string;
  /** Further lines. */
  readonly more?: readonly string[];
  /** A line with text of the service, made safe for a terminal. A support bundle leaves it out. */
  readonly serviceText?: string | null;
  /** Fixes, the most likely one first. */
  readonly fix?: readonly string[];
  /** The service's error code. */
  readonly code?: number | null;
  readonly dialect?: DialectFinding;
  /** True for private details, such as amounts and paths. A support bundle then contains only the status. */
  readonly isPrivate?: boolean;
}

/** One check of the doctor. */
export interface DoctorCheck {
  /** `dns`; for a market `spot.dns`. */
  readonly name: string;
  /** Null for a check of both markets. */
  readonly market: Market | null;
  /** Names of earlier checks that must succeed first. */
  readonly needs: readonly string[];
  run(): Promise<CheckFinding>;
}

/** A complete finding with its duration. */
export interface CheckResult extends Required<CheckFinding> {
  readonly name: string;
  readonly market: Market | null;
  /** Whole ms. */
  readonly ms: number;
}

/** Return a finding with its status. */
export const ok = (detail: string, options: Omit<CheckFinding, 'status' | 'detail'> = {}): CheckFinding => ({
  status: 'ok',
  detail,
  ...options,
});

/** Returns the finding of a check that could not run. */
export const skipped = (detail: string): CheckFinding => ({ status: 'skipped', detail });
/** Returns the finding of a check that passed with a doubt. `fix`: one line for each step. */
export const doubtful = (
  detail: string,
  fix: readonly string[],
  options: Omit<CheckFinding, 'status' | 'detail' | 'fix'> = {},
): CheckFinding => ({
  status: 'warning',
  detail,
  fix,
  ...options,
});
/** Returns the finding of a check that failed. `fix`: one line for each step. */
export const failed = (
  detail: string,
  fix: readonly string[],
  options: Omit<CheckFinding, 'status' | 'detail' | 'fix'> = {},
): CheckFinding => ({
  status: 'failed',
  detail,
  fix,
  ...options,
});

/** True when no check failed. */
export const isHealthy = (results: readonly CheckResult[]): boolean => results.every(({ status }) => status !== 'failed');
