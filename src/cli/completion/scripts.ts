// The scripts with which bash, zsh and fish ask isobar for completions.

/** The shells for which there is a completion script. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
/** One of these shells. */
export type Shell = (typeof SHELLS)[number];

/** Works with bash 3.2 of macOS, which has no mapfile. Without suggestions, bash offers its own files. */
const BASH = `# isobar in bash
_isobar() {
  local each
  COMPREPLY=()
  while IFS= read -r each; do
    COMPREPLY+=("$(printf '%q' "$each")")
  done < <(SHELL=bash "$1" --get-yargs-completions "\${COMP_WORDS[@]:0:COMP_CWORD+1}" 2>/dev/null)
  # After name= comes its value, without a blank; an older bash has no such option.
  case "\${COMPREPLY[*]}" in *=) compopt -o nospace 2>/dev/null ;; esac
}
complete -o bashdefault -o default -F _isobar isobar
`;

/** Requires compinit, which most zsh configurations call. Suggestions have the form \`word:description\`. */
const ZSH = `#compdef isobar
# isobar in zsh
_isobar() {
  local -a found
  found=("\${(@f)$(SHELL=zsh "\${words[1]}" --get-yargs-completions "\${(@)words[1,CURRENT]}" 2>/dev/null)}")
  if [[ \${found[1]} == *= ]]; then _describe isobar found -S ''; elif [[ -n \${found[1]} ]]; then _describe isobar found; else _default; fi
}
if [[ \${zsh_eval_context[-1]} == loadautofunc ]]; then _isobar "$@"; else compdef _isobar isobar; fi
`;

/** Requires fish 3.0. A suggestion is a word, a tab and a description. fish quotes words where needed. */
const FISH = `# isobar in fish
function _isobar
  set -l words (commandline --tokenize --cut-at-cursor --current-process)
  set -l begun (commandline --current-token --cut-at-cursor)
  set -l found (env SHELL=fish $words[1] --get-yargs-completions $words "$begun" 2>/dev/null)
  if count $found >/dev/null
    printf '%s\\n' $found
  else
    __fish_complete_path "$begun"
  end
end
complete --command isobar --no-files --arguments '(_isobar)'
`;

const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };

/** Returns the completion script of a shell. */
export function shellScript(shell: Shell): string {
  return SCRIPTS[shell];
}
