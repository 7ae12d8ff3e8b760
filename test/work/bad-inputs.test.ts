import '../support/work-environment.ts'
import t from 'tap'
import { fieldsOf } from '../support/ingress.ts'
import { workStack } from './stack.ts'

t.setTimeout(240_000)
const { server, ask } = await workStack(t)
const url = `${server.url}/never`
const id = '01890000-0000-7000-8000-000000000000'

/** Bodies of `POST /v1/jobs`, with the fields that the response must name. */
const bodies: readonly [what: string, body: unknown, ...fields: string[]][] = [
  ['nothing', {}, 'body.url'],
  ['a list', [], 'body'],
  ['null', null, 'body'],
  ['text', 'x', 'body'],
  ['no URL', { url: 'x' }, 'body.url'],
  ['another scheme', { url: 'ftp://example.com' }, 'body.url'],
  ['a password', { url: 'https://a:b@example.com' }, 'body.url'],
  ['a fragment', { url: 'https://example.com/#x' }, 'body.url'],
  ['a private address', { url: 'https://10.0.0.1/' }, 'body.url'],
  ['metadata of a cloud', { url: 'http://169.254.169.254/latest' }, 'body.url'],
  ['a long URL', { url: `https://example.com/${'x'.repeat(3_000)}` }, 'body.url'],
  ['an unknown method', { url, method: 'TRACE' }, 'body.method'],
  ['a method in small letters', { url, method: 'post' }, 'body.method'],
  ['an unknown field', { url, retry: 1 }, 'body.retry'],
  [
    'a header of the connection',
    { url, headers: { 'Transfer-Encoding': 'chunked' } },
    'body.headers.Transfer-Encoding',
  ],
  ['a host header', { url, headers: { host: 'x' } }, 'body.headers.host'],
  ['a signature', { url, headers: { 'webhook-signature': 'v1,x' } }, 'body.headers.webhook-signature'],
  ['a line break in a header', { url, headers: { a: 'b\r\nc: d' } }, 'body.headers.a'],
  ['a space in the name of a header', { url, headers: { 'a b': 'c' } }, 'body.headers.a b'],
  ['a number as a header', { url, headers: { a: 1 } }, 'body.headers.a'],
  [
    'too many headers',
    { url, headers: Object.fromEntries(Array.from({ length: 41 }, (_, n) => [`x-${n}`, ''])) },
    'body.headers',
  ],
  ['a large body', { url, body: 'x'.repeat(262_145) }, 'body.body'],
  ['a large JSON body', { url, body: { a: 'x'.repeat(262_145) } }, 'body.body'],
  ['a body with GET', { url, method: 'GET', body: 'x' }, 'body.body'],
  ['NUL in a body', { url, body: 'a\0b' }, 'body.body'],
  ['half of a pair in a body', { url, body: { a: '\ud800' } }, 'body.body.a'],
  ['a time and a delay', { url, run_at: '2027-01-01T00:00:00Z', delay: 1 }, 'body.delay'],
  ['a far time', { url, run_at: '2999-01-01T00:00:00Z' }, 'body.run_at'],
  ['a time without an offset', { url, run_at: '2027-01-01T00:00:00' }, 'body.run_at'],
  ['a time of the year 0', { url, run_at: '0000-01-01T00:00:00Z' }, 'body.run_at'],
  ['a negative delay', { url, delay: -1 }, 'body.delay'],
  ['a long delay', { url, delay: 1e12 }, 'body.delay'],
  ['a part of a second', { url, delay: 0.5 }, 'body.delay'],
  ['no timeout', { url, timeout: 0 }, 'body.timeout'],
  ['a long timeout', { url, timeout: 301 }, 'body.timeout'],
  ['no attempts', { url, retries: { max_attempts: 0 } }, 'body.retries.max_attempts'],
  ['an empty schedule', { url, retries: { schedule: [] } }, 'body.retries.schedule'],
  ['a negative schedule', { url, retries: { schedule: [-1] } }, 'body.retries.schedule.0'],
  ['a schedule and a back-off', { url, retries: { schedule: [1], backoff: { first: 1 } } }, 'body.retries'],
  ['an unknown field of retries', { url, retries: { attempts: 1 } }, 'body.retries.attempts'],
  ['no limit', { url, concurrency: { key: 'k' } }, 'body.concurrency.limit'],
  ['an empty key', { url, concurrency: { key: '', limit: 1 } }, 'body.concurrency.key'],
  ['a limit of 0', { url, rate: { key: 'k', limit: 0 } }, 'body.rate.limit'],
  ['an unknown period', { url, rate: { key: 'k', limit: 1, per: 'day' } }, 'body.rate.per'],
  ['NUL in a key', { url, dedupe_key: 'a\0' }, 'body.dedupe_key'],
  ['a window without a key', { url, dedupe_window: 10 }, 'body.dedupe_window'],
  ['a long key', { url, dedupe_key: 'x'.repeat(256) }, 'body.dedupe_key'],
  ['a number as a group', { url, group: 7 }, 'body.group'],
]

t.test('every bad job is a 400 that names each field', async (t) => {
  for (const [what, body, ...fields] of bodies) {
    const reply = await ask('POST /v1/jobs', { body })
    t.equal(reply.status, 400, `${what}: ${reply.text.slice(0, 200)}`)
    t.same(fieldsOf(reply), fields, what)
    const batch = await ask('POST /v1/jobs/batch', { body: { jobs: [body] } })
    t.match(
      batch,
      { status: 201, body: { accepted: 0, refused: 1 } },
      `${what}, in a batch: ${batch.text.slice(0, 200)}`,
    )
  }
})

t.test('a job in the middle of a batch names its place', async (t) => {
  const reply = await ask('POST /v1/jobs/batch', {
    body: {
      jobs: [
        { url, delay: 60 },
        { url, timeout: 0 },
      ],
    },
  })
  t.match(reply.body.data[1].error.details, [{ field: 'body.jobs.1.timeout' }])
})

t.test('bad queries, paths and settings are refused', async (t) => {
  const cases: readonly [request: string, body: unknown, status: number][] = [
    ['GET /v1/jobs?status=done', undefined, 400],
    ['GET /v1/jobs?created_after=yesterday', undefined, 400],
    ['GET /v1/jobs?origin_id=7', undefined, 400],
    ['GET /v1/jobs?group=', undefined, 400],
    ['GET /v1/jobs?unknown=1', undefined, 400],
    ['GET /v1/jobs?limit=101', undefined, 400],
    ['GET /v1/jobs?cursor=x', undefined, 400],
    ['GET /v1/jobs/x', undefined, 404],
    [`GET /v1/jobs/${id}`, undefined, 404],
    [`POST /v1/jobs/${id}/cancel`, undefined, 404],
    [`POST /v1/jobs/${id}/replay`, undefined, 404],
    [`DELETE /v1/jobs/${id}`, undefined, 404],
    ['POST /v1/jobs/batch', { jobs: [] }, 400],
    ['POST /v1/jobs/batch', { jobs: Array.from({ length: 101 }, () => ({ url })) }, 400],
    ['POST /v1/jobs/replay', {}, 400],
    ['POST /v1/jobs/replay', { since: 'x' }, 400],
    ['PUT /v1/jobs/settings', { retention_days: 0 }, 400],
    ['PUT /v1/jobs/settings', { days: 1 }, 400],
    ['POST /v1/jobs/signing-secret/rotate', { keep_hours: 169 }, 400],
  ]
  for (const [request, body, status] of cases) {
    const reply = await ask(request, body === undefined ? {} : { body })
    t.equal(reply.status, status, `${request} ${JSON.stringify(body)?.slice(0, 60)}: ${reply.text.slice(0, 150)}`)
  }
  t.equal(server.received.length, 0)
})
