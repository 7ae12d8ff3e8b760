import type { z } from 'zod'
import { everyInTurns } from '#lib/turns.ts'
import { PresentedJson } from '../presented.ts'

export const maxPageBytes = 1024 * 1024

/** Maximum number of rows per statement. A process does not have to parse a hundred large rows at a time. */
const rowsAtOnce = 25

export interface ItemParts<Row> {
  operation: string
  limit: number
  item: z.ZodType
  read: (last: Row | undefined, count: number) => Promise<readonly Row[]>
  present: (row: Row) => unknown
}

export interface PageParts<Row> extends ItemParts<Row> {
  cursorAfter: (row: Row) => string
  more?: (hasMore: boolean) => object
}

/**
 * Reads and writes a page of a list in parts. A page has at least one row and ends before `maxPageBytes`. So large
 * items do not block the process.
 */
export async function writePage<Row>(parts: PageParts<Row>): Promise<PresentedJson> {
  const { json, last, hasMore } = await writeItems(parts, maxPageBytes)
  const next = hasMore && last !== undefined ? parts.cursorAfter(last) : null
  const rest = JSON.stringify({ next_cursor: next, ...parts.more?.(hasMore) })
  return new PresentedJson(`{"data":${json},${rest.slice(1)}`)
}

export async function writeItems<Row>(
  parts: ItemParts<Row>,
  mostBytes: number,
): Promise<{ json: string; last: Row | undefined; hasMore: boolean }> {
  const items = createItems(parts, mostBytes)
  for (;;) {
    const count = Math.min(rowsAtOnce, parts.limit - items.rows())
    const found = await parts.read(items.last(), count + 1)
    const isWhole = await everyInTurns(found.slice(0, count), items.add)
    const hasMore = !isWhole || found.length > count
    if (isWhole && hasMore && items.rows() < parts.limit) continue
    return { json: `[${items.texts.join(',')}]`, last: items.last(), hasMore }
  }
}

export function readFromArray<Row>(rows: readonly Row[]): PageParts<Row>['read'] {
  return async (last, count) => {
    const from = last === undefined ? 0 : rows.indexOf(last) + 1
    return rows.slice(from, from + count)
  }
}

function createItems<Row>(parts: ItemParts<Row>, mostBytes: number) {
  const texts: string[] = []
  let [bytes, rows] = [0, 0]
  let last: Row | undefined
  return {
    texts,
    rows: () => rows,
    last: () => last,
    add(row: Row): boolean {
      const text = itemText(parts, row)
      const added = text === undefined ? 0 : Buffer.byteLength(text) + 1
      if (rows > 0 && bytes + added > mostBytes) return false
      if (text !== undefined) texts.push(text)
      bytes += added
      rows++
      last = row
      return true
    },
  }
}

function itemText<Row>({ operation, item, present }: ItemParts<Row>, row: Row): string | undefined {
  const value = present(row)
  if (value === undefined) return undefined
  const { data, error } = item.safeParse(value)
  if (error) throw new Error(`An item of ${operation} does not match its schema.`, { cause: error })
  return JSON.stringify(data)
}
