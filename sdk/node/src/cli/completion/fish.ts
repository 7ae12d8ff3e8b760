import type { CommandGrammar, Offer } from './grammar.ts'

/** Returns the completion for fish. */
export function fishCompletion(commands: readonly CommandGrammar[]): string {
  const lines = ['# Completion of millrace-cli for fish.', 'complete -c millrace-cli -f']
  for (const one of commands) lines.push(...firstWord(one), ...optionsOf(one), ...operandsOf(one))
  return `${[...new Set(lines)].join('\n')}\n`
}

function firstWord({ words: [first = '', second], summary }: CommandGrammar): string[] {
  if (second === undefined)
    return [`complete -c millrace-cli -n __fish_use_subcommand -a ${first} -d ${quoted(summary)}`]
  return [
    `complete -c millrace-cli -n __fish_use_subcommand -a ${first}`,
    `complete -c millrace-cli -n '__fish_seen_subcommand_from ${first}' -a ${second} -d ${quoted(summary)}`,
  ]
}

const condition = ({ words }: CommandGrammar) =>
  `-n '${words.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ')}'`

const optionsOf = (command: CommandGrammar) =>
  command.options.map(({ name, short, help, value }) =>
    [
      `complete -c millrace-cli ${condition(command)} -l ${name}`,
      ...(short ? [`-s ${short}`] : []),
      `-d ${quoted(help)}`,
      ...(value === undefined ? [] : [`-r ${offered(value)}`]),
    ].join(' '),
  )

const operandsOf = (command: CommandGrammar) =>
  command.operands
    .filter((offer) => offer !== 'nothing')
    .map((offer) => `complete -c millrace-cli ${condition(command)} ${offered(offer)}`)

function offered(offer: Offer): string {
  if (offer === 'nothing') return ''
  return offer === 'files' ? '-F' : `-a ${quoted(offer.words.join(' '))}`
}

const quoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`
