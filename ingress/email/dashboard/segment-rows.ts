import { z } from 'zod'
import { badRequest, type Fault, Problem } from '#lib/errors.ts'
import type { Condition, Segment } from '#sql/email/contacts/segment-conditions.ts'
import { type FormValues, repeatedField } from '../../http/html/form.ts'
import { formatValue, parseScalar } from './condition-lines.ts'

const words = (max: number) => repeatedField(z.string().max(max))

/** A row of the builder is the fields with the same position. `group` 0 is the segment itself. */
export const rowFields = {
  match: z.enum(['all', 'any']).default('all'),
  group_match: words(3),
  group: words(3),
  field: words(20),
  path: words(400),
  op: words(20),
  value: words(500),
}

export interface ConditionRow {
  group: number
  field: string
  path: string
  op: string
  value: string
}

export interface Builder {
  match: string
  /** Match of each group after the segment itself. */
  groups: readonly string[]
  rows: readonly ConditionRow[]
}

const first: Omit<ConditionRow, 'group'> = { field: 'tag', path: '', op: 'has', value: '' }

export const emptyRow = (group: number): ConditionRow => ({ group, ...first })

type GivenRows = Pick<z.output<z.ZodObject<typeof rowFields>>, keyof typeof rowFields>

const most = 10

export function toBuilder(given: GivenRows): Builder {
  const rows = given.field.map((field, i) => ({
    group: Math.min(most, Math.max(0, Number(given.group[i]) || 0)),
    field,
    path: given.path[i] ?? '',
    op: given.op[i] ?? '',
    value: given.value[i] ?? '',
  }))
  return { match: given.match, groups: given.group_match.slice(0, most), rows }
}

/** Reads the builder of a form that was refused. */
export function readBuilder(given: FormValues): Builder | undefined {
  const parsed = z.object(rowFields).safeParse(given)
  return parsed.success && parsed.data.field.length > 0 ? toBuilder(parsed.data) : undefined
}

export function fromSegment({ match, conditions, groups }: Segment): Builder {
  const rowOf = (group: number) => (condition: Condition) => fromCondition(condition, group)
  const rows = [...conditions.map(rowOf(0)), ...groups.flatMap((one, i) => one.conditions.map(rowOf(i + 1)))]
  return { match, groups: groups.map((one) => one.match), rows }
}

function fromCondition({ field, op, value }: Condition, group: number): ConditionRow {
  const [root = '', ...path] = field.split('.')
  const isAttribute = root === 'attributes'
  const text = value === undefined ? '' : isAttribute ? formatValue(value) : String(value)
  return { group, field: root, path: isAttribute ? path.join('.') : '', op, value: text }
}

/** Adds or removes a row or a group: `add:0`, `drop:3`, `group`. */
export function changeBuilder({ match, groups, rows }: Builder, what: string): Builder {
  const [verb, number] = what.split(':')
  if (verb === 'add') return { match, groups, rows: [...rows, emptyRow(Number(number) || 0)] }
  if (verb === 'group' && groups.length < most) {
    return { match, groups: [...groups, 'any'], rows: [...rows, emptyRow(groups.length + 1)] }
  }
  if (verb !== 'drop') return { match, groups, rows }
  return withoutEmptyGroups({ match, groups, rows: rows.filter((_, i) => i !== Number(number)) })
}

function withoutEmptyGroups({ match, groups, rows }: Builder): Builder {
  const kept = groups.flatMap((one, i) => (rows.some(({ group }) => group === i + 1) ? [{ one, before: i + 1 }] : []))
  const place = new Map(kept.map(({ before }, i) => [before, i + 1]))
  return {
    match,
    groups: kept.map(({ one }) => one),
    rows: rows.map((row) => ({ ...row, group: place.get(row.group) ?? 0 })),
  }
}

const withoutValue = ['exists', 'missing']

const isBlank = ({ path, op, value }: ConditionRow): boolean =>
  value.trim() === '' && path.trim() === '' && !withoutValue.includes(op)

function toCondition({ field, path, op, value }: ConditionRow) {
  const text = value.trim()
  const name = field === 'attributes' ? `attributes.${path.trim()}` : field
  if (withoutValue.includes(op) || text === '') return { field: name, op }
  if (field === 'attributes') return { field: name, op, value: op === 'contains' ? text : parseScalar(text) }
  return {
    field: name,
    op,
    value: field === 'created_at' && /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text,
  }
}

/** Returns the body for the API, and for each of its conditions the position of its row. */
export function toRule({ match, groups, rows }: Builder) {
  const places = [0, ...groups.map((_, i) => i + 1)].map((group) =>
    rows.flatMap((row, i) => (row.group === group && !isBlank(row) ? [i] : [])),
  )
  const conditionsOf = (group: number) => (places[group] ?? []).map((i) => toCondition(rows[i] as ConditionRow))
  const used = groups.flatMap((_, i) => ((places[i + 1] ?? []).length > 0 ? [i + 1] : []))
  const body = {
    match,
    conditions: conditionsOf(0),
    groups: used.map((group) => ({
      match: groups[group - 1] === 'all' ? 'all' : 'any',
      conditions: conditionsOf(group),
    })),
  }
  const rowOf = (field: string): number | undefined => {
    const [, group, place] = /^body\.(?:groups\.(\d+)\.)?conditions\.(\d+)/.exec(field) ?? []
    if (place === undefined) return undefined
    return places[group === undefined ? 0 : (used[Number(group)] ?? 0)]?.[Number(place)]
  }
  return { body, rowOf }
}

/** Calls the API. Faults of conditions get the name of their row: `row3`. */
export async function withRows<T>(rowOf: (field: string) => number | undefined, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof Problem) || !Array.isArray(error.details)) throw error
    const faults = (error.details as Fault[]).map(({ field, issue }) => {
      const row = rowOf(field)
      return row === undefined ? { field, issue } : { field: `form.row${row}`, issue: `${partOf(field)} ${issue}` }
    })
    throw error.status === 400 ? badRequest(faults) : error
  }
}

const parts: Readonly<Record<string, string>> = { field: 'Field', op: 'Operator', value: 'Value' }

const partOf = (field: string): string => parts[field.split('.').at(-1) ?? ''] ?? 'Condition'
