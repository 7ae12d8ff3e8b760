import { badRequest, type Fault } from '#lib/errors.ts'
import type { Mapping } from './csv-rows.ts'
import { findAttributeFault } from './fields.ts'

export const maxMappings = 60

/**
 * Parses `map`: `Full name:name`, `Groups:tags`, `City:attributes.city`, `Orders:attributes.orders:number`. Throws 400.
 */
export function parseMappings(given: readonly string[]): Mapping[] {
  const faults: Fault[] = []
  const mappings = given.slice(0, maxMappings).flatMap((text): Mapping[] => {
    const read = readMapping(text)
    if (typeof read !== 'string') return [read]
    faults.push({ field: 'query.map', issue: `has \`${text.slice(0, 100)}\`, which ${read}` })
    return []
  })
  const targets = mappings.map(({ target }) => (typeof target === 'string' ? target : `attributes.${target.attribute}`))
  const twice = targets.find((target, i) => targets.indexOf(target) !== i)
  if (twice !== undefined) faults.push({ field: 'query.map', issue: `maps two columns to ${twice}` })
  if (faults.length > 0) throw badRequest(faults)
  const hasEmail = mappings.some(({ target }) => target === 'email')
  return hasEmail ? mappings : [{ column: 'email', target: 'email', isGiven: false }, ...mappings]
}

function readMapping(text: string): Mapping | string {
  const parts = text.split(':')
  const last = parts.at(-1)
  const type = last === 'number' || last === 'boolean' || last === 'text' ? last : undefined
  if (type) parts.pop()
  const target = parts.pop() ?? ''
  const column = parts.join(':').trim()
  if (column === '') return 'must be a column and its field, such as Full name:name or City:attributes.city'
  if (target === 'email' || target === 'name' || target === 'tags') {
    return type ? `cannot have a type for ${target}` : { column, target, isGiven: true }
  }
  const [root, attribute = '', ...more] = target.split('.')
  if (root !== 'attributes' || more.length > 0)
    return 'must be mapped to email, name, tags or an attribute such as attributes.city'
  const issue = findAttributeFault(attribute)
  return issue
    ? `has an attribute that ${issue}`
    : { column, target: { attribute, type: type ?? 'text' }, isGiven: true }
}
