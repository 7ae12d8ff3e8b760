import { MillraceError } from '../../errors.ts'
import type { ServerEvent } from '../../server-events.ts'
import { clean } from '../terminal.ts'
import type { LocalEvent } from './local-server.ts'

/** Returns the event that a webhook would get. `undefined` for a message of the stream itself. */
export function readEvent({ id: position, data }: ServerEvent): (LocalEvent & { timestamp: string }) | undefined {
  const { id = position, type, timestamp, ...more } = (data ?? {}) as Record<string, unknown>
  if (typeof type !== 'string' || typeof timestamp !== 'string' || typeof id !== 'string') return undefined
  // The ID becomes a header, and both are printed.
  if (!/^[\w.:-]{1,100}$/.test(id)) throw new MillraceError('The server sent an event with an invalid ID.')
  return { id, type: clean(type), timestamp, body: JSON.stringify({ type, timestamp, ...more }) }
}
