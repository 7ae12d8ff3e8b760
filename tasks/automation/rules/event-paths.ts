import { z } from 'zod'
import { allTypes, type EventType, eventKinds } from '../../webhooks/rules/event-types.ts'
import { isMatchingType } from '../../webhooks/rules/wants.ts'

interface Node {
  type?: string | readonly string[]
  description?: string
  enum?: readonly unknown[]
  properties?: Readonly<Record<string, Node>>
  additionalProperties?: Node | boolean
  items?: Node | boolean
  anyOf?: readonly Node[]
  $ref?: string
}

interface Root extends Node {
  $defs?: Readonly<Record<string, Node>>
}

const roots = new Map<EventType, Root>()

function getRoot(type: EventType): Root {
  const known = roots.get(type)
  if (known) return known
  const root = z.toJSONSchema(eventKinds[type].data, { io: 'input', unrepresentable: 'any' }) as Root
  roots.set(type, root)
  return root
}

/** Returns the event types that a pattern matches, such as `email.*`. */
export const typesOf = (pattern: string): EventType[] => allTypes.filter((type) => isMatchingType(pattern, type))

/** True if the data of at least one of these event types can have the field, such as `metadata.order`. */
export const isKnownPath = (types: readonly EventType[], path: string): boolean =>
  types.some((type) => {
    const root = getRoot(type)
    return canHave(root, root, path.split('.'))
  })

/** Returns the options of a node: itself, or the options of a union without the references. */
function optionsOf(root: Root, node: Node): Node[] {
  const target = node.$ref?.startsWith('#/$defs/') ? root.$defs?.[node.$ref.slice('#/$defs/'.length)] : node
  if (!target) return []
  return target.anyOf ? target.anyOf.flatMap((one) => optionsOf(root, one)) : [target]
}

function canHave(root: Root, node: Node, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true
  return name !== '' && optionsOf(root, node).some((option) => optionHas(root, option, name, rest))
}

function optionHas(root: Root, option: Node, name: string, rest: readonly string[]): boolean {
  const { type, properties, additionalProperties, items } = option
  if (type === 'array') return /^\d{1,4}$/.test(name) && canHave(root, typeof items === 'object' ? items : {}, rest)
  // A schema without a type accepts every value.
  if (type !== 'object') return type === undefined && !properties
  const own = properties && Object.hasOwn(properties, name) ? properties[name] : undefined
  if (own) return canHave(root, own, rest)
  // Names of records can contain dots.
  return typeof additionalProperties === 'object' || (additionalProperties === true && !properties)
}

export interface EventField {
  path: string
  type: string
  description: string
}

/** Maximum depth of listed fields. */
const maxDepth = 4

/** Returns the fields of an event type’s data with their types, for pickers. A record ends with `.…`. */
export function listEventFields(type: EventType): readonly EventField[] {
  const root = getRoot(type)
  return fieldsBelow(root, root, '', 0)
}

function fieldsBelow(root: Root, node: Node, before: string, depth: number): EventField[] {
  if (depth >= maxDepth) return []
  return optionsOf(root, node).flatMap(({ properties, additionalProperties }) => [
    ...Object.entries(properties ?? {}).flatMap(([name, field]) => {
      const path = before + name
      const below = fieldsBelow(root, field, `${path}.`, depth + 1)
      return below.length > 0 ? below : [{ path, type: typeOf(root, field), description: field.description ?? '' }]
    }),
    ...(typeof additionalProperties === 'object' && !properties
      ? [{ path: `${before}…`, type: typeOf(root, additionalProperties), description: '' }]
      : []),
  ])
}

const typeOf = (root: Root, node: Node): string =>
  [...new Set(optionsOf(root, node).flatMap(({ type }) => type ?? 'any'))].join(' or ')

/** Returns a value of an event’s data by its path. Undefined if it does not exist. */
export function getValue(data: unknown, path: string): unknown {
  let value: unknown = data
  const names = path.split('.')
  for (const [i, name] of names.entries()) {
    if (typeof value !== 'object' || value === null) return undefined
    // Names of records can contain dots.
    const whole = names.slice(i).join('.')
    if (!Array.isArray(value) && whole !== name && Object.hasOwn(value, whole))
      return (value as Record<string, unknown>)[whole]
    if (!Object.hasOwn(value, name) || (Array.isArray(value) && !/^\d+$/.test(name))) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}
