import type { Fault } from '../errors.ts'
import type { Part } from '../placeholders.ts'

interface LiquidFault extends Error {
  /** Name of a missing variable in the data, if a loop has another name for it. */
  path?: string
  /** True for a variable of a partial, which has its own names. */
  isOfPartial?: boolean
  errors?: LiquidFault[]
  originalError?: Error
  token?: { getText?(): string; input?: string; begin?: number }
}

/** Maximum number of errors that a response names. */
const most = 50

/** Maximum number of characters of customers’ text in an error. */
const mostText = 80

const cut = (text: string) => text.slice(0, mostText).replaceAll(/\p{Cc}+/gu, ' ')

/** Liquid puts errors of loops and blocks into errors. */
export function* eachError(error: LiquidFault): Generator<LiquidFault> {
  if (error.errors) for (const one of error.errors) yield* eachError(one)
  else if (isNested(error.originalError)) yield* eachError(error.originalError)
  else yield error
}

const isNested = (error: Error | undefined): error is LiquidFault =>
  error !== undefined && ('errors' in error || error.name === 'UndefinedVariableError')

/** Returns an issue for each variable that is missing, and for everything else that stopped the rendering. */
export function findFaults(part: Part, error: unknown): Fault[] {
  const faults = new Map<string, string>()
  for (const one of eachError(error as LiquidFault)) {
    if (faults.size >= most) break
    if (one.name === 'UndefinedVariableError')
      faults.set(`body.variables.${nameOf(one)}`, 'is required by the template')
    else faults.set('body.template_id', `cannot be rendered: ${part} ${reasonOf(one)}`)
  }
  return [...faults].map(([field, issue]) => ({ field, issue }))
}

const nameOf = ({ path, token, message }: LiquidFault): string =>
  cut(path ?? token?.getText?.() ?? /undefined variable: ([^,\n]+)/.exec(message)?.[1] ?? '')

function reasonOf(error: LiquidFault): string {
  const { originalError: cause = error, token } = error
  const text = cause.message
  const place = token?.getText ? `, at \`${cut(token.getText())}\`` : ''
  if (text.includes('template render limit')) return 'takes too long'
  if (text.includes('memory alloc limit')) return 'needs too much memory'
  if (cause instanceof RangeError) return `is nested too deep or too long${place}`
  const missing = /^ENOENT: Failed to lookup "([^"]{0,200})"/.exec(text)?.[1]
  if (missing !== undefined)
    return `uses the partial or layout "${cut(missing)}", which does not exist or has no content for this part`
  return `${cut(text)}${place}`
}

/** Returns what is wrong with the source, with its line. */
export function findParseFault(error: unknown): string {
  const [first = error as LiquidFault] = eachError(error as LiquidFault)
  const { token, originalError } = first
  const text = (originalError?.message ?? first.message).replace(/, line:.*$/s, '').replace(/\.$/, '')
  const line = token?.input === undefined ? '' : ` (line ${token.input.slice(0, token.begin).split('\n').length})`
  return `is not valid Liquid: ${text.slice(0, 160).replaceAll(/\p{Cc}+/gu, ' ')}${line}`
}
