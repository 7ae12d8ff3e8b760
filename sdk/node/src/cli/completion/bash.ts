import type { CommandGrammar, Offer } from './grammar.ts'

/** Returns the completion for bash 4 or newer. It needs no other package. */
export function bashCompletion(commands: readonly CommandGrammar[]): string {
  return `# Completion of millrace-cli for bash.
_millrace_cli() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} first=\${COMP_WORDS[1]} second=\${COMP_WORDS[2]} command
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '${[...new Set(commands.map(({ words }) => words[0]))].join(' ')}' -- "$current"))
    return
  fi
  case "$first $second" in
${commands
  .filter(({ words }) => words.length === 2)
  .map(({ words }) => `    '${words.join(' ')}') command='${words.join(' ')}' ;;\n`)
  .join('')}    *) command=$first ;;
  esac
  if ((COMP_CWORD == 2)); then
    case "$first" in
${groups(commands)}    esac
  fi
  local at=$((COMP_CWORD - $(wc -w <<<"$command") - 1))
  case "$command" in
${commands.map(branch).join('')}  esac
}
complete -F _millrace_cli millrace-cli
`
}

function groups(commands: readonly CommandGrammar[]): string {
  const firsts = new Set(commands.flatMap(({ words }) => (words.length === 2 ? [words[0]] : [])))
  return [...firsts]
    .map((first) => {
      const seconds = commands.filter(({ words }) => words[0] === first).map(({ words }) => words[1])
      return `      ${first}) COMPREPLY=($(compgen -W '${seconds.join(' ')}' -- "$current")); return ;;\n`
    })
    .join('')
}

function branch({ words, options, operands }: CommandGrammar): string {
  const values = options
    .filter(({ value }) => value !== undefined)
    .map(
      ({ name, short, value }) =>
        `        --${name}${short ? `|-${short}` : ''}) ${reply(value ?? 'nothing')}; return ;;\n`,
    )
  const names = options.map(({ name }) => `--${name}`).join(' ')
  const places = operands.map((offer, i) => `        ${i}) ${reply(offer)} ;;\n`)
  return `    '${words.join(' ')}')
      case "$previous" in
${values.join('')}      esac
      if [[ $current == -* ]]; then COMPREPLY=($(compgen -W '${names}' -- "$current")); return; fi
      case "$at" in
${places.join('')}      esac
      ;;
`
}

function reply(offer: Offer): string {
  if (offer === 'nothing') return ':'
  if (offer === 'files') return 'compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$current"))'
  return `COMPREPLY=($(compgen -W '${offer.words.join(' ')}' -- "$current"))`
}
