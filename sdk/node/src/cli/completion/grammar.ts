import { knownEventTypes } from '../../generated/events.ts'
import { scopes } from '../../generated/scopes.ts'
import { type Choices, type Command, commonOptions } from '../command.ts'

/** What a shell offers for a value: words, file names, or nothing. */
export type Offer = { words: readonly string[] } | 'files' | 'nothing'

export interface OptionGrammar {
  name: string
  short: string | undefined
  help: string
  /** `undefined` for an option without a value. */
  value: Offer | undefined
}

export interface CommandGrammar {
  /** One or two words. */
  words: readonly string[]
  summary: string
  options: readonly OptionGrammar[]
  operands: readonly Offer[]
}

/** Returns what shells can complete. */
export const grammarOf = (commands: readonly Command[]): readonly CommandGrammar[] =>
  commands.map(({ name, summary, options, operands = [] }) => ({
    words: name.split(' '),
    summary,
    options: Object.entries({ ...options, ...commonOptions }).map(([option, given]) => {
      const { short, help, type, choices } = given as typeof given & { short?: string; choices?: Choices }
      return { name: option, short, help, value: type === 'boolean' ? undefined : offerOf(choices) }
    }),
    operands: operands.map(({ choices }) => offerOf(choices)),
  }))

const types = () => [...knownEventTypes].sort()

function offerOf(choices: Choices | undefined): Offer {
  if (choices === undefined) return 'nothing'
  if (choices === 'files') return 'files'
  if (choices === 'events') return { words: types() }
  if (choices === 'patterns')
    return { words: [...new Set(types().map((type) => `${type.split('.')[0]}.*`)), ...types()] }
  return { words: choices === 'scopes' ? scopes : choices }
}
