// A support bundle: what may be shown to strangers of a look at an exchange, named member by member; whatever is not named stays here.

import { formatTime } from '../../model/time.ts';
import { versions } from '../../adapters/runtime/version.ts';
import type { CheckResult } from './context/check.ts';
import type { DoctorReport, DoctorTarget } from './doctor.ts';

const PRIVATE = '(left out: amounts, positions and paths are yours alone)';

/** JSON text, ended by \n. Holds no key, secret, header, signature, amount, and no text of the service. */
export function bundleText({ settings, credentials, markets }: DoctorTarget, report: DoctorReport, wallMs: number): string {
  const { baseUrls, dialect, limits } = settings;
  const bundle = {
    format: 'isobar-doctor/1',
    madeAt: formatTime(wallMs),
    versions: versions(),
    config: {
      markets,
      baseUrls,
      dialect,
      limits,
      key: credentials !== null && 'key' in credentials ? { key: credentials.key.kind, secret: credentials.secret.kind } : null,
    },
    checks: report.checks.map(fitForStrangers),
    dialect: report.dialect,
    ok: report.ok,
  };
  const text = `${JSON.stringify(bundle, null, 2)}\n`;
  // None of that holds a credential. Should a part of the world ever say one, it is not passed on.
  return settings.credentials?.hideIn(text) ?? text;
}

function fitForStrangers({ name, market, status, detail, more, fix, code, ms, isPrivate }: CheckResult) {
  const reported = isPrivate ? { detail: PRIVATE } : { detail, more, fix };
  return { name, market, status, code, ms, ...reported };
}
