import t from 'tap'
import { sql } from '#sql/db.ts'
import { provide } from '../../ingress/http/container.ts'
import * as services from '../../ingress/http/services.ts'
import { testDatabase } from '../support/database.ts'
import { type Ask, testIngress, testOrg } from '../support/ingress.ts'
import '../support/webhooks-environment.ts'

t.setTimeout(240_000)
const { db } = await testDatabase(t)
const { ask } = await testIngress(t, db, [], {
  only: ['email', 'push', 'video'],
  services: [
    provide(services.signingSecret, 'a signing secret of the tests alone'),
    provide(services.storage, { put: async () => {} } as never),
    provide(services.questions, { ask: async () => ({ readable: true }) } as never),
  ],
})
const { org, keys } = await testOrg(db, ['email:send', 'email:manage', 'push:manage', 'stream:read', 'stream:write'])
const orgId = org.id

/** Creates 40 things at once; returns how many there are, and the codes of those that were refused. */
async function createMany(request: string, body: (n: number) => unknown, table: readonly [string, string]) {
  const replies = await Promise.all(
    Array.from({ length: 40 }, (_, n) => ask(request, { key: keys.main, body: body(n) } as Ask)),
  )
  const count = await db.oneFirst(sql.typeAlias('count')`
    select count(*) from ${sql.identifier([...table])} where org_id = ${orgId}`)
  const made = replies.filter(({ status }) => status < 300).length
  const codes = new Set(replies.filter(({ status }) => status >= 300).map((reply) => reply.body.error.code))
  return { count, made, codes: [...codes] }
}

t.test('40 creates at once make no more than an organisation may have', async (t) => {
  const url = 'https://hooks.example/'
  const hooks = await createMany('POST /send/v1/webhooks', () => ({ url, events: ['*'] }), ['webhooks', 'endpoints'])
  t.strictSame(hooks, { count: 10, made: 10, codes: ['webhook_limit'] })
  const others = await createMany('POST /push/v1/webhooks', () => ({ url, events: ['*'] }), ['webhooks', 'endpoints'])
  t.strictSame(others, { count: 20, made: 10, codes: ['webhook_limit'] }, 'of each area')

  const domains = await createMany('POST /v1/stream/domains', (n) => ({ hostname: `v${n}.example.com` }), [
    'video',
    'domains',
  ])
  t.strictSame(domains, { count: 40, made: 40, codes: [] })
  const more = await createMany('POST /v1/stream/domains', (n) => ({ hostname: `w${n}.example.com` }), [
    'video',
    'domains',
  ])
  t.strictSame(more, { count: 50, made: 10, codes: ['domain_limit'] })

  await db.query(sql.typeAlias('void')`
    insert into email.domains (id, org_id, domain, return_path)
    select gen_random_uuid(), ${orgId}, 'd' || n || '.example', 'bounce.d' || n || '.example' from generate_series(1, 995) as n`)
  const mail = await createMany('POST /send/v1/domains', (n) => ({ domain: `m${n}.example` }), ['email', 'domains'])
  t.match(mail, { count: 1_000, made: 5 })

  await db.query(sql.typeAlias('void')`
    insert into video.watermarks (id, org_id, bytes, content_type, width, height)
    select gen_random_uuid(), ${orgId}, 1, 'image/png', 1, 1 from generate_series(1, 195)`)
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII='
  const logos = await createMany('POST /v1/stream/watermarks', () => ({ imageBase64: png }), ['video', 'watermarks'])
  t.strictSame(logos, { count: 200, made: 5, codes: ['watermark_limit'] })
})
