import { z } from 'zod'
import { badRequest, Problem } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import { createSeal } from '#lib/seal.ts'
import type { Db } from '#sql/db.ts'
import * as rows from '#sql/files/buckets.ts'
import { lockOrgLimit } from '#sql/org-limits.ts'
import { testBucket } from '#tasks/files/test-bucket.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { findUrlFault, hasLocalOrg, isLocalOrg } from '#tasks/webhooks/rules/endpoint-url.ts'
import type { Services } from '../http/container.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { questions, signingSecret } from '../http/services.ts'
import { Bucket, bucketFields, present } from './bucket-fields.ts'

/** Maximum number of buckets of one organisation. */
const maxBuckets = 50

/** Timeout in milliseconds of a test. A worker sends the request. */
const testMs = 25_000

const tooMany = problem(409, 'too_many_buckets', `An organisation can have up to ${maxBuckets} buckets.`)

const params = z.object({ id: pathId('bucket') })

/** Throws 400 if the organisation cannot use the endpoint, as for webhooks. */
async function demandEndpoint(db: Db, orgId: string, endpoint: string): Promise<void> {
  const issue = findUrlFault(endpoint, { local: hasLocalOrg && (await isLocalOrg(db, orgId)) })
  if (issue !== undefined) throw badRequest([{ field: 'body.endpoint', issue }])
}

const seal = (services: Services, id: string, secret: string): string =>
  createSeal(services(signingSecret), rows.sealPurpose).close(secret, id)

export const create = route({
  method: 'POST',
  path: '/buckets',
  summary: 'Connect a bucket',
  description:
    'Stores the credentials encrypted, and tests them by listing one object. Afterwards, objects of this S3 bucket can be scanned. Endpoints must be public, on port 443.',
  scope: 'files:write',
  body: z.strictObject(bucketFields),
  status: 201,
  reply: Bucket,
  problems: [tooMany],
  example: {
    body: {
      name: 'Uploads',
      endpoint: 'https://s3.eu-central-1.amazonaws.com',
      region: 'eu-central-1',
      bucket: 'customer-uploads',
      access_key_id: 'AKIAIOSFODNN7EXAMPLE',
      secret_access_key: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    },
  },
  async handle({ body, org, db, services }) {
    await demandEndpoint(db, org.id, body.endpoint)
    const { secret_access_key, ...facts } = body
    const id = newId()
    const row = { ...facts, id, org_id: org.id, secret_key: seal(services, id, secret_access_key) }
    return await db.transaction(async (tx) => {
      await lockOrgLimit(tx, org.id, 'files.buckets')
      if ((await rows.count(tx, org.id)) >= maxBuckets) throw tooMany(tooMany.when)
      const bucket = await rows.insert(tx, row)
      await enqueue(tx, testBucket, { bucketId: id }, { orgId: org.id, subject: id })
      return present(bucket)
    })
  },
})

export const list = listRoute({
  path: '/buckets',
  summary: 'List buckets',
  description: 'Returns your bucket connections, without their secrets.',
  scope: 'files:read',
  filters: rows.filters,
  query: { state: rows.State.optional() },
  item: Bucket,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present,
})

export const read = route({
  method: 'GET',
  path: '/buckets/{id}',
  summary: 'Read a bucket connection',
  description: 'Returns the connection with its state. The secret is not returned.',
  scope: 'files:read',
  params,
  status: 200,
  reply: Bucket,
  problems: ['not_found'],
  handle: async ({ params, org, db }) => present(await mustFind(rows.find(db, org.id, params.id), 'bucket')),
})

const { access_key_id, secret_access_key } = bucketFields

export const update = route({
  method: 'PATCH',
  path: '/buckets/{id}',
  summary: 'Update a bucket connection or rotate its credentials',
  description:
    'Changes the given fields. New credentials are used by the next request, also of scans that are waiting, and are tested.',
  scope: 'files:write',
  params,
  body: z
    .strictObject({
      name: bucketFields.name.optional(),
      region: bucketFields.region.optional(),
      addressing: rows.Addressing.optional(),
      writes_tags: z.boolean().optional(),
      access_key_id: access_key_id.optional(),
      secret_access_key: secret_access_key.optional(),
    })
    .refine((changes) => Object.values(changes).some((one) => one !== undefined), {
      error: 'must contain at least one field',
    })
    .refine((body) => (body.access_key_id === undefined) === (body.secret_access_key === undefined), {
      path: ['secret_access_key'],
      error: 'must be set together with `access_key_id`',
    }),
  status: 200,
  reply: Bucket,
  problems: ['not_found'],
  async handle({ params: { id }, body, org, db, services }) {
    const { secret_access_key: secret, ...changes } = body
    const before = await mustFind(rows.find(db, org.id, id), 'bucket')
    const isNew = secret !== undefined || differs(before, body)
    return await db.transaction(async (tx) => {
      const changed = await rows.update(tx, org.id, id, {
        ...changes,
        secret_key: secret === undefined ? undefined : seal(services, id, secret),
        ...(isNew && { state: 'unverified' as const, reason: null }),
      })
      const bucket = await mustFind(Promise.resolve(changed), 'bucket')
      if (isNew) await enqueue(tx, testBucket, { bucketId: id }, { orgId: org.id, subject: id })
      return present(bucket)
    })
  },
})

export const test = route({
  method: 'POST',
  path: '/buckets/{id}/test',
  summary: 'Test a bucket connection',
  description: 'Lists one object of the bucket. The connection is `active` if the bucket accepts the credentials.',
  scope: 'files:write',
  params,
  status: 200,
  reply: z.object({
    ok: z.boolean(),
    error: z.object({ code: z.string(), message: z.string() }).nullable().describe('Reason why the test failed'),
    bucket: Bucket,
  }),
  problems: ['not_found'],
  limit: { perMinute: 30, by: 'org' },
  async handle({ params: { id }, org, db, services }) {
    await mustFind(rows.find(db, org.id, id), 'bucket')
    const result = await runTest(services, org.id, id)
    return { ...result, bucket: present(await mustFind(rows.find(db, org.id, id), 'bucket')) }
  },
})

const differs = (
  before: rows.Facts,
  { region, addressing }: { region?: string | undefined; addressing?: string | undefined },
) =>
  (region !== undefined && region !== before.region) || (addressing !== undefined && addressing !== before.addressing)

async function runTest(services: Services, orgId: string, id: string) {
  try {
    return await services(questions).ask(testBucket, { bucketId: id }, { orgId, subject: id, timeout: testMs })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { ok: false, error: { code: 'no_response', message: 'No worker tested the connection in time.' } }
  }
}

export const remove = removeRoute({
  path: '/buckets/{id}',
  summary: 'Remove a bucket connection',
  description:
    'Deletes the connection with its credentials and the history of its scans. Your bucket and its tags stay unchanged.',
  scope: 'files:write',
  params,
  what: 'bucket',
  reply: { id: Id },
  remove: ({ params, org, db }) => rows.remove(db, org.id, params.id),
})
