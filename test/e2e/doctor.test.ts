// Tests `isobar doctor` from the command line: exit codes, output, JSON, the support bundle, certificates, and that no key is shown.

import { readFileSync, statSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { COMMAND, type CommandOutput } from '../fixtures/cliFixture.ts';
import { selfSignedCertificate } from '../fixtures/certificates.ts';
import { DoctorFixture } from '../fixtures/doctorFixture.ts';
import { expiredCertificate } from '../fixtures/expiredCertificate.ts';
import { STUB_KEY, STUB_SECRET, type SeenCall, type StubAnswer } from '../fixtures/signedStub.ts';

const fixture = new DoctorFixture();
afterAll(() => fixture.remove());

/** Runs `isobar doctor` in its own environment. */
function doctor(args: readonly string[], extraVariables: Readonly<Record<string, string>> = {}): Promise<CommandOutput> {
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env['PATH'] ?? '', NO_COLOR: '1', ...fixture.environment(extraVariables) };
    const child = spawn(process.execPath, [COMMAND, 'doctor', ...args], { cwd: fixture.folder, env });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** Returns every form in which a credential could be printed. */
const printedForms = (text: string): readonly string[] => {
  const bytes = Buffer.from(text);
  return [text, bytes.toString('hex'), bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url'), encodeURIComponent(text)];
};

/** The tested members of the JSON output. */
interface DoctorOutput {
  readonly checks: readonly {
    readonly name: string;
    readonly status: string;
    readonly detail: string;
    readonly fix: string | null;
    readonly ms: number;
  }[];
  readonly dialect: object;
  readonly ok: boolean;
}

test('isobar doctor reports no problem in JSON if the certificate is trusted', async () => {
  const certificate = selfSignedCertificate('IP:127.0.0.1');
  const stub = await fixture.stub({}, certificate);
  const ca = fixture.write('ca.pem', certificate.cert);
  const { code, stdout, stderr } = await doctor(['--spot-url', stub.url, '--json'], { NODE_EXTRA_CA_CERTS: ca });
  const output: DoctorOutput = JSON.parse(stdout);
  expect([code, stderr, output.ok]).toEqual([0, '', true]);
  const tls = output.checks.find(({ name }) => name === 'spot.tls');
  // A certificate that is valid for two more days gets a warning.
  expect(tls).toMatchObject({ status: 'warning', fix: expect.stringContaining('renew'), ms: expect.any(Number) });
  expect(tls?.detail).toMatch(/^TLSv1\.[23], certificate of stub valid for [12] more days?$/);
  expect(output.dialect).toEqual({ signQuery: 'include', klinesRange: 'none' });
});

test('isobar doctor reports a certificate that has expired', async () => {
  const certificate = expiredCertificate();
  const stub = await fixture.stub({}, certificate);
  const ca = fixture.write('expired.pem', certificate.cert);
  const { code, stdout } = await doctor(['--spot-url', stub.url], { NODE_EXTRA_CA_CERTS: ca });
  expect(code).toBe(1);
  expect(stdout).toContain(`✗ tls           the certificate of 127.0.0.1:${stub.port} has expired (CERT_HAS_EXPIRED)`);
  expect(stdout).toContain('fix:  the exchange must renew it');
  expect(stub.calls, 'nothing is sent to a host without a trusted certificate').toEqual([]);
});

test('no key, secret or signature of a service that echoes requests reaches the terminal or the bundle', async () => {
  const echo = ({ headers, call, body }: SeenCall): StubAnswer => ({
    status: 400,
    body: JSON.stringify({
      code: -2017,
      msg: `${call} ${body} ${STUB_SECRET} ${printedForms(STUB_KEY).join(' ')} ${JSON.stringify(headers)}`,
    }),
  });
  const stub = await fixture.stub({ answers: { 'POST /sapi/v1/order/test': echo, 'GET /sapi/v1/openOrders': echo } });
  const bundle = join(fixture.folder, 'bundle.json');
  const text = await doctor(['--spot-url', stub.url, '--futures-url', stub.url, '--bundle', bundle]);
  const json = await doctor(['--spot-url', stub.url, '--json']);
  expect([text.code, json.code]).toEqual([1, 1]);
  const stored = readFileSync(bundle, 'utf8');
  expect(statSync(bundle).mode & 0o777).toBe(0o600);
  for (const reply of [text.stdout, text.stderr, json.stdout, json.stderr, stored]) {
    for (const form of [...printedForms(STUB_KEY), ...printedForms(STUB_SECRET)])
      expect(reply.toLowerCase()).not.toContain(form.toLowerCase());
  }
  const signatures = stub.calls.flatMap(({ headers }) => headers['x-ch-sign'] ?? []);
  expect(signatures.length).toBeGreaterThan(5);
  for (const signature of signatures) expect(stored).not.toContain(signature);
  for (const word of ['X-CH-', 'x-ch-', STUB_KEY.slice(0, 4), '1000.5', '250.25', fixture.folder]) expect(stored).not.toContain(word);
  expect(JSON.parse(stored)).toMatchObject({
    format: 'isobar-doctor/1',
    versions: { isobar: expect.any(String), node: expect.any(String) },
    config: { baseUrls: { spot: stub.url }, dialect: { signQuery: 'include' }, key: { key: 'environment', secret: 'environment' } },
    checks: expect.arrayContaining([expect.objectContaining({ name: 'spot.dns', status: 'ok' })]),
  });
});

test('isobar doctor prints a report of at most 100 columns for the terminal', async () => {
  const stub = await fixture.stub({ signQuery: 'omit', aheadMs: 340, permissions: { spot: true, futures: true, trade: false } });
  const { code, stdout, stderr } = await doctor(['--spot-url', stub.url, '--futures-url', stub.url, '--market', 'both']);
  expect([code, stderr]).toEqual([1, '']);
  expect(stdout.split('\n').filter((line) => line.length > 100)).toEqual([]);
  expect(stdout).not.toContain('\u001b');
  expect(stdout).toMatch(/^ {2}✓ key +key and secret were found +\d+ ms$/m);
  expect(stdout).toMatch(/^ {2}! clock +your clock is 3\d\d ms behind, ±\d+ ms +\d+ ms$/m);
  expect(stdout).toMatch(/^ {2}✗ signQuery +dialect.signQuery include: refused; omit: accepted +\d+ ms$/m);
  expect(stdout).toMatch(/^ {2}Futures {2}http/m);
  expect(stdout).toMatch(
    /\d+ ok, \d+ warnings, 3 failed, \d+ skipped: not ready to trade\n {2}To fix: spot.signQuery, spot.testOrder, futures.signQuery\n/,
  );
  expect(stdout).toContain('    dialect:\n      signQuery: omit\n');
});

test('input that cannot be used ends with exit code 2', async () => {
  const nothing = await doctor([]);
  expect([nothing.code, nothing.stdout]).toEqual([2, '']);
  expect(nothing.stderr).toContain('give --spot-url or --futures-url');
  const seconds = await doctor(['--spot-url', 'http://127.0.0.1:1', '--timeout', 'soon']);
  expect([seconds.code, seconds.stderr]).toEqual([2, expect.stringContaining('--timeout: expected seconds')]);
  const stub = await fixture.stub();
  const unwritable = await doctor(['--spot-url', stub.url, '--bundle', 'no/such/folder.json']);
  expect([unwritable.code, unwritable.stderr]).toEqual([2, expect.stringContaining('--bundle')]);
});
