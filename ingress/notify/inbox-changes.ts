import type { DatabasePool } from '#sql/db.ts'
import * as inbox from '#sql/notify/inbox.ts'
import { type Person, position } from '#sql/notify/users.ts'
import { formatEvent } from '../http/event-stream.ts'
import { present } from './item.ts'

/** Items, and marks, that one look at an inbox takes at most; who has missed more is told to load the inbox anew. */
const maxChanges = 500

/** Ids in one event. */
const maxIds = 100

/** What has happened to an inbox. */
export interface Changes {
  /** The change behind which was looked. */
  asked: number
  /** The change behind which nothing is missing. */
  complete: number
  /** The last change that was looked at. */
  upTo: number
  items: readonly inbox.Item[]
  reads: readonly inbox.ReadItem[]
  unread: ReadonlyMap<string, number>
}

/** Reads what happened to an inbox after a change; undefined asks only how it stands. */
export async function readChanges(db: DatabasePool, person: Person, after: number | undefined): Promise<Changes> {
  const { last, forgotten } = await position(db, person)
  const asked = after ?? last
  const range = { after: Math.max(asked, forgotten), upTo: last }
  const isBehind = range.after < range.upTo
  const [items, reads, unread] = await Promise.all([
    isBehind ? inbox.listNew(db, person, range, maxChanges) : [],
    isBehind ? inbox.listRead(db, person, range, maxChanges) : [],
    inbox.countUnread(db, person),
  ])
  // The newest were taken: of a full list the oldest change may be there in part.
  const complete = Math.max(
    forgotten,
    items.length === maxChanges ? (items.at(-1)?.number as number) - 1 : 0,
    reads.length === maxChanges ? (reads.at(-1)?.read_number as number) : 0,
  )
  return { asked, complete, upTo: last, items, reads, unread }
}

/** What a stream is to be told. */
interface StreamState {
  productKey: string | undefined
  /** The last change that its client has seen. */
  after: number
  /** It knows how many items are unread. */
  greeted: boolean
}

/** The events of a stream, in the order of what happened; none when there is nothing new. */
export function eventsFor(changes: Changes, { productKey, after, greeted }: StreamState): string {
  const { complete, upTo, unread } = changes
  if (after === upTo && greeted) return ''
  const counts = [...unread].filter(([product]) => productKey === undefined || product === productKey)
  const unread_count = counts.reduce((sum, [, count]) => sum + count, 0)
  const counted = formatEvent('unread_count', { unread_count }, upTo)
  if (after < complete || after > upTo) return formatEvent('reset', {}, upTo) + counted
  const matchesProduct = (one: { product_key: string }) => productKey === undefined || one.product_key === productKey
  const items = changes.items.filter((item) => item.number > after && matchesProduct(item))
  const reads = changes.reads.filter((read) => read.read_number > after && matchesProduct(read))
  const events = [
    ...items.map((item) => ({ number: item.number, text: formatEvent('item', present(item), item.number) })),
    ...[...Map.groupBy(reads, ({ read_number }) => read_number)].map(([number, group]) => ({
      number,
      text: readEvents(number, group),
    })),
  ]
  return events
    .sort((a, b) => a.number - b.number)
    .map(({ text }) => text)
    .concat(counted)
    .join('')
}

/** What was read at once; only the last event has the id, so that a client that was cut off between two gets all again. */
function readEvents(number: number, group: readonly inbox.ReadItem[]): string {
  const read_at = group[0]?.read_at
  const chunks = Array.from({ length: Math.ceil(group.length / maxIds) }, (_, i) =>
    group.slice(i * maxIds, (i + 1) * maxIds).map(({ id }) => id),
  )
  return chunks
    .map((ids, i) => formatEvent('read', { ids, read_at }, i === chunks.length - 1 ? number : undefined))
    .join('')
}
