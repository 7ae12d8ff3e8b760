import { z } from 'zod'
import { Problem } from '#lib/errors.ts'
import { findForOrganisation, type Plan } from '#sql/account/plans.ts'
import * as channels from '#sql/live/channels.ts'
import type { ChatAccess } from '#sql/live/chat-tokens.ts'
import { clip } from '#tasks/video/clip.ts'
import { mustFind } from '../../http/must-find.ts'
import { route } from '../../http/route.ts'
import { backlog } from '../../http/services.ts'
import { ClipReply, planExceeded } from '../../playback/clip-request.ts'
import { cutClip, idle, unrecorded } from '../clips.ts'
import { type Asking, chatBanned, chatForbidden, chatTokenInvalid, demandAccess } from './access.ts'

/** Maximum length in seconds of a clip that a viewer creates. */
const longest = 120

export const create = route({
  method: 'POST',
  path: '/live/chat/{token}/clips',
  summary: 'Cut a clip from the broadcast as a viewer',
  description:
    'Needs a chat token with `canClip`. The clip is an asset of your organisation. It has the visibility of the channel.',
  public: true,
  ignoresOtherQuery: true,
  cors: true,
  viewers: true,
  beyondContract: true,
  limit: { perMinute: 6, by: 'ip' },
  params: z.object({ token: z.string().max(1_000) }),
  body: z.strictObject({
    lastSeconds: z.int().min(5).max(longest).default(60).describe('Length of the clip, which ends now'),
    title: z.string().trim().min(1).max(200).optional().describe('Default: the name of the channel'),
  }),
  status: 201,
  reply: ClipReply.meta({ id: 'live.ViewerClip' }),
  problems: ['rate_limited', chatTokenInvalid, chatBanned, chatForbidden, 'not_found', idle, unrecorded, planExceeded],
  async handle({ params, body, db, services }) {
    const { org_id } = await demandClipper({ db, services }, params.token)
    const plan = await findForOrganisation(db, org_id)
    using place = await services(backlog).admit({ org: { id: org_id }, plan: planOfViewers(plan) }, clip.pool)
    if (place.refusal) throw tooMany(place.refusal.retryAfter)
    return await db.transaction(async (tx) => {
      const access = await demandClipper({ db: tx, services }, params.token)
      const channel = await mustFind(channels.find(tx, org_id, access.channel_id), 'live channel')
      return await cutClip(tx, channel, plan, { ...body, processingProfile: 'standard_vod' })
    })
  },
})

async function demandClipper(asking: Asking, token: string): Promise<ChatAccess> {
  const access = await demandAccess(asking, token)
  if (!access.can_clip) throw chatForbidden('This chat token cannot create clips.')
  return access
}

/** Viewers can use half of the waiting jobs of the plan. So the organisation can still upload videos. */
const planOfViewers = (plan: Plan): Plan => ({ ...plan, waiting_jobs: Math.ceil(plan.waiting_jobs / 2) })

const tooMany = (seconds = 60) =>
  new Problem(429, 'rate_limited', `Too many videos wait for processing. Retry after ${seconds} seconds.`, {
    retryAfter: seconds,
  })
