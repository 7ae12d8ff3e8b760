import { z } from 'zod'
import { config } from '#lib/config.ts'
import { unavailable } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import { createSeal } from '#lib/seal.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as admission from '#sql/live/admission.ts'
import type { Channel } from '#sql/live/channels.ts'
import * as refusals from '#sql/live/refusals.ts'
import * as liveSessions from '#sql/live/sessions.ts'
import * as publishers from '#sql/live/web-publishers.ts'
import { identifyKey } from '#tasks/live/rules/stream-keys.ts'
import { checkPublisher } from '#tasks/live/rules/web-offer.ts'
import { problem } from '../http/problem-kinds.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { whipUrl } from './ingest.ts'
import { refusalMessage } from './refusals.ts'
import {
  candidatesRequest,
  connectionNotFound,
  demandOffer,
  mediaUnsupported,
  offerRefused,
  offerRequest,
  offerResponse,
  readBearerToken,
  readCandidates,
  sendAnswer,
} from './web-exchange.ts'
import { webMedia } from './web-media.ts'

const shared = {
  public: true,
  ignoresOtherQuery: true,
  hidden: true,
  cors: true,
} as const

const keyInvalid = problem(401, 'stream_key_invalid', 'The stream key does not belong to a channel, or was rotated.')
const keyInUse = problem(409, 'key_in_use', 'Another publisher is using the same key.')
const closed = problem(409, 'channel_closed', 'The broadcast was ended, and publishers are temporarily rejected.')
const planFull = problem(403, 'plan_limit_exceeded', 'The plan does not allow another live channel at the same time.')

const refusing = { key_in_use: keyInUse, closed, plan_full: planFull } as const

/** Returns the channel and key of a request. Throws 401 with the reason if the key is not valid. */
async function demandKey(db: Db, header: string | undefined) {
  const streamKey = readBearerToken(header, 'The stream key of a live channel')
  const key = await identifyKey(db, { streamKey })
  if (!key || key.source === 'srt') throw keyInvalid('The stream key does not belong to a live channel.')
  if (key.isFormer) throw keyInvalid(refusalMessage('key_rotated'))
  return { ...key, source: key.source, streamKey }
}

export const publish = route({
  ...shared,
  ...offerRequest,
  ...offerResponse,
  method: 'POST',
  path: '/live/whip',
  summary: 'Publish to a live channel (WHIP)',
  limit: { perMinute: 60, by: 'ip' },
  problems: ['unauthorized', 'rate_limited', keyInvalid, keyInUse, closed, planFull, mediaUnsupported, offerRefused],
  async handle({ body: { sdp }, header, set, ctx, db, services, origin }) {
    const { channel, source, hash, streamKey } = await demandKey(db, header('authorization'))
    const ufrag = demandOffer(sdp, checkPublisher(sdp))
    const id = newId()
    const gateway = await reserveKey(db, { id, channel, source, ufrag })
    const key = createSeal(services(signingSecret), publishers.webSeal).close(streamKey, id)
    const order = { id, channelId: channel.id, source, hash, key, sdp }
    const answer = await services(webMedia)
      .offer(gateway, 'publishers', order)
      .catch(async (error) => {
        await publishers.remove(db, id)
        throw error
      })
    sendAnswer(ctx, set, answer, { location: `${whipUrl(origin)}/${id}`, id })
  },
})

const params = z.object({ publisherId: pathId('connection') })

export const trickle = route({
  ...shared,
  ...candidatesRequest,
  method: 'PATCH',
  path: '/live/whip/{publisherId}',
  summary: 'Send ICE candidates of a publisher (WHIP)',
  limit: { perMinute: 600, by: 'ip' },
  raw: true,
  params,
  problems: [...candidatesRequest.problems, keyInvalid],
  async handle({ params: { publisherId }, body: { fragment }, header, db, services }) {
    const found = await demandOwn(db, publisherId, header('authorization'))
    const candidates = readCandidates(fragment, found.ice_ufrag)
    if (!(await services(webMedia).trickle(found.gateway_url, publisherId, candidates))) throw connectionNotFound()
  },
})

export const end = route({
  ...shared,
  method: 'DELETE',
  path: '/live/whip/{publisherId}',
  summary: 'Stop publishing (WHIP)',
  limit: { perMinute: 600, by: 'ip' },
  status: 200,
  raw: true,
  params,
  problems: ['unauthorized', 'not_found', keyInvalid],
  async handle({ params: { publisherId }, header, db, services }) {
    const found = await demandOwn(db, publisherId, header('authorization'))
    if (!(await services(webMedia).end(found.gateway_url, publisherId))) throw connectionNotFound()
  },
})

async function demandOwn(db: Db, id: string, header: string | undefined) {
  const { channel, source } = await demandKey(db, header)
  const found = await publishers.find(db, id)
  if (found?.channel_id !== channel.id || found.source !== source) throw connectionNotFound()
  return found
}

async function reserveKey(
  db: DatabasePool,
  { id, channel, source, ufrag }: { id: string; channel: Channel; source: 'primary' | 'backup'; ufrag: string },
): Promise<string> {
  const taken = await db.transaction(async (tx) => {
    const host = await publishers.findHost(tx, { capacity: config.ROOMS_CAPACITY, most: config.WHIP_PUBLISHERS })
    if (!host) return 'no_host' as const
    if (!(await admission.lockCapacity(tx, channel.org_id, channel.id, { publishers: true })))
      return 'plan_full' as const
    if (channel.closed_until && channel.closed_until.getTime() > Date.now()) return 'closed' as const
    const session = (await liveSessions.findShown(tx, [channel.id])).get(channel.id)
    if (session?.state === 'live' && session.source === source) return 'key_in_use' as const
    const publisher = { id, channel_id: channel.id, source, worker_id: host.worker_id, ice_ufrag: ufrag }
    return (await publishers.reserve(tx, publisher)) ? host : ('key_in_use' as const)
  })
  if (taken === 'no_host') throw unavailable('No worker is available to accept the publisher. Try again in a moment.')
  if (typeof taken !== 'string') return taken.gateway_url
  await refusals.note(db, { channel_id: channel.id, source, reason: taken })
  throw refusing[taken](refusalMessage(taken))
}
