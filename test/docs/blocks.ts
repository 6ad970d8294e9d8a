// Reads the fenced blocks of a documentation page: language, place, and the attributes of the opening line.

/** A fenced block of a page. */
export interface Block {
  /** Page and line of the opening line, such as `docs/x.md:12`. */
  readonly place: string;
  readonly language: string;
  /** The file that the block shows: from `file=...` on the opening line, or from a first line that is a comment with only a name. */
  readonly file: string | null;
  /** The reason why the block is not run. Null if it is run. */
  readonly reasonNotRun: string | null;
  readonly text: string;
}

/** The opening line of a block: its indent, and the text behind the back-ticks. */
const BLOCK_OPENING = /^( {0,3})```+(.*)$/;
/** An attribute of an opening line: `name="text with spaces"` or `name=word`. */
const ATTRIBUTE = /(\w+)=(?:"([^"]*)"|(\S+))/g;
/** A comment line that has only the name of a file. */
const FILE_COMMENT = /^(?:\/\/|#) +([\w./-]+\.\w+)$/;

/** Returns the blocks of `text`, in order. Throws for a block without an end, and for an unknown attribute. */
export function blocksOf(page: string, text: string): readonly Block[] {
  const lines = text.split('\n');
  const blocks: Block[] = [];
  for (let lineIndex = 0; lineIndex < lines.length; lineIndex++) {
    const [, indent, info] = BLOCK_OPENING.exec(lines[lineIndex]!) ?? [];
    if (info === undefined) continue;
    const place = `${page}:${lineIndex + 1}`;
    const end = lines.findIndex((line, index) => index > lineIndex && /^ {0,3}```+\s*$/.test(line));
    if (end < 0) throw new Error(`${place}: the block does not end`);
    const body = lines.slice(lineIndex + 1, end).map((line) => (line.startsWith(indent!) ? line.slice(indent!.length) : line));
    blocks.push(blockOf(place, info.trim(), body));
    lineIndex = end;
  }
  return blocks;
}

/** Returns a block. Throws Error for an unknown attribute in its opening line. */
function blockOf(place: string, info: string, body: readonly string[]): Block {
  const [language = ''] = info.split(/\s/, 1);
  const attributes = new Map([...info.matchAll(ATTRIBUTE)].map(([, name, quoted, plain]) => [name!, quoted ?? plain!]));
  const unknown = [...attributes.keys()].find((name) => name !== 'file' && name !== 'norun');
  if (unknown !== undefined) throw new Error(`${place}: the attributes are file= and norun=, got ${unknown}=`);
  const fileInComment = FILE_COMMENT.exec(body[0]?.trimEnd() ?? '')?.[1];
  return {
    place,
    language,
    file: attributes.get('file') ?? fileInComment ?? null,
    reasonNotRun: attributes.get('norun') ?? null,
    text: `${body.join('\n')}\n`,
  };
}

/** Commands that exit by themselves and need no shell, except `isobar data record`, which runs until it is stopped. */
const COMMANDS = new Set(['api', 'backtest', 'breakeven', 'data', 'prove', 'report', 'strategy', 'sweep', 'verify', 'why']);
/** A word without characters that a shell would expand, quoted or not. */
const WORD = /(?:'[^']*'|"[^"$`\\!]*"|[\w@%+=:,./-])+/y;

/** A step of a block: the arguments of an `isobar` command that needs no shell, or lines for a shell. */
type Step = { readonly isobar: readonly string[] } | { readonly shell: string };

/** Text that needs one shell for all lines: a here-document, a background process, a compound command, a variable. */
const COMPOUND = /<<|&\s*$|\$!|^(?:for|while|until|if|case|do|done|then|else|fi|esac|export|set)\b|^\w+=|\{$|^\}/;

/** Returns the steps of a block in order. The whole block is one step if a line depends on what a shell did in an earlier one. */
export function stepsOf(text: string): readonly Step[] {
  const lines = linesOf(text);
  if (lines.some((line) => COMPOUND.test(line))) return [{ shell: text }];
  const steps: Step[] = [];
  for (const line of lines) {
    const args = plainArguments(line);
    const last = steps.at(-1);
    if (args !== null) steps.push({ isobar: args });
    else if (last !== undefined && 'shell' in last) steps[steps.length - 1] = { shell: `${last.shell}\n${line}` };
    else steps.push({ shell: line });
  }
  return steps;
}

/** Returns the lines of a block without comments and empty lines; a line that ends in a backslash continues in the next one. */
const linesOf = (text: string): readonly string[] =>
  text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.replace(/(?:^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');

/** Returns the arguments of an `isobar` command that needs no shell, or null for any other line. */
function plainArguments(line: string): readonly string[] | null {
  const words = wordsOf(line) ?? [];
  const args = words.slice(words[0] === 'npx' ? 1 : 0);
  const isPlain = args[0] === 'isobar' && COMMANDS.has(args[1] ?? '') && args[2] !== 'record';
  return isPlain ? args.slice(1) : null;
}

/** Returns the words of a line as a shell splits it. Returns null if the shell would do more than remove quotes. */
function wordsOf(line: string): readonly string[] | null {
  const words: string[] = [];
  let start = 0;
  while (start < line.length) {
    while (line[start] === ' ') start++;
    WORD.lastIndex = start;
    const [word] = WORD.exec(line) ?? [];
    if (word === undefined) return null;
    const end = start + word.length;
    const following = line[end];
    if (following !== undefined && following !== ' ') return null;
    start = end;
    words.push(word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''));
  }
  return words;
}
