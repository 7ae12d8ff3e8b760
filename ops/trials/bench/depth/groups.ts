import type pg from 'pg'
import type { CatalogTable } from './catalog.ts'
import type { Subject } from './subjects.ts'

/** Subjects that are measured together, and the tables that have many rows during the measurement. */
export interface Group {
  area: string
  tables: CatalogTable[]
  bytes: number
  subjects: Subject[]
}

/**
 * Divides subjects into groups whose tables fit on the disk together. A subject that reads more is in several groups,
 * each with a part of its tables.
 */
export function groupSubjects(
  subjects: readonly Subject[],
  tables: readonly CatalogTable[],
  { bytesOf, most }: { bytesOf: (table: string) => number; most: number },
): Group[] {
  const named = new Map(tables.map((table) => [table.name, table]))
  const groups: Group[] = []
  const tablesOf = (subject: Subject) => subject.tables.flatMap((name) => named.get(name) ?? [])
  // The largest first, so that the tables of the others are mostly in a group already.
  const largestFirst = subjects.toSorted((a, b) => sum(tablesOf(b), bytesOf) - sum(tablesOf(a), bytesOf))
  for (const subject of largestFirst) {
    const read = tablesOf(subject)
    const parts = split(read, bytesOf, most)
    for (const [at, part] of parts.entries()) {
      const name = parts.length === 1 ? subject.name : `${subject.name} (part ${at + 1} of ${parts.length})`
      const group = findRoom(groups, { area: subject.area, part, bytesOf, most })
      if (group) group.subjects.push({ ...subject, name })
      else
        groups.push({ area: subject.area, tables: part, bytes: sum(part, bytesOf), subjects: [{ ...subject, name }] })
    }
  }
  return groups
}

/** Reads the sizes of tables with all their partitions, indexes and long values. */
export async function readSizes(client: pg.Client, tables: readonly CatalogTable[]): Promise<Map<string, number>> {
  const { rows } = await client.query<{ name: string; bytes: string }>(
    `select name, (select coalesce(sum(pg_total_relation_size(p.relid)), 0) from (
       select relid from pg_partition_tree(name::regclass) union select name::regclass) as p) as bytes
     from unnest($1::text[]) as name`,
    [tables.map(({ name }) => name)],
  )
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]))
}

interface Wanted {
  area: string
  part: CatalogTable[]
  bytesOf: (table: string) => number
  most: number
}

/** Returns the group of the area that needs the fewest further bytes, with the tables added. */
function findRoom(groups: readonly Group[], { area, part, bytesOf, most }: Wanted): Group | undefined {
  const further = (group: Group) => part.filter((table) => !group.tables.includes(table))
  const added = (group: Group) => sum(further(group), bytesOf)
  const [best] = groups
    .filter((group) => group.area === area && group.bytes + added(group) <= most)
    .sort((a, b) => added(a) - added(b))
  if (!best) return undefined
  best.bytes += added(best)
  best.tables.push(...further(best))
  return best
}

function split(tables: readonly CatalogTable[], bytesOf: (table: string) => number, most: number): CatalogTable[][] {
  const parts: CatalogTable[][] = [[]]
  for (const table of tables) {
    const last = parts.at(-1) as CatalogTable[]
    if (last.length > 0 && sum([...last, table], bytesOf) > most) parts.push([table])
    else last.push(table)
  }
  return parts
}

const sum = (tables: readonly CatalogTable[], bytesOf: (table: string) => number) =>
  tables.reduce((bytes, { name }) => bytes + bytesOf(name), 0)
