import t from 'tap'
import { z } from 'zod'
import { area } from '../../ingress/http/area.ts'
import { groupedRoute, route } from '../../ingress/http/route.ts'
import { Problem } from '../../lib/errors.ts'

const Status = z.enum(['open', 'shut'])

const typed = route({
  method: 'POST',
  path: '/things/{thingId}/parts/{partId}',
  summary: 'Types follow from the declaration',
  scope: 'files:write',
  status: 201,
  query: z.object({ dry: z.stringbool().default(false) }),
  body: z.strictObject({ count: z.number().default(3) }),
  reply: z.object({ status: Status }),
  async handle({ params, query, body, org, db, ctx }) {
    const text: string = params.thingId + params.partId + org.id
    const count: number = body.count
    const dry: boolean = query.dry
    const none: undefined = ctx
    await db.connect(async () => {})
    return { status: text && count && !dry && none ? 'open' : 'shut' }
  },
})

const prepared = route({
  method: 'POST',
  path: '/prepared',
  summary: 'What prepare returns is given to handle, whose db is a transaction',
  scope: ['files:read', 'stream:read'],
  idempotent: { field: 'key' },
  status: 200,
  body: z.strictObject({ key: z.string().optional() }),
  reply: z.object({ name: z.string() }),
  async prepare({ body, db }) {
    await db.connect(async () => {})
    return { name: body.key ?? '' }
  },
  async handle({ prepared, db }) {
    // @ts-expect-error A transaction cannot be connected to.
    db.connect
    return { name: prepared.name }
  },
})

const open = route({
  method: 'POST',
  path: '/open',
  summary: 'A public route without a body has neither caller nor body',
  public: true,
  status: 204,
  async handle({ org, key, plan, body }) {
    const nothing: undefined[] = [org, key, plan, body]
    if (nothing.length === 0) throw new Error('never')
  },
})

const raw = route({
  method: 'GET',
  path: '/raw',
  summary: 'A raw route writes to ctx',
  public: true,
  hidden: true,
  status: 200,
  raw: 'text/plain',
  async handle({ ctx }) {
    ctx.body = 'text'
  },
})

const grouped = groupedRoute({
  method: 'POST',
  path: '/grouped/{name}',
  summary: 'A grouped route answers each call, or refuses it',
  scope: 'files:write',
  idempotent: true,
  status: 202,
  body: z.strictObject({ to: z.string() }),
  reply: z.object({ status: Status, id: z.string() }),
  async commit(_tx, calls) {
    return calls.map(({ params, body, org }) =>
      body.to === '' ? new Problem(404, 'not_found', 'No such thing.') : { status: 'open', id: params.name + org.id },
    )
  },
})

// @ts-expect-error Neither scope nor public.
const forgotten = () => route({ method: 'GET', path: '/x', summary: 's', status: 204, async handle() {} })

const wrongReply = () =>
  route({
    method: 'GET',
    path: '/x',
    summary: 's',
    scope: 'files:write',
    status: 200,
    reply: z.object({ ok: z.boolean() }),
    // @ts-expect-error The reply has another type.
    async handle({ org }) {
      return { ok: org.id }
    },
  })

t.test('an operation is named by its area, resource and export', async (t) => {
  const things = area({
    name: 'things',
    title: 'Things',
    description: 'Things.',
    base: '/v1/things',
    routes: { one: { typed, prepared }, two: { open, raw, grouped, wrong: wrongReply() } },
  })
  const ids = things.operations.map(({ id, path }) => `${id} ${path}`)
  t.strictSame(ids, [
    'things.one.typed /v1/things/things/{thingId}/parts/{partId}',
    'things.one.prepared /v1/things/prepared',
    'things.two.open /v1/things/open',
    'things.two.raw /v1/things/raw',
    'things.two.grouped /v1/things/grouped/{name}',
    'things.two.wrong /v1/things/x',
  ])
})

t.test('a declaration that contradicts itself is refused at start', async (t) => {
  const facts = { method: 'GET', path: '/x', summary: 's', status: 200 } as const
  t.throws(forgotten, /either `scope` or `public: true`/)
  const reads = { ...facts, reads: 'replica', handle: async () => {} } as const
  t.throws(() => route({ ...reads, method: 'POST', scope: 'files:read' }), /a read from a replica is a GET/)
  t.throws(() => route({ ...reads, method: 'GET', public: true }), /a read from a replica is a GET with a key/)
  t.throws(() => route({ ...reads, method: 'GET', scope: 'files:read', enqueues: { pool: 'core' } }), /without effects/)
  t.throws(() => route({ ...reads, method: 'GET', scope: 'files:read', raw: 'text/plain' }), /a JSON response/)
  t.doesNotThrow(() => route({ ...reads, method: 'GET', scope: 'files:read' }))
  t.throws(
    () => route({ ...facts, public: true, raw: 'text/plain', reply: z.object({}), handle: async () => ({}) }),
    /`raw` responses have no `reply`/,
  )
  t.throws(
    () =>
      route({
        ...facts,
        scope: 'files:write',
        body: z.strictObject({}),
        reply: z.object({}),
        handle: async () => ({}),
      }),
    /a GET has no body/,
  )
  t.throws(
    () =>
      route({ ...facts, scope: 'files:write', withoutDatabase: true, reply: z.object({}), handle: async () => ({}) }),
    /without the database/,
  )
  const limit = { perMinute: 5, by: 'org' } as const
  t.throws(
    () =>
      route({ ...facts, scope: 'guard:challenge', site: true, limit, reply: z.object({}), handle: async () => ({}) }),
    /limited by IP address/,
  )
  const asked = { ...facts, scope: 'files:write', reply: z.object({}), handle: async () => ({}) } as const
  for (const method of ['POST', 'DELETE'] as const)
    t.throws(() => route({ ...asked, method, testKeys: 'shared' }), /must only read/, method)
  t.doesNotThrow(() => route({ ...asked, method: 'POST', repeatable: true, testKeys: 'shared' }))
  t.throws(() => route({ ...facts, public: true, locks: [], handle: async () => {} }), /for routes with a key/)
})
