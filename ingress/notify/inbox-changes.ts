import type { DatabasePool } from '#sql/db.ts'
import * as inbox from '#sql/notify/inbox.ts'
import { listMarked, type MarkedItem } from '#sql/notify/inbox-marks.ts'
import { getPosition, type Person } from '#sql/notify/users.ts'
import { formatEvent } from '../http/event-stream.ts'
import { present } from './item.ts'

/**
 * Maximum number of items and of marks that are read at once. A client that has missed more must load the inbox again.
 */
const maxChanges = 500

const maxIds = 100

export interface InboxChanges {
  /** Number of the change after which the changes were read. */
  asked: number
  /** Number of the change after which the result is complete. */
  complete: number
  upTo: number
  items: readonly inbox.Item[]
  reads: readonly inbox.ReadItem[]
  marks: readonly MarkedItem[]
  unread: ReadonlyMap<string, number>
}

/** Reads the changes of an inbox after the given change. If it is undefined, reads only the current position. */
export async function readChanges(db: DatabasePool, person: Person, after: number | undefined): Promise<InboxChanges> {
  const { last, forgotten } = await getPosition(db, person)
  const asked = after ?? last
  const range = { after: Math.max(asked, forgotten), upTo: last }
  const isBehind = range.after < range.upTo
  const [items, reads, marks, unread] = await Promise.all([
    isBehind ? inbox.listNew(db, person, range, maxChanges) : [],
    isBehind ? inbox.listRead(db, person, range, maxChanges) : [],
    isBehind ? listMarked(db, person, range, maxChanges) : [],
    inbox.countUnread(db, person),
  ])
  // The newest changes were read. If the list is full, its oldest change may be incomplete.
  const complete = Math.max(
    forgotten,
    items.length === maxChanges ? (items.at(-1)?.number as number) - 1 : 0,
    reads.length === maxChanges ? (reads.at(-1)?.read_number as number) : 0,
    marks.length === maxChanges ? (marks.at(-1)?.mark_number as number) : 0,
  )
  return { asked, complete, upTo: last, items, reads, marks, unread }
}

interface StreamState {
  /** ID of the person as it was given when the stream was opened. */
  subject: string
  productKey: string | undefined
  /** Number of the last change that its client has received. */
  after: number
  /** True if the unread count has been sent. */
  greeted: boolean
}

export function formatEvents(changes: InboxChanges, { subject, productKey, after, greeted }: StreamState): string {
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

/**
 * Returns the events for items that were read together. Only the last event has the ID. A client that is disconnected
 * before it gets all of them again.
 */
function readEvents(number: number, group: readonly inbox.ReadItem[]): string {
  const read_at = group[0]?.read_at
  return inChunks(
    'read',
    number,
    group.map(({ id }) => id),
    (ids) => ({ ids, read_at }),
  )
}

/**
 * Returns the events for items that were seen, archived or marked as unread together. Each has the item's current
 * state.
 */
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
