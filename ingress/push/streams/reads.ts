import type { DatabasePool } from '#sql/db.ts'
import * as messages from '#sql/push/messages.ts'
import * as streams from '#sql/push/streams.ts'
import { signReceipts } from '#tasks/push/rules/receipt-token.ts'
import { formatEvent } from '../../http/event-stream.ts'
import { formatMessageEvent, type LocalizedMessage, prepareMessage } from './events.ts'

/** Maximum number of a stream's events per read. 200 events of 4.5 KB fit in the buffer for a slow client. */
const maxEvents = 200

export interface EventBatch {
  text: string
  upTo: number
}

export interface NewEvents {
  gone: readonly number[]
  written: readonly (EventBatch | undefined)[]
}

/**
 * Creates the function that reads new events of streams. It reads the deliveries in one statement and their messages in a
 * second one. Each message is prepared once per read and language.
 */
export function createEventReader(db: DatabasePool, secret: () => string) {
  /** Returns undefined for a message that was deleted in the meantime. Its deliveries were deleted too. */
  async function prepareAll(found: readonly streams.NewEvents[]): Promise<(LocalizedMessage | undefined)[]> {
    const rows = await messages.findShown(
      db,
      found.map(({ message_id }) => message_id),
    )
    return found.map(({ message_id, locale }) => {
      const row = rows.get(message_id)
      return row && prepareMessage(row, locale)
    })
  }

  return async function read(readers: readonly streams.StreamReader[]): Promise<NewEvents> {
    const { gone, found } = await streams.readNewEvents(db, readers, maxEvents + 1)
    const events: (PendingEvent[] | undefined)[] = Array.from({ length: readers.length })
    const prepared = await prepareAll(found)
    const receipts = signReceipts(
      found.flatMap(({ to }) => to.map(([, deliveryId]) => deliveryId)),
      secret(),
    ).values()
    for (const [at, { to }] of found.entries()) {
      const shared = prepared[at]
      for (const [n, deliveryId, event] of to) {
        const receipt = receipts.next().value as string
        if (!shared) continue
        const one = { event, shared, deliveryId, receipt }
        const due = events[n]
        if (due) due.push(one)
        else events[n] = [one]
      }
    }
    return { gone, written: events.map((due) => due && write(due)) }
  }
}

interface PendingEvent {
  shared: LocalizedMessage
  deliveryId: string
  receipt: string
  event: number
}

/** Returns the text for one stream, which usually contains one event. */
function write(due: PendingEvent[]): EventBatch {
  const [first] = due as [PendingEvent]
  if (due.length === 1) return { text: textOf(first), upTo: first.event }
  due.sort((a, b) => a.event - b.event)
  const kept = due.slice(-maxEvents)
  // Replaced messages are omitted, because a reconnecting client does not need them.
  const last = new Map(kept.map((one) => [one.shared.collapseKey, one]))
  const text = kept
    .filter((one) => one.shared.collapseKey === null || last.get(one.shared.collapseKey) === one)
    .map(textOf)
    .join('')
  const upTo = (due.at(-1) as PendingEvent).event
  return { text: kept.length < due.length ? formatEvent('reset', {}) + text : text, upTo }
}

const textOf = ({ shared, deliveryId, receipt, event }: PendingEvent): string =>
  formatMessageEvent(shared, deliveryId, receipt, event)
