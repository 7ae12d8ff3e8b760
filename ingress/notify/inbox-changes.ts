import type { DatabasePool } from '#sql/db.ts'
import * as inbox from '#sql/notify/inbox.ts'
import { listMarked, type MarkedItem } from '#sql/notify/inbox-marks.ts'
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
  marks: readonly MarkedItem[]
  unread: ReadonlyMap<string, number>
}

/** Reads what happened to an inbox after a change; undefined asks only how it stands. */
export async function readChanges(db: DatabasePool, person: Person, after: number | undefined): Promise<Changes> {
  const { last, forgotten } = await position(db, person)
  const asked = after ?? last
  const range = { after: Math.max(asked, forgotten), upTo: last }
  const isBehind = range.after < range.upTo
  const [items, reads, marks, unread] = await Promise.all([
    isBehind ? inbox.listNew(db, person, range, maxChanges) : [],
    isBehind ? inbox.listRead(db, person, range, maxChanges) : [],
    isBehind ? listMarked(db, person, range, maxChanges) : [],
    inbox.countUnread(db, person),
  ])
  // The newest were taken: of a full list the oldest change may be there in part.
  const complete = Math.max(
    forgotten,
    items.length === maxChanges ? (items.at(-1)?.number as number) - 1 : 0,
    reads.length === maxChanges ? (reads.at(-1)?.read_number as number) : 0,
    marks.length === maxChanges ? (marks.at(-1)?.mark_number as number) : 0,
  )
  return { asked, complete, upTo: last, items, reads, marks, unread }
}

/** What a stream is to be told. */
interface StreamState {
  /** The person, as whoever opened the stream has called them. */
  subject: string
  productKey: string | undefined
  /** The last change that its client has seen. */
  after: number
  /** It knows how many items are unread. */
  greeted: boolean
}

/** The events of a stream, in the order of what happened; none when there is nothing new. */
export function eventsFor(changes: Changes, { subject, productKey, after, greeted }: StreamState): string {
  const { complete, upTo, unread } = changes
  if (after === upTo && greeted) return ''
  const counts = [...unread].filter(([product]) => productKey === undefined || product === productKey)
  const unread_count = counts.reduce((sum, [, count]) => sum + count, 0)
  const counted = formatEvent('unread_count', { unread_count }, upTo)
  if (after < complete || after > upTo) return formatEvent('reset', {}, upTo) + counted
  const matchesProduct = (one: { product_key: string }) => productKey === undefined || one.product_key === productKey
  const items = changes.items.filter((item) => item.number > after && matchesProduct(item))
  const reads = changes.reads.filter((read) => read.read_number > after && matchesProduct(read))
  const marks = changes.marks.filter((mark) => mark.mark_number > after && matchesProduct(mark))
  const events = [
    ...items.map((item) => ({ number: item.number, text: formatEvent('item', present(item, subject), item.number) })),
    ...[...Map.groupBy(reads, ({ read_number }) => read_number)].map(([number, group]) => ({
      number,
      text: readEvents(number, group),
    })),
    ...[...Map.groupBy(marks, ({ mark_number }) => mark_number)].map(([number, group]) => ({
      number,
      text: markEvents(number, group),
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
  return inChunks(
    'read',
    number,
    group.map(({ id }) => id),
    (ids) => ({ ids, read_at }),
  )
}

/** What was seen, archived or marked as unread at once, as it stands. */
const markEvents = (number: number, group: readonly MarkedItem[]): string =>
  inChunks(
    'marked',
    number,
    group.map(({ id, read_at, seen_at, archived_at }) => ({ id, read_at, seen_at: seen_at ?? read_at, archived_at })),
    (items) => ({ items }),
  )

function inChunks<T>(event: string, number: number, all: readonly T[], dataOf: (part: readonly T[]) => object): string {
  const chunks = Array.from({ length: Math.ceil(all.length / maxIds) }, (_, i) =>
    all.slice(i * maxIds, (i + 1) * maxIds),
  )
  return chunks
    .map((part, i) => formatEvent(event, dataOf(part), i === chunks.length - 1 ? number : undefined))
    .join('')
}
