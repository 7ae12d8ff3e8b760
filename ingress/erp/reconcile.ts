import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { formFields } from '../http/pages/form-fields.ts'
import { route } from '../http/route.ts'
import { enter } from './reconcile/access.ts'
import { Extension, extendCompanies, proposeProperties } from './reconcile/extend.ts'
import { createManifest } from './reconcile/manifest.ts'
import { listProperties } from './reconcile/properties.ts'
import { answerQueries, Queries } from './reconcile/queries.ts'
import { suggestEntities, suggestTypes } from './reconcile/suggest.ts'

const bodyLimit = 64 * 1024

const shared = {
  public: true,
  hidden: true,
  cors: true,
  limit: false,
  status: 200,
  ignoresOtherQuery: true,
  params: z.object({ token: z.string().max(200) }),
  problems: ['bad_request', 'not_found', 'rate_limited'],
} as const

const Reply = z.record(z.string(), z.unknown())

/** Parses the JSON in a form field or a query parameter. */
function readJson(field: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw badRequest([{ field, issue: 'must be JSON' }])
  }
}

const readForm = (text: string) =>
  Object.fromEntries(
    Object.entries(formFields(text)).map(([name, value]) => [
      name,
      name === 'queries' || name === 'extend' ? readJson(`body.${name}`, value) : value,
    ]),
  )

const callback = z.undefined('is not supported: the service uses CORS instead of JSONP').optional()

export const show = route({
  ...shared,
  method: 'GET',
  path: '/reconcile/{token}',
  summary: 'Describe the reconciliation service',
  query: z.object({
    queries: z.string().max(bodyLimit).optional(),
    extend: z.string().max(bodyLimit).optional(),
    callback,
  }),
  reply: Reply,
  async handle({ db, params, query, ip, origin }) {
    using _place = await enter(db, params.token, ip)
    const { queries, extend } = query
    if (queries !== undefined)
      return await answerQueries(db, check('query.queries', Queries, readJson('query.queries', queries)))
    if (extend !== undefined)
      return await extendCompanies(db, check('query.extend', Extension, readJson('query.extend', extend)))
    return createManifest(`${origin}/reconcile/${params.token}`)
  },
})

function check<Schema extends z.ZodType>(field: string, schema: Schema, value: unknown): z.output<Schema> {
  const read = schema.safeParse(value)
  if (read.success) return read.data
  throw badRequest(
    read.error.issues.map(({ path, message }) => ({ field: [field, ...path].join('.'), issue: message })),
  )
}

export const ask = route({
  ...shared,
  method: 'POST',
  path: '/reconcile/{token}',
  summary: 'Match companies, or read their properties',
  bodyLimit,
  alsoTakes: { 'application/x-www-form-urlencoded': readForm },
  body: z
    .object({ queries: Queries.optional(), extend: Extension.optional() })
    .refine(({ queries, extend }) => (queries === undefined) !== (extend === undefined), {
      path: ['queries'],
      message: 'is required, unless `extend` is set',
    }),
  reply: Reply,
  async handle({ db, params, body, ip }) {
    using _place = await enter(db, params.token, ip)
    if (body.extend) return await extendCompanies(db, body.extend)
    return await answerQueries(db, body.queries ?? {})
  },
})

const prefix = z.string().trim().max(200).default('')

const cursor = z.coerce.number().int().min(0).max(1_000).default(0)

const suggestion = { ...shared, method: 'GET', reply: Reply, query: z.object({ prefix, cursor, callback }) } as const

export const entities = route({
  ...suggestion,
  path: '/reconcile/{token}/suggest/entity',
  summary: 'Suggest companies',
  async handle({ db, params, query, ip }) {
    using _place = await enter(db, params.token, ip)
    return { result: query.cursor > 0 ? [] : await suggestEntities(db, query.prefix) }
  },
})

export const propertySuggestions = route({
  ...suggestion,
  path: '/reconcile/{token}/suggest/property',
  summary: 'Suggest properties',
  async handle({ db, params, query, ip }) {
    using _place = await enter(db, params.token, ip)
    return { result: listProperties(query.prefix.toLowerCase()).slice(query.cursor) }
  },
})

export const types = route({
  ...suggestion,
  path: '/reconcile/{token}/suggest/type',
  summary: 'Suggest types',
  async handle({ db, params, query, ip }) {
    using _place = await enter(db, params.token, ip)
    return { result: suggestTypes(query.prefix.toLowerCase()).slice(query.cursor) }
  },
})

export const proposals = route({
  ...shared,
  method: 'GET',
  path: '/reconcile/{token}/extend/propose',
  summary: 'Propose properties for data extension',
  query: z.object({ callback }),
  reply: Reply,
  async handle({ db, params, ip }) {
    using _place = await enter(db, params.token, ip)
    return proposeProperties()
  },
})
