import type { CommandGrammar, Offer } from './grammar.ts'

/** Returns the completion for bash 4 or newer. It needs no other package. */
export function bashCompletion(commands: readonly CommandGrammar[]): string {
  return `# Completion of millrace-cli for bash.

# Offers words for the last part of a list with commas. Bash itself splits words at colons and equals signs.
_millrace_cli_words() {
  local list=\${current%"\${current##*,}"} colon
  COMPREPLY=($(compgen -P "$list" -W "$1" -- "\${current##*,}"))
  if [[ $current == *:* && $COMP_WORDBREAKS == *:* ]]; then
    colon=\${current%"\${current##*:}"}
    COMPREPLY=("\${COMPREPLY[@]#"$colon"}")
  fi
}

_millrace_cli() {
  local line=\${COMP_LINE:0:COMP_POINT} current previous command skipped at=0 i
  local -a words
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  current=\${words[-1]} previous=\${words[-2]} COMPREPLY=()
  if [[ $current == --*=* ]]; then
    previous=\${current%%=*} current=\${current#*=}
  fi
  if ((\${#words[@]} == 2)); then
    _millrace_cli_words '${[...new Set(commands.map(({ words }) => words[0]))].join(' ')}'
    return
  fi
  command=\${words[1]} skipped=2
  case "$command" in
${groups(commands)}  esac
  case "$command" in
${commands.map(branch).join('')}  esac
}
complete -F _millrace_cli millrace-cli
`
}

/** Commands of two words. */
function groups(commands: readonly CommandGrammar[]): string {
  const firsts = new Set(commands.flatMap(({ words }) => (words.length === 2 ? [words[0]] : [])))
  return [...firsts]
    .map((first) => {
      const seconds = commands.filter(({ words }) => words[0] === first).map(({ words }) => words[1])
      return `    ${first})
      if ((\${#words[@]} == 3)); then _millrace_cli_words '${seconds.join(' ')}'; return; fi
      command+=" \${words[2]}" skipped=3
      ;;
`
    })
    .join('')
}

function branch({ words, options, operands }: CommandGrammar): string {
  const valued = options.filter(({ value }) => value !== undefined)
  const flags = (short: string | undefined, name: string) => `--${name}${short ? `|-${short}` : ''}`
  const values = valued.map(
    ({ name, short, value }) => `        ${flags(short, name)}) ${reply(value ?? 'nothing')}; return ;;\n`,
  )
  const names = options.map(({ name }) => `--${name}`).join(' ')
  const places = operands.map((offer, i) => `        ${i}) ${reply(offer)} ;;\n`)
  return `    '${words.join(' ')}')
      case "$previous" in
${values.join('')}      esac
      if [[ $current == -* ]]; then _millrace_cli_words '${names}'; return; fi
      for ((i = skipped; i < \${#words[@]} - 1; i++)); do
        case "\${words[i]}" in
          ${valued.map(({ name, short }) => flags(short, name)).join('|')}) ((i++)) ;;
          -*) ;;
          *) ((at++)) ;;
        esac
      done
      case "$at" in
${places.join('')}      esac
      ;;
`
}

function reply(offer: Offer): string {
  if (offer === 'nothing') return ':'
  if (offer === 'files') return 'compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current")'
  return `_millrace_cli_words '${offer.words.join(' ')}'`
}
