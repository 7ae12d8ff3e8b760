import type { Db } from '#sql/db.ts'
import type { EndReason } from '#sql/live/broadcasts.ts'
import * as channels from '#sql/live/channels.ts'
import * as sessions from '#sql/live/sessions.ts'
import type { Absence, ChannelReport, Standing } from '../engine.ts'

/** Writes what a worker knows of a channel; null when it is no longer its own. */
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

/** Writes what a worker knows of a channel, and tells what follows; `reconnectSeconds` are those in which a publisher may come back. */
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
  const reason = absence && whyOver(absence, session.last_part_at, reconnectSeconds)
  return reason ? { state: 'over', reason, unlessBack: true } : { state: 'held', channel }
}

/** Why a broadcast without a publisher is over by now, if it is: one that was heard is waited for, one that never sent anything is not. */
function whyOver({ since, wasHeard }: Absence, lastPartAt: Date | null, seconds: number): EndReason | undefined {
  if (Date.now() - since <= (wasHeard ? 1000 * seconds : 0)) return undefined
  return (lastPartAt?.getTime() ?? 0) > since - 3_000 ? 'stopped' : 'silent'
}
