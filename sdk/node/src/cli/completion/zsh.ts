import type { CommandGrammar, Offer, OptionGrammar } from './grammar.ts'

/** Returns the completion for zsh. The file must be in a folder of \`fpath\`. */
export function zshCompletion(commands: readonly CommandGrammar[]): string {
  const groups = new Map<string, CommandGrammar[]>()
  for (const one of commands) groups.set(one.words[0] ?? '', [...(groups.get(one.words[0] ?? '') ?? []), one])
  const described = [...groups].map(([first, [one]]) => `    ${quoted(`${first}:${one?.summary}`)}`)
  return `#compdef millrace-cli
# Completion of millrace-cli for zsh.
_millrace_cli() {
  local -a commands
  commands=(
${described.join('\n')}
  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  case "$words[2]" in
${[...groups].map(([first, members]) => branch(first, members)).join('')}  esac
}
if [ "$funcstack[1]" = _millrace-cli ]; then _millrace_cli "$@"; else compdef _millrace_cli millrace-cli; fi
`
}

function branch(first: string, members: readonly CommandGrammar[]): string {
  const [only] = members
  if (only?.words.length === 1)
    return `    ${first})\n      shift words; ((CURRENT--))\n      ${argumentsOf(only)}\n      ;;\n`
  const inner = members.map(
    (one) => `        ${one.words[1]}) shift 2 words; ((CURRENT -= 2)); ${argumentsOf(one)} ;;\n`,
  )
  return `    ${first})
      if ((CURRENT == 3)); then compadd ${members.map(({ words }) => words[1]).join(' ')}; return; fi
      case "$words[3]" in
${inner.join('')}      esac
      ;;
`
}

function argumentsOf({ options, operands }: CommandGrammar): string {
  const parts = [...options.flatMap(optionOf), ...operands.map((offer) => quoted(`:argument:${action(offer)}`))]
  return `_arguments -s ${parts.join(' ')}`
}

function optionOf({ name, short, help, value }: OptionGrammar): string[] {
  const text = help.replace(/[[\]:]/g, '\\$&')
  const end = value === undefined ? '' : `:value:${action(value)}`
  return [`--${name}`, ...(short ? [`-${short}`] : [])].map((option) => quoted(`${option}[${text}]${end}`))
}

function action(offer: Offer): string {
  if (offer === 'nothing') return ''
  return offer === 'files' ? '_files' : `(${offer.words.map((word) => word.replace(/:/g, '\\:')).join(' ')})`
}

const quoted = (text: string) => `'${text.replace(/'/g, "'\\''")}'`
