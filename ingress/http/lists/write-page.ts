import type { z } from 'zod'
import { whileInTurns } from '#lib/turns.ts'
import { Presented } from '../presented.ts'

/** Bytes of the items on one page. The items that do not fit are on the next page. */
export const maxPageBytes = 1024 * 1024

/** Rows that are read with one statement: a process must not have a hundred large ones to parse in one turn. */
const rowsAtOnce = 25

/** What a page is written from. */
export interface PageParts<Row> {
  operation: string
  /** Items on the page. */
  limit: number
  item: z.ZodType
  /** Reads up to `count` rows in the list's order, behind the row `last` of this page or from where the page begins. */
  read: (last: Row | undefined, count: number) => Promise<readonly Row[]>
  /** Returns a row as an item, or undefined for a row that the page leaves out. */
  present: (row: Row) => unknown
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
  const page = createPage(parts)
  for (;;) {
    const count = Math.min(rowsAtOnce, parts.limit - page.rows())
    const found = await parts.read(page.last(), count + 1)
    const isWhole = await whileInTurns(found.slice(0, count), page.add)
    if (!isWhole) return page.answer(true)
    if (found.length <= count) return page.answer(false)
    if (page.rows() >= parts.limit) return page.answer(true)
  }
}

function createPage<Row>(parts: PageParts<Row>) {
  const items: string[] = []
  let [bytes, rows] = [0, 0]
  let last: Row | undefined
  return {
    rows: () => rows,
    last: () => last,
    add(row: Row): boolean {
      const text = itemText(parts, row)
      const added = text === undefined ? 0 : Buffer.byteLength(text) + 1
      if (rows > 0 && bytes + added > maxPageBytes) return false
      if (text !== undefined) items.push(text)
      bytes += added
      rows++
      last = row
      return true
    },
    answer(hasMore: boolean): Presented {
      const next = hasMore && last !== undefined ? parts.cursorAfter(last) : null
      const rest = JSON.stringify({ next_cursor: next, ...parts.more?.(hasMore) })
      return new Presented(`{"data":[${items.join(',')}],${rest.slice(1)}`)
    },
  }
}

function itemText<Row>({ operation, item, present }: PageParts<Row>, row: Row): string | undefined {
  const value = present(row)
  if (value === undefined) return undefined
  const { data, error } = item.safeParse(value)
  if (error) throw new Error(`An item of ${operation} does not fit its schema.`, { cause: error })
  return JSON.stringify(data)
}
