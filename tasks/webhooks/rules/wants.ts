import type { Subscription } from '#sql/webhooks/endpoints.ts'
import { getEventArea } from './event-types.ts'

/** True if an event type matches a pattern: the type itself, `*`, or a prefix such as `email.*`. */
export const isMatchingType = (pattern: string, type: string): boolean =>
  pattern === type || pattern === '*' || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1)))

export const modeOf = (data: object): 'live' | 'test' => ('sandbox' in data && data.sandbox === true ? 'test' : 'live')

/** True if the endpoint receives the event: same organisation, its area and mode if set, and a matching type. */
export const isSubscribed = (
  { org_id, area, mode, events }: Pick<Subscription, 'org_id' | 'area' | 'mode' | 'events'>,
  { orgId, type, data }: { orgId: string; type: string; data: object },
): boolean =>
  org_id === orgId &&
  (area === null || area === getEventArea(type)) &&
  (mode === null || mode === modeOf(data)) &&
  events.some((pattern) => isMatchingType(pattern, type))
