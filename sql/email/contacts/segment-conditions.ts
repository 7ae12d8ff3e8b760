import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { sql } from '../../db.ts'

/** Each operator has the same meaning for every field that accepts it. */
export const Operator = z.enum([
  ...(['has', 'lacks', 'eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'contains'] as const),
  ...(['exists', 'missing', 'before', 'after'] as const),
])

export type Operator = z.infer<typeof Operator>

export const Condition = z.object({
  field: z.string(),
  op: Operator,
  value: z.union([z.string(), z.number(), z.boolean()]).optional(),
})

export type Condition = z.infer<typeof Condition>

export const Match = z.enum(['all', 'any'])

const Group = z.object({ match: Match, conditions: z.array(Condition) })

export const Segment = Group.extend({ groups: z.array(Group) })

export type Segment = z.infer<typeof Segment>

/** Maximum nesting depth of an attribute. */
export const maxDepth = 5

/** Returns an SQL condition for a contact `c`. Without a segment, all contacts match. */
export function matchesSegment(segment: Segment | null): FragmentSqlToken {
  if (segment === null) return sql.fragment`true`
  const { match, conditions, groups } = segment
  return joined(match, [
    ...conditions.map(holds),
    ...groups.map((group) => joined(group.match, group.conditions.map(holds))),
  ])
}

/** A segment without conditions matches no contact, because an empty list does not mean all contacts. */
function joined(match: z.infer<typeof Match>, parts: readonly FragmentSqlToken[]): FragmentSqlToken {
  if (parts.length === 0) return sql.fragment`false`
  return sql.fragment`(${sql.join(parts, match === 'all' ? sql.fragment` and ` : sql.fragment` or `)})`
}

/**
 * Returns an SQL condition. All values are parameters. A condition that the field does not support matches no contact.
 */
function holds({ field, op, value }: Condition): FragmentSqlToken {
  if (field === 'tag') return ofTags(op, String(value))
  if (field === 'topic') return ofTopic(op, String(value))
  if (field === 'created_at') {
    const instant = sql.fragment`${String(value)}::timestamptz`
    return op === 'before' ? sql.fragment`c.created_at < ${instant}` : sql.fragment`c.created_at >= ${instant}`
  }
  if (field === 'email') return ofText(sql.fragment`c.email`, op, String(value).toLowerCase())
  if (field === 'name') return ofText(sql.fragment`c.name`, op, String(value))
  return ofAttribute(field.split('.').slice(1, 1 + maxDepth), op, value)
}

function ofTags(op: Operator, tag: string): FragmentSqlToken {
  const has = sql.fragment`c.tags @> ${sql.array([tag], 'text')}`
  return op === 'lacks' ? sql.fragment`not ${has}` : has
}

function ofText(column: FragmentSqlToken, op: Operator, text: string): FragmentSqlToken {
  switch (op) {
    case 'eq':
      return sql.fragment`coalesce(${column} = ${text}, false)`
    case 'ne':
      return sql.fragment`${column} is distinct from ${text}`
    case 'contains':
      return sql.fragment`coalesce(strpos(lower(${column}), lower(${text})) > 0, false)`
    case 'exists':
      return sql.fragment`coalesce(${column} <> '', false)`
    case 'missing':
      return sql.fragment`coalesce(${column} = '', true)`
    default:
      return sql.fragment`false`
  }
}

/** A contact without a choice has the default of the topic. Nobody is subscribed to a topic that does not exist. */
function ofTopic(op: Operator, key: string): FragmentSqlToken {
  const isSubscribed = sql.fragment`
    coalesce((select coalesce(c.topics ->> t.key, t.default_state) = 'subscribed' from email.topics as t
      where t.org_id = c.org_id and t.key = ${key}), false)`
  if (op === 'has') return isSubscribed
  return op === 'lacks' ? sql.fragment`not ${isSubscribed}` : sql.fragment`false`
}

const comparisons = {
  gt: sql.fragment`>`,
  gte: sql.fragment`>=`,
  lt: sql.fragment`<`,
  lte: sql.fragment`<=`,
} as const

function ofAttribute(path: readonly string[], op: Operator, value: Condition['value']): FragmentSqlToken {
  const found = sql.fragment`(c.attributes #> ${sql.array([...path], 'text')})`
  const isThere = sql.fragment`coalesce(jsonb_typeof(${found}) <> 'null', false)`
  switch (op) {
    case 'eq':
      return sql.fragment`coalesce(${found} = ${JSON.stringify(value)}::jsonb, false)`
    case 'ne':
      return sql.fragment`${found} is distinct from ${JSON.stringify(value)}::jsonb`
    case 'exists':
      return isThere
    case 'missing':
      return sql.fragment`not ${isThere}`
    case 'contains':
      return contains(found, String(value))
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return compared(found, comparisons[op], value)
    default:
      return sql.fragment`false`
  }
}

/** Returns a condition for part of a string, ignoring case, or for an item of a list. */
const contains = (found: FragmentSqlToken, text: string): FragmentSqlToken => sql.fragment`
  case jsonb_typeof(${found}) when 'string' then strpos(lower(${found} #>> '{}'), lower(${text})) > 0
    when 'array' then ${found} @> ${JSON.stringify([text])}::jsonb else false end`

/**
 * Compares numbers with numbers and strings with strings, such as ISO 8601 dates. Values of different types never
 * match.
 */
const compared = (found: FragmentSqlToken, than: FragmentSqlToken, value: Condition['value']): FragmentSqlToken =>
  typeof value === 'number'
    ? sql.fragment`case jsonb_typeof(${found}) when 'number' then (${found} #>> '{}')::numeric ${than} ${String(value)}::numeric else false end`
    : sql.fragment`case jsonb_typeof(${found}) when 'string' then (${found} #>> '{}') collate "C" ${than} ${String(value)} else false end`
