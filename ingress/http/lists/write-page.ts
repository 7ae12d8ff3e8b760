import type { z } from 'zod'
import { whileInTurns } from '#lib/turns.ts'
import { Presented } from '../presented.ts'

/** Bytes of the items on one page. The items that do not fit are on the next page. */
export const maxPageBytes = 1024 * 1024

/** Rows that are read with one statement: a process must not have a hundred large ones to parse in one turn. */
const rowsAtOnce = 25

/** What items are written from. */
export interface ItemParts<Row> {
  operation: string
  /** Items at most. */
  limit: number
  item: z.ZodType
  /** Reads up to `count` rows in the list's order, behind the row `last` of this page or from where the page begins. */
  read: (last: Row | undefined, count: number) => Promise<readonly Row[]>
  /** Returns a row as an item, or undefined for a row that the page leaves out. */
  present: (row: Row) => unknown
}

/** What a page is written from. */
export interface PageParts<Row> extends ItemParts<Row> {
  /** Returns the cursor of the page that begins behind a row. */
  cursorAfter: (row: Row) => string
  /** Returns further fields of the answer. */
  more?: (hasMore: boolean) => object
}

/**
 * Reads and writes a page bit by bit. A page has at least one row and ends before the item with which it would have more than
 * `maxPageBytes`, so no page holds up the process, however large its items are.
 */
export async function writePage<Row>(parts: PageParts<Row>): Promise<Presented> {
  const { json, last, hasMore } = await writeItems(parts, maxPageBytes)
  const next = hasMore && last !== undefined ? parts.cursorAfter(last) : null
  const rest = JSON.stringify({ next_cursor: next, ...parts.more?.(hasMore) })
  return new Presented(`{"data":${json},${rest.slice(1)}`)
}

/** Reads and writes the items of a list bit by bit, as many as have `mostBytes` together. */
export async function writeItems<Row>(
  parts: ItemParts<Row>,
  mostBytes: number,
): Promise<{ json: string; last: Row | undefined; hasMore: boolean }> {
  const items = createItems(parts, mostBytes)
  for (;;) {
    const count = Math.min(rowsAtOnce, parts.limit - items.rows())
    const found = await parts.read(items.last(), count + 1)
    const isWhole = await whileInTurns(found.slice(0, count), items.add)
    const hasMore = !isWhole || found.length > count
    if (isWhole && hasMore && items.rows() < parts.limit) continue
    return { json: `[${items.texts.join(',')}]`, last: items.last(), hasMore }
  }
}

/** Returns the `read` of rows that were all read before. */
export function readFrom<Row>(rows: readonly Row[]): PageParts<Row>['read'] {
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
  if (error) throw new Error(`An item of ${operation} does not fit its schema.`, { cause: error })
  return JSON.stringify(data)
}
