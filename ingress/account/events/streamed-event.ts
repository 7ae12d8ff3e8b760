import type { Streamed } from '#sql/webhooks/event-streams.ts'
import { isMatchingType } from '#tasks/webhooks/rules/wants.ts'
import { formatEvent } from '../../http/event-stream.ts'

export interface EventFilter {
  /** Event types and patterns. `undefined`: all events. */
  types: readonly string[] | undefined
  /** `undefined`: live and test events. */
  only: 'live' | 'test' | undefined
}

/**
 * Returns the text of a batch. If the client does not want the last event, the text ends with an ID without an event,
 * so that the client resumes after it (HTML standard §9.2.6).
 */
export function formatBatch(batch: readonly Streamed[], filter: EventFilter): string {
  const texts = batch.map((one) => formatStreamed(one, filter))
  const last = batch.at(-1)
  return texts.join('') + (last && texts.at(-1) === '' ? `id: ${last.position}\n\n` : '')
}

function formatStreamed({ position, id, test, type, data, sample, timestamp }: Streamed, filter: EventFilter): string {
  if (filter.only !== undefined && filter.only !== (test ? 'test' : 'live')) return ''
  if (type === null) return formatEvent('gap', { message: 'An event has expired.' }, position)
  if (filter.types && !filter.types.some((pattern) => isMatchingType(pattern, type))) return ''
  return formatEvent(type, { id, type, timestamp, data, ...(sample && { sample }) }, position)
}
