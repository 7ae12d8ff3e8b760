import type { Db } from '#sql/db.ts'
import type { EndReason } from '#sql/live/broadcasts.ts'
import * as channels from '#sql/live/channels.ts'
import * as sessions from '#sql/live/sessions.ts'
import type { Absence, ChannelReport, Standing } from '../engine.ts'

/** Stores a report. Returns null if the channel now belongs to another worker. */
export async function reportChannel(
  db: Db,
  workerId: string,
  { channelId, isLive, source, facts, hasPart }: ChannelReport,
): Promise<sessions.Session | null> {
  const session = {
    channel_id: channelId,
    worker_id: workerId,
    state: isLive ? 'live' : 'connecting',
    source,
    facts,
  } as const
  return await sessions.renew(db, session, { hasPart })
}

/**
 * Stores a report and returns the resulting state of the channel. `reconnectSeconds` is the time in which a publisher
 * may return.
 */
export async function renewChannel(
  db: Db,
  workerId: string,
  report: ChannelReport,
  { absence, reconnectSeconds }: { absence: Absence | undefined; reconnectSeconds: number },
): Promise<Standing> {
  const session = await reportChannel(db, workerId, report)
  if (!session) return { state: 'lost' }
  if (session.end_requested) return { state: 'over', reason: session.end_requested, unlessBack: false }
  const channel = await channels.findAny(db, report.channelId)
  if (!channel) return { state: 'over', reason: 'deleted', unlessBack: false }
  const reason = absence && findEndReason(absence, session.last_part_at, reconnectSeconds)
  return reason ? { state: 'over', reason, unlessBack: true } : { state: 'held', channel }
}

/**
 * Returns the end reason of a broadcast whose publisher did not return in time. If its publisher never sent anything,
 * the broadcast ends immediately.
 */
function findEndReason({ since, wasHeard }: Absence, lastPartAt: Date | null, seconds: number): EndReason | undefined {
  if (Date.now() - since <= (wasHeard ? 1000 * seconds : 0)) return undefined
  return (lastPartAt?.getTime() ?? 0) > since - 3_000 ? 'stopped' : 'silent'
}
