import type { Schema, Walked } from '../../support/extremes.ts'
import type { Reply } from '../../support/ingress.ts'
import { filterFields, filtersApart, requiredOf } from './filters-apart.ts'
import { uniqueText } from './samples.ts'
import type { Writer } from './writes.ts'

type Item = Record<string, unknown>
type Ask = (request: string) => Promise<Reply>

interface Filter {
  /** Returns the items that the list has with a query. */
  list(query?: Readonly<Record<string, string>>): Promise<readonly Item[]>
  name: string
  /** Names of the fields of an item that lead to what it compares with. */
  field: readonly string[]
  schema: Schema
}

/**
 * Returns a fault for each filter of a list that leaves out an item with its value, keeps one without, or could not be
 * tried, because no item has such a field.
 */
export async function findIgnoredFilters(
  lists: readonly Walked[],
  resolve: (schema: Schema) => Schema,
  writer: Pick<Writer, 'placeOf'>,
  ask: Ask,
): Promise<string[]> {
  const faults: string[] = []
  for (const { id, path: template, parameters } of lists) {
    const filters = parameters
      .filter((one) => one.in === 'query' && !['limit', 'cursor'].includes(one.name))
      .map(({ name, schema }) => ({ filter: `${id} ${name}`, name, schema: resolve(schema) }))
      .filter(({ filter }) => !filtersApart.some(([pattern]) => pattern.test(filter)))
    if (filters.length === 0) continue
    const place = writer.placeOf(template)
    const list = async (query = {}): Promise<readonly Item[]> => {
      const { body } = await ask(`GET ${place}?${new URLSearchParams({ limit: '100', ...requiredOf(id), ...query })}`)
      return body?.data ?? []
    }
    for (const { filter, name, schema } of filters) {
      const field = filterFields[filter] ?? [name]
      const found = await findFaults({ list, name, field, schema })
      faults.push(...found.map((fault) => `${filter} ${fault}`))
    }
  }
  return faults
}

async function findFaults({ list, name, field, schema }: Filter): Promise<string[]> {
  const compared = (item: unknown) => field.reduce((at, part) => (at as Item | null)?.[part], item)
  const value = (await list()).map(compared).find((one) => isScalar(one) && (schema.enum?.includes(one) ?? true))
  if (value === undefined) return ['is not tried: no item has the field']
  const having = (items: readonly Item[]) => items.filter((one) => compared(one) === value)
  const other = otherThan(value, schema)
  const found = await list({ [name]: String(value) })
  const others = await list({ [name]: other })
  return [
    ...(having(found).length === 0 ? [`=${value} leaves out an item that has it`] : []),
    ...(having(found).length < found.length ? [`=${value} keeps items without it`] : []),
    ...(having(others).length > 0 ? [`=${other} keeps an item with ${value}`] : []),
  ]
}

const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)

function otherThan(value: unknown, { enum: options, format }: Schema): string {
  const option = options?.find((one) => one !== value)
  if (option !== undefined) return String(option)
  if (typeof value !== 'string') return String(typeof value === 'boolean' ? !value : Number(value) + 1)
  if (format === 'uuid') return '0199aa00-0000-7000-8000-000000000000'
  return value.includes('@') ? `${uniqueText()}@others.example` : uniqueText()
}
