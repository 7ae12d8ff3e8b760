import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as rows from '#sql/trust/watches.ts'
import { readUrls } from '#tasks/trust/rules/read-url.ts'
import type { Services } from '../http/container.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { mostUrls } from './check-urls.ts'
import { checkUrls, createCheckTools } from './judge-urls.ts'
import { VerdictView } from './judgement.ts'

const Watch = z
  .object({
    id: Id,
    url: z.string(),
    note: z.string().nullable(),
    verdict: VerdictView,
    categories: z.array(z.string()),
    changed_at: Instant.describe('Time when the verdict last changed'),
    created_at: Instant,
  })
  .meta({ id: 'trust.Watch' })

const present = ({ org_id: _, ...row }: rows.Watch): z.input<typeof Watch> => row

const tooMany = problem(409, 'too_many_watches', `An organisation can watch up to ${rows.maxWatches} URLs.`)

/** The maximum is half of the maximum for a check, because each sweep reads ten thousand URLs. */
const WatchedUrl = z.string().trim().min(1).max(2_048)

const Note = z.string().trim().max(500).nullable().optional()

interface Watching {
  /** Returns the field of a URL in the request, for faults. */
  fieldOf(at: number): string
  urls: readonly string[]
  /** Note of the URLs. Undefined keeps the notes of URLs that are already watched. */
  note: string | null | undefined
  orgId: string
}

/** Checks URLs and watches them. Returns a `Problem` with each invalid URL. */
async function watch(db: DatabasePool, services: Services, { fieldOf, urls, note, orgId }: Watching) {
  const read = await readUrls(urls)
  const faults = read.flatMap((readings, i) =>
    readings ? [] : [{ field: fieldOf(i), issue: 'must be a URL with a host and the scheme http, https or ftp' }],
  )
  if (faults.length > 0) throw badRequest(faults)
  const readable = read.flatMap((readings) => readings ?? [])
  const judged = await checkUrls(createCheckTools(db, services), orgId, readable)
  const watches = new Map(
    judged.flatMap(({ verdict, categories }, i) => {
      const url = urls[i]
      return url === undefined ? [] : [[url, { url, note: note ?? null, verdict, categories }]]
    }),
  )
  try {
    return await db.transaction((tx) => rows.put(tx, orgId, [...watches.values()], { keepsNotes: note === undefined }))
  } catch (error) {
    if (error instanceof rows.TooManyWatchesError) throw tooMany(tooMany.when)
    throw error
  }
}

export const make = route({
  method: 'POST',
  path: '/watches',
  summary: 'Watch a URL',
  description:
    'Millrace sends `trust.watch.changed` when the verdict changes. A URL that is already watched keeps its ID. If the request contains a note, it replaces the existing note.',
  scope: 'trust:write',
  body: z.strictObject({ url: WatchedUrl, note: Note }),
  status: 201,
  reply: Watch,
  problems: [tooMany],
  example: { body: { url: 'https://partner.example/downloads', note: 'our reseller' } },
  async handle({ body, db, org, services }) {
    const asked = { fieldOf: () => 'body.url', urls: [body.url], note: body.note, orgId: org.id }
    const [watched] = await watch(db, services, asked)
    if (!watched) throw new Error('A watched URL was not stored.')
    return present(watched)
  },
})

export const makeMany = route({
  method: 'POST',
  path: '/watches/batch',
  summary: 'Watch up to 100 URLs',
  description: 'Watches all URLs or none. An invalid URL returns `400`.',
  scope: 'trust:write',
  body: z.strictObject({ urls: z.array(WatchedUrl).min(1).max(mostUrls), note: Note }),
  status: 201,
  reply: z.object({ watches: z.array(Watch).describe('Watched URLs without duplicates, newest first') }),
  problems: [tooMany],
  example: { body: { urls: ['https://partner.example/', 'https://cdn.partner.example/'], note: null } },
  async handle({ body, db, org, services }) {
    const asked = { fieldOf: (at: number) => `body.urls.${at}`, urls: body.urls, note: body.note, orgId: org.id }
    return { watches: (await watch(db, services, asked)).map(present) }
  },
})

export const list = listRoute({
  path: '/watches',
  summary: 'List watched URLs',
  description: 'Returns the URLs that Millrace checks repeatedly, with their current verdict.',
  scope: 'trust:read',
  filter: { verdict: z.enum(rows.verdicts).optional() },
  item: Watch,
  rows: ({ org, db, query }, page) => rows.list(db, org.id, { ...page, verdict: query.verdict }),
  present,
})

const ofOne = { params: z.object({ id: pathId('watch') }), problems: ['not_found'] } as const

export const read = route({
  ...ofOne,
  method: 'GET',
  path: '/watches/{id}',
  summary: 'Read a watched URL',
  description: 'Returns the current verdict of the URL and the time when it changed.',
  scope: 'trust:read',
  status: 200,
  reply: Watch,
  handle: async ({ params, db, org }) => present(await mustFind(rows.find(db, org.id, params.id), 'watch')),
})

export const remove = removeRoute({
  ...ofOne,
  path: '/watches/{id}',
  summary: 'Stop watching a URL',
  description: 'Millrace stops checking the URL.',
  scope: 'trust:write',
  what: 'watch',
  remove: ({ params, org, db }) => rows.remove(db, org.id, params.id),
})
