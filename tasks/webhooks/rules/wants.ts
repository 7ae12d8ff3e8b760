import type { Subscription } from '#sql/webhooks/endpoints.ts'
import { areaOf } from './event-types.ts'

/** Whether a pattern (`email.bounced`, `email.*`, `*`) means a type. */
const means = (pattern: string, type: string): boolean =>
  pattern === type || pattern === '*' || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1)))

/** The mode of an event: what a sandbox key has done is a test. */
const modeOf = (data: object): 'live' | 'test' => ('sandbox' in data && data.sandbox === true ? 'test' : 'live')

/** Whether an endpoint is to be told of an event: of its own organisation, and area and mode if it has one, and a type it asks for. */
export const wants = (
  { org_id, area, mode, events }: Pick<Subscription, 'org_id' | 'area' | 'mode' | 'events'>,
  { orgId, type, data }: { orgId: string; type: string; data: object },
): boolean =>
  org_id === orgId &&
  (area === null || area === areaOf(type)) &&
  (mode === null || mode === modeOf(data)) &&
  events.some((pattern) => means(pattern, type))
