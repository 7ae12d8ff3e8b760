import '../support/work-environment.ts'
import t from 'tap'
import { fieldsOf } from '../support/ingress.ts'
import { intakeStack } from './stack.ts'

t.setTimeout(240_000)
const { ask, add } = await intakeStack(t)
const made = await add({ name: 'A', provider: 'hmac', hmac: { header: 'x-sig' } })
const other = await add({ name: 'B', provider: 'github' })

const source = { name: 'S', provider: 'github' }
const hmac = { header: 'x-sig' }
const withHmac = (more: object) => ({ name: 'S', provider: 'hmac', hmac: { ...hmac, ...more } })
const forward = (more: object) => ({ ...source, forward: { url: 'https://example.com/', ...more } })
const create = 'POST /v1/intake/sources'
const change = `PATCH /v1/intake/sources/${made.id}`
const secret = `POST /v1/intake/sources/${made.id}/secret`
const url = `POST /v1/intake/sources/${made.id}/url`
const replay = `POST /v1/intake/sources/${made.id}/replay`
const list = 'GET /v1/intake/requests'

const cases: readonly [request: string, body: unknown, fields: readonly string[]][] = [
  [create, {}, ['body.name', 'body.provider']],
  [create, [], ['body']],
  [create, { ...source, name: ' ' }, ['body.name']],
  [create, { ...source, name: 'a\u0000' }, ['body.name']],
  [create, { ...source, name: 'x'.repeat(101) }, ['body.name']],
  [create, { ...source, provider: 'paypal' }, ['body.provider']],
  [create, { ...source, secret: 'short' }, ['body.secret']],
  [create, { ...source, secret: 'with a space' }, ['body.secret']],
  [create, { ...source, secret: 'x'.repeat(501) }, ['body.secret']],
  [create, { name: 'S', provider: 'standard', secret: 'not base64!!!!!!!!!!!!' }, ['body.secret']],
  [create, { name: 'S', provider: 'hmac' }, ['body.hmac']],
  [create, { ...source, hmac }, ['body.hmac']],
  [create, withHmac({ header: 'a b' }), ['body.hmac.header']],
  [create, withHmac({ header: '' }), ['body.hmac.header']],
  [create, withHmac({ algorithm: 'md5' }), ['body.hmac.algorithm']],
  [create, withHmac({ encoding: 'base32' }), ['body.hmac.encoding']],
  [create, withHmac({ prefix: 'a b' }), ['body.hmac.prefix']],
  [create, withHmac({ signed: 'timestamp.body' }), ['body.hmac.timestamp_header']],
  [create, withHmac({ tolerance: 0 }), ['body.hmac.tolerance']],
  [create, withHmac({ tolerance: 1e12 }), ['body.hmac.tolerance']],
  [create, withHmac({ event_id_path: 'a..b' }), ['body.hmac.event_id_path']],
  [create, withHmac({ event_type_path: '.a' }), ['body.hmac.event_type_path']],
  [create, withHmac({ other: 1 }), ['body.hmac.other']],
  [create, forward({ url: 'ftp://example.com/' }), ['body.forward.url']],
  [create, forward({ url: 'https://u:p@example.com/' }), ['body.forward.url']],
  [create, forward({ url: 'http://169.254.169.254/' }), ['body.forward.url']],
  [create, forward({ headers: { Host: 'x' } }), ['body.forward.headers.Host']],
  [create, forward({ headers: { 'webhook-id': 'x' } }), ['body.forward.headers.webhook-id']],
  [create, forward({ headers: { a: 'b\r\nc' } }), ['body.forward.headers.a']],
  [create, forward({ timeout: 0 }), ['body.forward.timeout']],
  [create, forward({ timeout: 1e9 }), ['body.forward.timeout']],
  [create, forward({ retries: { schedule: [] } }), ['body.forward.retries.schedule']],
  [create, forward({ concurrency: { key: 'k', limit: 0 } }), ['body.forward.concurrency.limit']],
  [create, forward({ rate: { key: '', limit: 1 } }), ['body.forward.rate.key']],
  [create, forward({ body: 'x' }), ['body.forward.body']],
  [create, forward({ method: 'GET' }), ['body.forward.method']],
  [create, { ...source, event_types: ['a*b'] }, ['body.event_types.0']],
  [create, { ...source, event_types: [''] }, ['body.event_types.0']],
  [create, { ...source, filter: { a: [] } }, ['body.filter.a']],
  [create, { ...source, filter: { 'a b': ['x'] } }, ['body.filter.a b']],
  [create, { ...source, filter: { a: [{}] } }, ['body.filter.a.0']],
  [create, { ...source, filter: { a: ['\ud800'] } }, ['body.filter.a.0']],
  [create, { ...source, dedupe: 'yes' }, ['body.dedupe']],
  [create, { ...source, response: { status: 500 } }, ['body.response.status']],
  [create, { ...source, response: { content_type: 'text/html' } }, ['body.response.content_type']],
  [create, { ...source, response: { body: 'x'.repeat(4_097) } }, ['body.response.body']],
  [create, { ...source, retention_days: 0 }, ['body.retention_days']],
  [create, { ...source, retention_days: 99_999 }, ['body.retention_days']],
  [create, { ...source, status: 'paused' }, ['body.status']],
  [change, { provider: 'github' }, ['body.provider']],
  [change, { secret: 'a-new-secret' }, ['body.secret']],
  [change, { hmac: {} }, ['body.hmac.header']],
  [`PATCH /v1/intake/sources/${other.id}`, { hmac }, ['body.hmac']],
  [secret, { keep_hours: 169 }, ['body.keep_hours']],
  [secret, { secret: 'short', keep_hours: -1 }, ['body.keep_hours', 'body.secret']],
  [url, { keep_hours: 1.5 }, ['body.keep_hours']],
  [replay, {}, ['body.since']],
  [replay, { since: 'yesterday' }, ['body.since']],
  [replay, { since: '2999-01-01T00:00:00Z' }, ['body.since']],
  [replay, { since: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' }, ['body.until']],
  [replay, { since: '2026-01-01T00:00:00Z', until: '+275760-09-13T00:00:00Z' }, ['body.until']],
  [`${list}?source_id=x`, undefined, ['query.source_id']],
  [`${list}?verified=1`, undefined, ['query.verified']],
  [`${list}?status=new`, undefined, ['query.status']],
  [`${list}?job_status=new`, undefined, ['query.job_status']],
  [`${list}?since=x&until=0000-01-01T00:00:00Z`, undefined, ['query.since', 'query.until']],
  [`${list}?event_id=`, undefined, ['query.event_id']],
  [`${list}?limit=0`, undefined, ['query.limit']],
]

t.test('every invalid field is named, and nothing ends in a 500', async (t) => {
  for (const [request, body, fields] of cases) {
    const reply = await ask(request, body === undefined ? {} : { body })
    t.equal(reply.status, 400, `${request} ${JSON.stringify(body)?.slice(0, 80)} ${reply.text.slice(0, 200)}`)
    if (reply.status === 400) t.strictSame([...new Set(fieldsOf(reply))], [...fields].sort())
  }
})

t.test('objects that do not exist are a 404', async (t) => {
  const id = '01a2243e-ddf4-7141-8842-4cd31e5e75d4'
  const requests = [
    ...[`GET /v1/intake/sources/${id}`, `DELETE /v1/intake/sources/${id}`, `POST /v1/intake/sources/${id}/pause`],
    ...[`POST /v1/intake/sources/${id}/resume`, `GET /v1/intake/requests/${id}`, `DELETE /v1/intake/requests/${id}`],
    ...[`POST /v1/intake/requests/${id}/replay`, 'GET /v1/intake/requests/x', 'GET /v1/intake/sources/x'],
  ]
  for (const request of requests) t.equal((await ask(request)).status, 404, request)
  t.equal((await ask(`PATCH /v1/intake/sources/${id}`, { body: { name: 'x' } })).status, 404)
  t.equal((await ask(`POST /v1/intake/sources/${id}/secret`, { body: {} })).status, 404)
  t.equal((await ask(`POST /v1/intake/sources/${id}/url`, { body: {} })).status, 404)
})
