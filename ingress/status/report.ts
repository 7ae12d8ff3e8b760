import { z } from 'zod'
import { config } from '#lib/config.ts'
import { notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { Reason, State } from '#sql/status/areas.ts'
import { type Incident, Kind } from '#sql/status/incidents.ts'
import type { Services } from '../http/container.ts'
import { withTokens } from '../http/html/tokens.ts'
import { Instant } from '../http/instant.ts'
import { openFile, openPage, openRoute } from '../http/pages/open-routes.ts'
import { fileSender } from '../http/pages/static-files.ts'
import { route } from '../http/route.ts'
import { catalogue } from '../http/services.ts'
import { statusBoard } from './board.ts'
import { feedOf } from './feed.ts'
import { sendStatusPage } from './page.ts'
import { type Summary, summarize } from './summary.ts'

const AnyState = z.enum([...State.options, 'unknown'])

const IncidentView = z
  .object({
    id: Id,
    areas: z.array(z.string()).describe('Names of the affected areas. An empty name means the platform and its queue.'),
    kind: Kind,
    title: z.string(),
    automatic: z.boolean().describe('`true` if a measurement opened the incident'),
    started_at: Instant,
    ended_at: Instant.nullable(),
    updates: z.array(z.object({ at: Instant, text: z.string() })),
  })
  .meta({ id: 'status.Incident' })

const View = z
  .object({
    state: AnyState,
    measured_at: Instant.nullable().describe('Time of the last measurement'),
    areas: z.array(
      z.object({
        name: z.string(),
        title: z.string(),
        state: AnyState,
        reason: Reason.nullable(),
        since: Instant.nullable(),
        uptime: z.number().nullable().describe('Percent of the measured minutes of 90 days in which it was not down'),
        days: z.array(z.object({ day: z.iso.date(), measured: z.int(), degraded: z.int(), down: z.int() })),
      }),
    ),
    incidents: z.array(IncidentView),
  })
  .meta({ id: 'status.Status' })

async function summary(services: Services): Promise<Summary> {
  if (!config.STATUS_PAGE) throw notFound('status page')
  return summarize(await services(statusBoard).read(), services(catalogue))
}

export const page = route({
  ...openPage,
  path: '/status',
  summary: 'Get the status page',
  raw: 'text/html',
  problems: ['not_found'],
  async handle({ ctx, services }) {
    sendStatusPage(ctx, await summary(services))
  },
})

const presentIncident = ({ id, areas, kind, title, automatic, started_at, ended_at, updates }: Incident) => {
  return { id, areas, kind, title, automatic, started_at, ended_at, updates }
}

const send = fileSender({
  'status.css': { type: 'text/css', read: async () => withTokens(new URL('./status.css', import.meta.url)) },
})

export const style = route({
  ...openFile,
  path: '/status.css',
  summary: 'Get the style sheet of the status page',
  async handle({ ctx }) {
    await send(ctx, 'status.css', 'public, max-age=3600')
  },
})

export const read = route({
  ...openRoute,
  path: '/status.json',
  summary: 'Read the status of each area',
  description:
    'Returns the state of each area, its minutes with problems on each of the last 90 days (UTC), and the incidents. Needs no key.',
  cors: true,
  beyondContract: true,
  problems: ['not_found'],
  reply: View,
  async handle({ services }) {
    const { state, measured_at, areas, open, past } = await summary(services)
    return { state, measured_at, areas, incidents: [...open, ...past].map(presentIncident) }
  },
})

export const feed = route({
  ...openPage,
  path: '/status.atom',
  summary: 'Get the feed of incidents',
  cors: true,
  raw: 'application/atom+xml; charset=utf-8',
  problems: ['not_found'],
  async handle({ ctx, origin, services }) {
    const { open, past } = await summary(services)
    ctx.set('cache-control', 'no-cache')
    ctx.type = 'application/atom+xml; charset=utf-8'
    ctx.body = feedOf([...open, ...past], origin)
  },
})
