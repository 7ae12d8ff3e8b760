import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as scheduled from '#sql/live/scheduled.ts'
import type { LiveGrant } from '#sql/playback/sessions.ts'
import { getPublicBase } from '#tasks/video/rules/open-url.ts'
import { Instant } from '../http/instant.ts'
import { route } from '../http/route.ts'
import type { ViewerRequest } from '../playback/admission.ts'
import { calendarOf } from './calendar.ts'
import { admitLive, admitOpenLive, liveRefusals } from './channel-admission.ts'
import { livePageUrl } from './urls.ts'

const viewer = z.string().max(1000).describe('Token of a playback session, or the ID of a channel that needs none')

const shared = {
  method: 'GET',
  public: true,
  ignoresOtherQuery: true,
  cors: true,
  viewers: true,
  beyondContract: true,
  limit: { perMinute: 600, by: 'ip' },
  status: 200,
  problems: ['not_found', 'rate_limited', ...liveRefusals],
} as const

const admit = (call: ViewerRequest, token: string): Promise<LiveGrant> =>
  Id.safeParse(token).success ? admitOpenLive(call, token) : admitLive(call, token)

export const list = route({
  ...shared,
  path: '/live/upcoming/{viewer}',
  summary: 'List upcoming broadcasts for viewers',
  description: 'Returns up to ten scheduled broadcasts of the channel, in the order of their start.',
  params: z.object({ viewer }),
  reply: z.object({
    data: z.array(
      z.object({
        scheduledId: Id,
        title: z.string(),
        description: z.string(),
        posterUrl: z.string().nullable(),
        startsAt: Instant,
        calendarUrl: z.url().describe('Calendar file (iCalendar, RFC 5545)'),
      }),
    ),
  }),
  async handle(call) {
    const { channel_id } = await admit(call as ViewerRequest, call.params.viewer)
    const base = `${getPublicBase(call.origin)}/v1/stream/live/upcoming/${call.params.viewer}`
    const found = await scheduled.listUpcoming(call.db, channel_id)
    return {
      data: found.map(({ id, title, description, poster_url, starts_at }) => ({
        scheduledId: id,
        title,
        description,
        posterUrl: poster_url,
        startsAt: starts_at,
        calendarUrl: `${base}/${id}/calendar.ics`,
      })),
    }
  },
})

export const calendar = route({
  ...shared,
  path: '/live/upcoming/{viewer}/{scheduledId}/calendar.ics',
  summary: 'Download an upcoming broadcast as a calendar file',
  description: 'Returns the broadcast in the format of RFC 5545. Calendars update an event that was imported before.',
  raw: 'text/calendar',
  params: z.object({ viewer, scheduledId: Id }),
  async handle(call) {
    const { viewer: token, scheduledId } = call.params
    const { channel_id } = await admit(call as ViewerRequest, token)
    const found = (await scheduled.listUpcoming(call.db, channel_id)).find(({ id }) => id === scheduledId)
    if (!found) throw notFound('scheduled broadcast')
    const url = Id.safeParse(token).success ? undefined : livePageUrl(getPublicBase(call.origin), token)
    call.ctx.type = 'text/calendar; charset=utf-8'
    call.ctx.attachment('broadcast.ics')
    call.ctx.set('cache-control', 'no-store')
    call.ctx.body = calendarOf(found, url)
  },
})
