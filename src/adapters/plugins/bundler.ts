// Bundles author files in this process, or in a child process for a bot that should not load a compiler.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ConfigError } from '../../base/errors.ts';
import { builtUrl } from '../../base/inPackage.ts';
import type { Bundle } from './bundle.ts';

/** `file`: an absolute path; `displayName` names it in messages. Rejects with ConfigError for a file that does not compile. */
export type Bundler = (file: string, displayName: string) => Promise<Bundle>;

/** Bundles a file in this process. */
export const bundleInProcess: Bundler = async (file, displayName) => {
  const { bundle } = await import('./bundle.ts');
  return bundle(file, displayName);
};

/** What the child process prints. */
export type BundleAnswer = { readonly bundle: Bundle } | { readonly refused: { readonly message: string; readonly remedy: string } };

const MAX_OUTPUT_BYTES = 256 * 2 ** 20;

/** Works only from the built package. */
export const bundleInChildProcess: Bundler = (file, displayName) =>
  new Promise((resolve, reject) => {
    const entry = fileURLToPath(builtUrl('adapters/plugins/bundleEntry'));
    execFile(process.execPath, [entry, file, displayName], { maxBuffer: MAX_OUTPUT_BYTES }, (error, stdout) => {
      if (error)
        return reject(
          new ConfigError(`${displayName}: could not be bundled: ${error.message.split('\n')[0]}`, 'isobar strategy show FILE says more'),
        );
      const answer = JSON.parse(stdout) as BundleAnswer;
      if ('bundle' in answer) resolve(answer.bundle);
      else reject(new ConfigError(answer.refused.message, answer.refused.remedy));
    });
  });
