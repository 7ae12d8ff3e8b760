import * as records from '#sql/account/streams/records.ts'
import type { Source, Target } from '#sql/account/streams/streams.ts'
import type { Db } from '#sql/db.ts'
import type { StreamRecord } from './engine.ts'
import { readRows, toGap } from './records.ts'

/** Part of a source up to the number `to`: one record, a gap, or a record that the stream does not want (null). */
export interface Item {
  to: number
  record: StreamRecord | null
  lost: number
}

interface Wanted {
  from: number
  limit: number
  bytes: number
}

/** Reads the next items of a source. Numbers without a row are a gap, because their records were deleted. */
export async function readItems(
  db: Db,
  target: Target,
  source: Source,
  { from, limit, bytes }: Wanted,
): Promise<readonly Item[]> {
  // The last number is read first. A row with a higher number can be added between the two reads, but none is missed.
  const last = await records.findLastNumber(db, target.org_id, source)
  const rows = await readRows(db, source, target, { orgId: target.org_id, after: from, limit, bytes })
  const items: Item[] = []
  let reached = from
  const addGap = (to: number) => {
    const record = toGap(target, source, { from: reached + 1, to })
    items.push({ to, record, lost: to - reached })
    reached = to
  }
  let missing = from
  for (const { number, record, isLost } of rows) {
    if (isLost) {
      missing = number
      continue
    }
    if (number - 1 > reached) addGap(number - 1)
    items.push({ to: number, record, lost: 0 })
    reached = number
  }
  const end = rows.length === 0 ? last : missing
  if (end > reached) addGap(end)
  return items
}
