import { z } from 'zod'
import { findForOrganisation } from '#sql/account/plans.ts'
import * as channels from '#sql/live/channels.ts'
import { mustFind } from '../../http/must-find.ts'
import { route } from '../../http/route.ts'
import { ClipReply, planExceeded } from '../../playback/clip-request.ts'
import { cutClip, idle, unrecorded } from '../clips.ts'
import { chatBanned, chatForbidden, chatTokenInvalid, demandAccess } from './access.ts'

/** Maximum length in seconds of a clip that a viewer creates. */
const longest = 120

export const create = route({
  method: 'POST',
  path: '/live/chat/{token}/clips',
  summary: 'Cut a clip from the broadcast as a viewer',
  description:
    'Needs a chat token with `canClip`. The clip is an asset of your organisation. Its visibility is that of the channel.',
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
    const access = await demandAccess({ db, services }, params.token)
    if (!access.can_clip) throw chatForbidden('This chat token cannot create clips.')
    return await db.transaction(async (tx) => {
      const channel = await mustFind(channels.find(tx, access.org_id, access.channel_id), 'live channel')
      const plan = await findForOrganisation(tx, access.org_id)
      return await cutClip(tx, channel, plan, { ...body, processingProfile: 'standard_vod' })
    })
  },
})
