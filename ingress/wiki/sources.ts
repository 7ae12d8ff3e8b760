import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { InstantInput } from '#lib/input-types.ts'
import { listUsingEvidence } from '#sql/wiki/claims.ts'
import * as snapshots from '#sql/wiki/snapshots.ts'
import * as rows from '#sql/wiki/sources.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { keepProven, wouldUnprove } from './keep-proven.ts'
import { PublicSnapshot, presentSnapshot } from './snapshot-view.ts'
import { SourceUri } from './source-url.ts'

const recent = 10

const words = z.string().trim().min(1).max(500)

const Source = z
  .object({
    id: Id,
    uri: z.string().describe('URI of the first registration'),
    canonical_url: z.string().describe('URL without fragment and tracking parameters. Snapshots use this URL.'),
    type: rows.SourceType,
    title: z.string().nullable(),
    publisher: z.string().nullable(),
    authors: z.array(z.string()),
    published_at: Instant.nullable(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'wiki.Source' })

const present = ({ org_id: _, ...row }: rows.Source): z.input<typeof Source> => row

export const create = route({
  method: 'POST',
  path: '/sources',
  summary: 'Register a source',
  description:
    'Registers a source once per canonical URL. A second call returns the same source with updated metadata. Anyone who knows the ID of a source can read it.',
  scope: 'wiki:write',
  idempotent: true,
  body: z.strictObject({
    uri: SourceUri,
    type: rows.SourceType.optional().describe('Default: `web`'),
    title: words.optional(),
    publisher: words.optional(),
    authors: z.array(words).max(50).optional(),
    published_at: InstantInput.optional().describe('Publication time according to the publisher'),
  }),
  status: 200,
  reply: Source,
  example: { body: { uri: 'https://example.org/report?utm_source=mail', publisher: 'Example' } },
  async handle({ body: { uri, ...facts }, org, db }) {
    return present(
      await rows.register(db, { ...facts, id: newId(), org_id: org.id, uri: uri.uri, canonical_url: uri.canonicalUrl }),
    )
  },
})

export const list = listRoute({
  path: '/sources',
  summary: 'List sources, newest first',
  description: 'Returns the registered sources. Use `uri` to search for one source.',
  scope: 'wiki:read',
  reads: 'replica',
  filter: { uri: SourceUri.optional() },
  item: Source,
  rows: ({ query, org, db }, page) => rows.list(db, org.id, { ...page, url: query.uri?.canonicalUrl }),
  present,
})

export const read = route({
  method: 'GET',
  path: '/sources/{id}',
  summary: 'Read a source and its recent snapshots',
  description:
    'No API key is required, so that readers can check the sources of an article. The text and content of snapshots are not included.',
  public: true,
  limit: { perMinute: 600, by: 'ip' },
  params: z.object({ id: pathId('source') }),
  status: 200,
  reply: Source.extend({ snapshots: z.array(PublicSnapshot).describe(`The ${recent} newest snapshots`) }).meta({
    id: 'wiki.SourceWithSnapshots',
  }),
  problems: ['not_found'],
  async handle({ params, db }) {
    const source = await mustFind(rows.findAny(db, params.id), 'source')
    return {
      ...present(source),
      snapshots: (await snapshots.list(db, source.id, { limit: recent })).map(presentSnapshot),
    }
  },
})

export const remove = removeRoute({
  path: '/sources/{id}',
  summary: 'Delete a source',
  description:
    'Deletes the source with its snapshots and references to them. Rejected if a published article would lose its proof. A pending snapshot is not taken.',
  scope: 'wiki:write',
  params: z.object({ id: pathId('source') }),
  problems: ['conflict', wouldUnprove],
  what: 'source',
  remove: async ({ params: { id }, org, db }) => {
    await mustFind(rows.lock(db, org.id, id), 'source')
    await keepProven(db, { claimIds: await listUsingEvidence(db, { sourceId: id }) }, () => rows.remove(db, id))
  },
})
