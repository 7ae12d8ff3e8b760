import type { Schema, Walked } from '../../support/extremes.ts'
import { unstored } from './form.ts'
import { forms } from './forms.ts'
import { type Leaves, leavesOf, missingFrom, plainName } from './holds.ts'
import type { Written } from './writes.ts'

type Reasons = Readonly<Record<string, string>>

/** Returns requests that were refused, or failed. */
export const findRefused = (written: readonly Written[]): string[] =>
  written
    .filter(({ reply }) => reply.status >= 300)
    .map(({ operation: { id }, body, reply }) => `${id} ${reply.status} ${reply.text}\n${JSON.stringify(body)}`)

/** Returns fields of forms that no accepted request had. */
export function findUnsent(
  operations: readonly Walked[],
  written: readonly Written[],
  resolve: (schema: Schema) => Schema,
): string[] {
  return operations.flatMap(({ id, body }) => {
    const bodies = written.filter(({ operation }) => operation.id === id).map((one) => one.body)
    const { apart = {} } = forms[id] ?? {}
    return Object.keys(resolve(body ?? {}).properties ?? {})
      .filter((field) => !(field in apart) && !bodies.some((sent) => field in sent))
      .map((field) => `${id} ${field}`)
  })
}

/** Returns fields that no read shows after they were accepted. */
export const findUnshown = (written: readonly Written[], also?: 'untested'): string[] =>
  written.flatMap(({ operation: { id }, body, shown }) =>
    findMissing(id, body, [leavesOf(shown)], { ...unstored, ...forms[id]?.unshown, ...(also && forms[id]?.[also]) }),
  )

/** Returns fields that are in none of the archives. */
export const findUnexported = (
  written: readonly Written[],
  archives: readonly ReadonlyMap<string, Leaves>[],
): string[] =>
  written.flatMap(({ operation: { id }, body }) => {
    const ofArea = archives.map((tables) => tables.get(id.split('.')[0] ?? '') ?? new Map())
    return findMissing(id, body, ofArea, { ...unstored, ...forms[id]?.unexported })
  })

function findMissing(id: string, body: object, places: readonly Leaves[], excused: Reasons): string[] {
  const isExcused = Object.keys(excused).map(plainName)
  return Object.entries(body).flatMap(([name, value]) => {
    if (isExcused.includes(plainName(name))) return []
    const [first = [], ...others] = places.map((read) => missingFrom(read, name, value))
    return first
      .filter((one) =>
        others.every((missing) => missing.some(({ field, leaf }) => field === one.field && leaf === one.leaf)),
      )
      .filter(({ field }) => !isExcused.includes(field))
      .map(({ field, leaf }) => `${id} ${name}: ${field} ${leaf}`)
  })
}
