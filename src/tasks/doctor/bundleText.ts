// Builds the support bundle of `isobar doctor`, which may be shown to strangers. It contains only the fields listed here.

import { formatTime } from '../../model/time.ts';
import { versions } from '../../adapters/runtime/version.ts';
import type { CheckResult } from './context/check.ts';
import type { DoctorReport, DoctorTarget } from './doctor.ts';

const PRIVATE = '(left out: amounts, positions and paths are private)';

/** Returns JSON text that ends in \n. It contains no key, secret, header, signature or amount, and no text of the service. */
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
    checks: report.checks.map(withoutPrivateData),
    dialect: report.dialect,
    ok: report.ok,
  };
  const text = `${JSON.stringify(bundle, null, 2)}\n`;
  // No field above holds a credential. Hide credentials anyway, in case some text contains one.
  return settings.credentials?.maskText(text) ?? text;
}

/** Returns a result without private details and without text of the service. */
function withoutPrivateData({ name, market, status, detail, more, fix, code, ms, isPrivate }: CheckResult) {
  const texts = isPrivate ? { detail: PRIVATE } : { detail, more, fix };
  return { name, market, status, code, ms, ...texts };
}
