import type { Storage } from '#lib/storage/storage.ts'
import type { DatabasePool } from '#sql/db.ts'
import { findRecordingEnd } from '#sql/live/admission.ts'
import type { Channel } from '#sql/live/channels.ts'
import * as refusals from '#sql/live/refusals.ts'
import * as sessions from '#sql/live/sessions.ts'
import { persist } from '#sql/persist.ts'
import type { Admission, Admissions, Source } from '../engine.ts'
import { assignChannel, type IngestWorker } from './admit.ts'
import { markBroadcastLive } from './broadcasts.ts'
import { closeBroadcast } from './close-broadcast.ts'
import { closeLost } from './close-lost.ts'
import { createChunkStore } from './keep-chunk.ts'
import { renewChannel, reportChannel } from './standing.ts'
import { identifyKey } from './stream-keys.ts'

export interface AdmissionsOptions extends IngestWorker {
  db: DatabasePool
  storage: Storage
  reconnectSeconds: number
}

/** Time in milliseconds for which the end of a broadcast is retried if the database is unavailable. */
const keptMs = 60_000

export function createAdmissions({ db, storage, reconnectSeconds, ...worker }: AdmissionsOptions): Admissions {
  const { workerId } = worker
  return {
    identify: (credential) => identifyKey(db, credential),
    admit: (channel, source) => admit(db, storage, { channel, source, worker }),
    refuse: (channelId, source, reason) => refusals.note(db, { channel_id: channelId, source, reason }),
    goLive: (broadcastId) => db.transaction((tx) => markBroadcastLive(tx, broadcastId)),
    report: async (report) => void (await reportChannel(db, workerId, report)),
    renew: (report, absence) => renewChannel(db, workerId, report, { absence, reconnectSeconds }),
    end: (channelId, broadcastId, reason) =>
      persist(db, keptMs, async (tx) => {
        await closeBroadcast(tx, broadcastId, reason)
        await sessions.release(tx, channelId, workerId)
      }),
    giveUp: (channelId) => sessions.abandon(db, channelId, workerId),
    async sweep(heldChannelIds) {
      await sessions.abandonOthers(db, heldChannelIds, workerId)
      await closeLost(db, reconnectSeconds)
    },
  }
}

async function admit(
  db: DatabasePool,
  storage: Storage,
  { channel, source, worker }: { channel: Channel; source: Source; worker: IngestWorker },
): Promise<Admission | refusals.Reason> {
  const session = await assignChannel(db, channel, source, worker)
  if (typeof session === 'string') return session
  const { broadcast_id: broadcastId, takeovers } = session
  const recording = channel.record
    ? { start: await findRecordingEnd(db, broadcastId), keep: createChunkStore(db, storage, broadcastId) }
    : undefined
  return { broadcastId, takeovers, recording }
}
