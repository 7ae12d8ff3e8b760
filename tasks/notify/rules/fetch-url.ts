import { listPlaceholders } from '#lib/placeholders.ts'
import { findUrlFault } from '../../webhooks/rules/endpoint-url.ts'
import { type Facts, getFact } from './conditions.ts'
import { faultIn } from './text-placeholders.ts'

const whole = /\{\{[^{}]*\}\}/g

/** Returns the issue of a `fetch` step’s URL, without a DNS lookup. Placeholders are allowed in path and query. */
export function findFetchUrlFault(template: string, { local }: { local: boolean }): string | undefined {
  const fault = faultIn(template)
  if (fault !== undefined) return fault
  const [one, other] = ['x', 'y'].map((value) => URL.parse(template.replaceAll(whole, value)))
  if (one?.origin !== other?.origin) return 'can have placeholders only after the host'
  return findUrlFault(template.replaceAll(whole, 'x'), { local })
}

/**
 * Returns the URL of a request, with the encoded values of its placeholders. Undefined if a value would change the
 * path’s structure, such as `..`.
 */
export function fillFetchUrl(template: string, facts: Facts): URL | undefined {
  const values = new Map(listPlaceholders(template).map((name) => [name, encodeURIComponent(getFact(facts, name))]))
  const filledOf = (found: string): string => values.get(listPlaceholders(found)[0] ?? '') ?? ''
  const [filled, plain] = [URL.parse(template.replaceAll(whole, filledOf)), URL.parse(template.replaceAll(whole, 'x'))]
  const depthOf = (url: URL | null) => url?.pathname.split('/').length
  return filled && filled.origin === plain?.origin && depthOf(filled) === depthOf(plain) ? filled : undefined
}
