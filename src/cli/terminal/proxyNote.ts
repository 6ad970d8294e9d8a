// Warns once about proxy variables, which other programs use and isobar ignores.

const VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];

/** Returns the note, or null when no proxy variable is set. The note leaves out the values, because they can contain a password. */
export function proxyNote(environment: Readonly<Record<string, string | undefined>>): string | null {
  const setVariables = VARIABLES.filter((name) => (environment[name] ?? '') !== '');
  if (setVariables.length === 0) return null;
  return `${setVariables.join(', ')}: not used; isobar connects to the exchange directly, without a proxy`;
}

/** Prints the note on stderr. */
export function noteProxies(environment: Readonly<Record<string, string | undefined>> = process.env): void {
  const note = proxyNote(environment);
  if (note !== null) process.stderr.write(`${note}\n`);
}
