import { badRequest } from '#lib/errors.ts'
import type { Db } from '#sql/db.ts'
import * as eventTypes from '#sql/hooks/event-types.ts'

/** Returns the event type of a message. Throws 400 if it does not exist or is archived. */
export async function demandType(db: Db, orgId: string, name: string): Promise<eventTypes.EventType> {
  const type = await eventTypes.find(db, orgId, name)
  if (type && !type.archived_at) return type
  const issue = type
    ? 'is archived. Update the event type to use it again.'
    : 'is not one of your event types. Create it with POST /v1/hooks/event-types.'
  throw badRequest([{ field: 'body.event_type', issue }])
}
