import type { Fault } from '../errors.ts'
import { maxLength, type Part } from '../placeholders.ts'
import { findFaults, findParseFault } from './faults.ts'
import { collectNames, createLanguage, withSources } from './language.ts'

export type Sources = Partial<Record<Part, string | null>>

export interface RenderWork {
  sources: Sources
  /** Partials and layouts by alias. */
  partials: Readonly<Record<string, Sources>>
  variables: object
  /** Values that partials see too. */
  globals: object
}

export interface CheckWork {
  sources: Sources
}

export interface RenderResult {
  parts: Record<Part, string | null>
  faults: Fault[]
}

export interface CheckResult {
  faults: { part: Part; issue: string }[]
  /** Names of the variables that a message has to set, in order. */
  variables: string[]
  /** Aliases of the partials and layouts. */
  uses: string[]
}

const names = ['subject', 'html', 'text'] as const

const languages = { subject: createLanguage('subject'), html: createLanguage('html'), text: createLanguage('text') }

export function work(given: RenderWork | CheckWork): RenderResult | CheckResult {
  return 'partials' in given ? render(given) : check(given)
}

function render({ sources, partials, variables, globals }: RenderWork): RenderResult {
  const parts: RenderResult['parts'] = { subject: null, html: null, text: null }
  const faults: Fault[] = []
  for (const part of names) {
    const source = sources[part]
    if (typeof source !== 'string') continue
    const others = Object.entries(partials).flatMap(([alias, { [part]: text }]): [string, string][] =>
      typeof text === 'string' ? [[alias, text]] : [],
    )
    try {
      const made = withSources(new Map(others), () => languages[part].render(source, variables, globals))
      parts[part] = part === 'subject' ? toLine(made) : made
    } catch (error) {
      faults.push(...findFaults(part, error).filter(({ field }) => !faults.some((one) => one.field === field)))
    }
    const { length = 0 } = parts[part] ?? ''
    if (length > maxLength[part])
      faults.push({
        field: 'body.variables',
        issue: `must not make the ${part} longer than ${maxLength[part]} characters`,
      })
  }
  return { parts, faults }
}

/** Line breaks of a subject are spaces, because a line break would start another header (RFC 5322 §2.2). */
const toLine = (text: string) => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()

function check({ sources }: CheckWork): CheckResult {
  const result: CheckResult = { faults: [], variables: [], uses: [] }
  const [variables, uses] = [new Set<string>(), new Set<string>()]
  for (const part of names) {
    const source = sources[part]
    if (typeof source !== 'string') continue
    try {
      for (const name of collectNames(() => languages[part].parseAfresh(source))) uses.add(name)
      for (const name of languages[part].variablesOf(source)) variables.add(name)
    } catch (error) {
      result.faults.push({ part, issue: findParseFault(error) })
    }
  }
  return { ...result, variables: [...variables], uses: [...uses] }
}
