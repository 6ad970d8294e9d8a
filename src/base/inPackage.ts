// The addresses of this package's own files. No other module reads where it lies: a bundler moves code from file to file.

/** True when the sources themselves run, as in tests, and not the built package. */
export const isSource = import.meta.url.endsWith('.ts');

const folderAt = import.meta.url.lastIndexOf(isSource ? '/src/' : '/dist/');

/** The folder of the package, as a URL with a slash at its end. In a program that another bundler has made with this code: the program's folder. */
export const packageUrl: string = folderAt < 0 ? new URL('.', import.meta.url).href : import.meta.url.slice(0, folderAt + 1);

/** Returns the built module, such as `cli/isobar`; from source, too, where it is the one that was built last. */
export function builtUrl(module: string): URL {
  return new URL(`dist/${module}.js`, packageUrl);
}

/** Returns the module to run, such as that of a thread: the source when sources run, else the built one. */
export function moduleUrl(module: string): URL {
  return isSource ? new URL(`src/${module}.ts`, packageUrl) : builtUrl(module);
}

/**
 * URLs of the folders whose code is not an author's. Source maps name `src` for `dist`, and `node_modules` for the packages that are
 * bundled.
 */
export const OWN_FOLDERS: readonly string[] = ['src', 'dist', 'node_modules'].map((folder) => `${packageUrl}${folder}/`);
