import type { DatabasePool } from '#sql/db.ts'
import { listen } from '#sql/listen.ts'
import * as channels from '#sql/live/channels.ts'
import * as refusals from '#sql/live/refusals.ts'
import * as sessions from '#sql/live/sessions.ts'
import * as feeds from '#sql/live/web-feeds.ts'
import * as publishers from '#sql/live/web-publishers.ts'
import { findLiveGrants, findOpenLiveGrants } from '#sql/playback/sessions.ts'
import type { WebPublishing, WebViewer } from '../engine.ts'
import { framesFile } from './frames-file.ts'
import { signOriginToken } from './origin-token.ts'

export function createWebPublishing(db: DatabasePool, workerId: string, secret: string): WebPublishing {
  return {
    watch(onRevoked) {
      const listener = listen(db.configuration.connectionUri, [channels.revokedChannel])
      listener.on(channels.revokedChannel, onRevoked)
      return listener
    },
    async whyOver({ channelId, source, hash, since }) {
      const [channel, refusal] = await Promise.all([channels.findAny(db, channelId), refusals.find(db, channelId)])
      if (!channel) return 'deleted'
      if (channel.closed_until && channel.closed_until.getTime() > Date.now()) return 'closed'
      if (![channel.primary_hash, channel.backup_hash].includes(hash)) return 'key_rotated'
      if (!refusal || refusal.source !== source || refusal.refused_at.getTime() < since) return undefined
      return refusal.reason === 'standby' || refusal.reason === 'elsewhere' ? undefined : refusal.reason
    },
    remove: (id) => publishers.remove(db, id),
    removeOthers: (ids) => publishers.removeOthers(db, ids, workerId),
    tellViewers: (viewers) => publishers.setViewers(db, viewers),
    async findFrames(channelId) {
      const session = await sessions.findHeld(db, channelId)
      if (!session) return null
      return { url: `${session.origin_url}/${channelId}/${framesFile}`, token: signOriginToken(channelId, secret) }
    },
    tellFeeds: (viewers) => feeds.put(db, workerId, viewers),
    listGone: (viewers) => listGone(db, viewers),
  }
}

async function listGone(db: DatabasePool, viewers: readonly WebViewer[]): Promise<ReadonlySet<string>> {
  const open = viewers.filter(({ channelId, sessionId }) => channelId === sessionId)
  const signed = viewers.filter(({ channelId, sessionId }) => channelId !== sessionId)
  const [all, some] = await Promise.all([
    open.length > 0 ? findOpenLiveGrants(db, [...new Set(open.map(({ channelId }) => channelId))]) : [],
    signed.length > 0 ? findLiveGrants(db, [...new Set(signed.map(({ sessionId }) => sessionId))]) : [],
  ])
  const may = new Set([...all, ...some].flatMap(({ session_id, live }) => (live ? [session_id] : [])))
  return new Set(viewers.flatMap(({ sessionId }) => (may.has(sessionId) ? [] : [sessionId])))
}
