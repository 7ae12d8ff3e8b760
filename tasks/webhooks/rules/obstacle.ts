import type { DueDelivery } from '#sql/webhooks/deliveries.ts'
import type { Target } from '#sql/webhooks/endpoints.ts'
import { passesFilters } from './filters.ts'

/** Returns the reason why a message to a customer can no longer be sent. Null if it can be sent. */
export function findObstacle(
  { app_id, filters }: Pick<Target, 'app_id' | 'filters'>,
  { data, payload_deleted_at }: Pick<DueDelivery, 'data' | 'payload_deleted_at'>,
): string | null {
  if (app_id === null) return null
  if (payload_deleted_at !== null) return 'The payload of the message was deleted before it was delivered.'
  if (filters !== null && !passesFilters(filters, data))
    return 'The message no longer passes the filters of the endpoint.'
  return null
}
