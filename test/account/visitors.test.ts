import t from 'tap'
import * as plans from '#sql/account/plans.ts'
import { sql } from '#sql/db.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { guardStack, page } from '../guard/stack.ts'
import { type Reply, testIngress } from '../support/ingress.ts'

const count = (replies: Reply[], status: number) => replies.filter((r) => r.status === status).length

t.test('public keys', async (t) => {
  const stack = await guardStack(t)
  const [free] = await plans.list(stack.db)
  const narrow = { ...(free as plans.Plan), name: 'narrow', key_burst: 1e9, key_requests_per_minute: 10 }
  await plans.put(stack.db, {
    ...narrow,
    org_requests_per_minute: 10,
    visitor_requests_per_minute: 20,
    site_requests_per_minute: 50,
  })
  const site = await stack.site()
  const other = await stack.site()
  await stack.db.query(sql.typeAlias('void')`update account.orgs set plan = 'narrow'`)
  // The ingress of the stack has the plan of before in its cache.
  const services = [provide(signingSecret, 's'.repeat(32))]
  const { ask } = await testIngress(t, stack.db, [], { services, trustedProxies: ['127.0.0.1'] })

  const refused = (address: string, key = site.key) =>
    ask('POST /v1/guard/challenges', {
      key,
      body: { action: 'signup', unknown: true },
      headers: { origin: page, 'x-forwarded-for': address },
    })
  const flood = (address: string, times: number, key?: string) =>
    Promise.all(Array.from({ length: times }, () => refused(address, key)))

  await t.test("spend their visitor's minute, which the headers tell", async (t) => {
    const first = await refused('203.0.113.1')
    t.equal(first.status, 400)
    t.equal(first.headers.get('ratelimit-limit'), '20')
    t.equal(first.headers.get('ratelimit-remaining'), '19')
    const replies = await flood('203.0.113.1', 39)
    t.equal(count(replies, 400), 19)
    t.equal(count(replies, 429), 20)
    const last = replies.find(({ status }) => status === 429) as Reply
    t.match(last.body.error, { code: 'rate_limited', details: { limit: 'visitor_requests_per_minute', max: 20 } })
    t.match(last.body.error.message, /limit of 20 requests per minute: `visitor_requests_per_minute`/)
    const wait = Number(last.headers.get('retry-after'))
    t.ok(wait > 0 && wait <= 60)
    t.equal(last.headers.get('ratelimit-remaining'), '0')
  })

  await t.test('leave other visitors, other sites and the server theirs', async (t) => {
    t.equal((await refused('203.0.113.2')).status, 400)
    t.equal((await refused('203.0.113.1', other.key)).status, 400)
    const verify = await ask('POST /v1/guard/tokens/verify', { key: stack.key, body: { token: 'x', action: 'signup' } })
    t.equal(verify.status, 200, verify.text)
    t.equal(verify.headers.get('ratelimit-limit'), '10')
    t.equal(verify.headers.get('ratelimit-remaining'), '9', 'no visitor has spent of it')
  })

  await t.test('of one /64 are one visitor', async (t) => {
    const replies = await Promise.all(
      Array.from({ length: 24 }, (_, i) => refused(`2001:db8:1:1::${i + 1}`, other.key)),
    )
    t.equal(count(replies, 400), 20)
    t.equal((await refused('2001:db8:1:2::1', other.key)).status, 400)
  })

  await t.test("spend their site's minute together, and no server's", async (t) => {
    const replies = (await Promise.all(['3', '4', '5', '6'].map((n) => flood(`203.0.113.${n}`, 15)))).flat()
    t.equal(count(replies, 400), 50 - 20 - 1)
    const late = await refused('203.0.113.7')
    t.match(late, { status: 429, body: { error: { details: { limit: 'site_requests_per_minute', max: 50 } } } })
    t.equal(late.headers.get('ratelimit-limit'), '20', "the headers are the visitor's")
    t.ok(Number(late.headers.get('retry-after')) > 0)
    t.equal((await ask('GET /v1/guard/sites', { key: stack.key })).status, 200)
  })
})
