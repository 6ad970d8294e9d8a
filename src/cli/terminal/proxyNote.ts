// Variables of a proxy, which other programs follow and isobar does not: said once, so that nobody waits for a proxy to be used.

const VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];

/** The note where such a variable is set; null: none is. Its value may hold a password and is not shown. */
export function proxyNote(environment: Readonly<Record<string, string | undefined>>): string | null {
  const set = VARIABLES.filter((name) => (environment[name] ?? '') !== '');
  if (set.length === 0) return null;
  return `${set.join(', ')}: not used; isobar connects to the exchange directly, without a proxy`;
}

/** Writes it to stderr. */
export function noteProxies(environment: Readonly<Record<string, string | undefined>> = process.env): void {
  const note = proxyNote(environment);
  if (note !== null) process.stderr.write(`${note}\n`);
}
