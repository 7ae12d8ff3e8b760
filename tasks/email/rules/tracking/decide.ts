import type { Message } from '#sql/email/messages.ts'
import type { Tracking } from './track-html.ts'

/** Settings of a domain. `host`: customer’s host of links, `null` for the host of the API. */
export interface TrackingSettings {
  opens: boolean
  clicks: boolean
  host: string | null
  /** False while the customer’s host has no certificate. */
  isReady: boolean
}

/** Streams whose recipients can be tracked. `security` and requests for consent never are. */
const tracked: ReadonlySet<string> = new Set(['transactional', 'subscribed'])

export const isTrackedStream = (stream: string): boolean => tracked.has(stream)

/** Returns what is tracked of a message, or undefined for nothing. */
export function decideTracking(
  { id, domain_id, stream, sandbox, track_opens, track_clicks }: Message,
  settings: TrackingSettings | undefined,
  origin: string,
): Tracking | undefined {
  if (!settings?.isReady || sandbox || !isTrackedStream(stream)) return undefined
  const opens = settings.opens && track_opens !== false
  const clicks = settings.clicks && track_clicks !== false
  if (!opens && !clicks) return undefined
  return { place: { messageId: id, domainId: domain_id, host: settings.host, origin }, opens, clicks }
}
