import { badRequest } from '#lib/errors.ts'
import type { EventType } from '#sql/hooks/event-types.ts'

/** Returns the event type of a message. Throws 400 if it does not exist or is archived. */
export function demandInUse(type: EventType | null): EventType {
  if (type && !type.archived_at) return type
  const issue = type
    ? 'is archived. Update the event type to use it again.'
    : 'is not one of your event types. Create it with POST /v1/hooks/event-types.'
  throw badRequest([{ field: 'body.event_type', issue }])
}
