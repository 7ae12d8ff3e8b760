import type { Terminal } from './terminal.ts'

/** Words that a shell offers for a value. */
export type Choices = 'events' | 'patterns' | 'scopes' | 'files' | readonly string[]

export interface Option {
  type: 'string' | 'boolean'
  short?: string
  multiple?: boolean
  /** Name of the value in the help text. */
  value?: string
  help: string
  choices?: Choices
}

export interface Operand {
  name: string
  help: string
  optional?: boolean
  choices?: Choices
}

export type Options = Readonly<Record<string, Option>>

type ValueOf<One extends Option> = One['type'] extends 'boolean'
  ? boolean
  : One['multiple'] extends true
    ? string[]
    : string | undefined

/** Values of the options. An omitted boolean option is false, and an omitted repeatable option is an empty list. */
export type Values<Own extends Options> = { [Name in keyof Own]: ValueOf<Own[Name]> }

export interface CommonValues {
  profile: string | undefined
  json: boolean
}

/** What a command gets. */
export interface Run<Own extends Options> {
  values: Values<Own>
  operands: string[]
  common: CommonValues
  terminal: Terminal
  /** Aborted by Ctrl-C and SIGTERM. */
  signal: AbortSignal
}

export interface Declared<Own extends Options> {
  /** One or two words. */
  name: string
  summary: string
  /** Sentences below the summary in the help text. */
  details?: string
  operands?: readonly Operand[]
  options: Own
  examples: readonly string[]
  /** Returns the exit status if it is a number. Otherwise the status is 0. */
  run(given: Run<Own>): Promise<unknown>
}

/** A command whose options are known only at run time. */
export type Command = Omit<Declared<Options>, 'run'> & { run(given: Run<Options>): Promise<unknown> }

export const command = <const Own extends Options>(declared: Declared<Own>): Command => declared as unknown as Command

/** Options of every command. */
export const commonOptions = {
  profile: { type: 'string', value: 'NAME', help: 'Profile of the login. Default: MILLRACE_PROFILE, or default' },
  json: { type: 'boolean', help: 'Print JSON for programs' },
  help: { type: 'boolean', short: 'h', help: 'Print this help' },
} as const satisfies Options
