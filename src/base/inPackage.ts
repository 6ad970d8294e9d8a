// Returns the URLs of this package's own files. Other modules must not derive paths from their own URL, because a bundler moves code.

/** True when the sources run, as in tests, instead of the built package. */
export const isSource = import.meta.url.endsWith('.ts');

const folderAt = import.meta.url.lastIndexOf(isSource ? '/src/' : '/dist/');

/**
 * The folder of the package, as a URL with a slash at its end. In a program that another bundler has made with this code: the program's
 * folder.
 */
export const packageUrl: string = folderAt < 0 ? new URL('.', import.meta.url).href : import.meta.url.slice(0, folderAt + 1);

/** Returns the URL of a built module, such as `cli/isobar`. When the sources run, it is the module of the latest build. */
export function builtUrl(module: string): URL {
  return new URL(`dist/${module}.js`, packageUrl);
}

/** Returns the URL of a module to run, for example in a thread: the source when the sources run, otherwise the built module. */
export function moduleUrl(module: string): URL {
  return isSource ? new URL(`src/${module}.ts`, packageUrl) : builtUrl(module);
}

/**
 * URLs of the folders whose code the author of a strategy has not written. Source maps name `src` for `dist`, and `node_modules` for
 * bundled packages.
 */
export const OWN_FOLDERS: readonly string[] = ['src', 'dist', 'node_modules'].map((folder) => `${packageUrl}${folder}/`);
