import '../support/work-environment.ts'
import t from 'tap'
import { workStack } from './stack.ts'

t.setTimeout(240_000)
const { server, ask } = await workStack(t)
const url = `${server.url}/x`

const schedule = (more: object) => ({ name: 'x', cron: '0 9 * * *', job: { url }, ...more })

const withoutCron = (more: object) => schedule({ cron: undefined, ...more })

const far = '9999-12-31T23:59:59Z'

/** Bodies that are refused, with the field that the error names. */
const badSchedules: [body: unknown, field: string][] = [
  [{}, 'body.name'],
  [[], 'body'],
  [schedule({ name: '' }), 'body.name'],
  [schedule({ name: ' x' }), 'body.name'],
  [schedule({ name: 'x'.repeat(101) }), 'body.name'],
  [schedule({ name: 'a\u0000b' }), 'body.name'],
  [schedule({ name: '\ud800' }), 'body.name'],
  [schedule({ cron: '0 0 30 2 *' }), 'body.cron'],
  [schedule({ cron: '* * * * * *' }), 'body.cron'],
  [schedule({ cron: 'H H * * *' }), 'body.cron'],
  [schedule({ cron: '*/5 * * * *\u0000' }), 'body.cron'],
  [schedule({ cron: '1,'.repeat(40_000) }), 'body.cron'],
  [schedule({ cron: 5 }), 'body.cron'],
  [schedule({ time_zone: 'Nope/Zone' }), 'body.time_zone'],
  [schedule({ time_zone: '+02:00' }), 'body.time_zone'],
  [schedule({ time_zone: 'x'.repeat(10_000) }), 'body.time_zone'],
  [schedule({ every: 60 }), 'body.every'],
  [withoutCron({}), 'body.cron'],
  [withoutCron({ every: 59 }), 'body.every'],
  [withoutCron({ every: 1e12 }), 'body.every'],
  [withoutCron({ every: 60.5 }), 'body.every'],
  [withoutCron({ every: '60' }), 'body.every'],
  [schedule({ starts_at: 'tomorrow' }), 'body.starts_at'],
  [schedule({ starts_at: '0000-01-01T00:00:00Z' }), 'body.starts_at'],
  [schedule({ starts_at: '2030-01-01T00:00:00Z', ends_at: '2030-01-01T00:00:00Z' }), 'body.ends_at'],
  [schedule({ ends_at: '2020-01-01T00:00:00Z' }), 'body.ends_at'],
  [withoutCron({ every: 31_622_400, starts_at: far, ends_at: far }), 'body.ends_at'],
  [schedule({ missed: 'all' }), 'body.missed'],
  [schedule({ paused: 'yes' }), 'body.paused'],
  [schedule({ job: {} }), 'body.job.url'],
  [schedule({ job: undefined }), 'body.job'],
  [schedule({ job: { url: 'ftp://example.com' } }), 'body.job.url'],
  [schedule({ job: { url: 'http://169.254.169.254/' } }), 'body.job.url'],
  [schedule({ job: { url, run_at: far } }), 'body.job'],
  [schedule({ job: { url, dedupe_key: 'k' } }), 'body.job'],
  [schedule({ job: { url, method: 'GET', body: 'x' } }), 'body.job.body'],
  [schedule({ job: { url, headers: { host: 'x' } } }), 'body.job.headers'],
  [schedule({ unknown: 1 }), 'body'],
]

const flow = (...jobs: object[]) => ({ jobs: jobs.map((job) => ({ url, ...job })) })

const badFlows: [body: unknown, field: string][] = [
  [{}, 'body.jobs'],
  [{ jobs: [] }, 'body.jobs'],
  [{ jobs: 'x' }, 'body.jobs'],
  [flow(...Array.from({ length: 101 }, (_, i) => ({ name: `j${i}` }))), 'body.jobs'],
  [flow({}), 'body.jobs.0.name'],
  [flow({ name: '' }), 'body.jobs.0.name'],
  [flow({ name: 'a b' }), 'body.jobs.0.name'],
  [flow({ name: 'a\u0000' }), 'body.jobs.0.name'],
  [flow({ name: 'x'.repeat(65) }), 'body.jobs.0.name'],
  [flow({ name: '__proto__' }), 'body.jobs.0.name'],
  [flow({ name: 'a' }, { name: 'a' }), 'body.jobs.1.name'],
  [flow({ name: 'a', after: ['b'] }), 'body.jobs.0.after'],
  [flow({ name: 'a', after: ['a'] }), 'body.jobs.0.after'],
  [flow({ name: 'a', after: ['b'] }, { name: 'b', after: ['a'] }), 'body.jobs.'],
  [flow({ name: 'a' }, { name: 'b', after: ['a', 'a'] }), 'body.jobs.1.after'],
  [flow({ name: 'a', after: 'b' }), 'body.jobs.0.after'],
  [flow({ name: 'a', on_failure: 'retry' }), 'body.jobs.0.on_failure'],
  [flow({ name: 'a', delay: -1 }), 'body.jobs.0.delay'],
  [flow({ name: 'a', delay: 1e10 }), 'body.jobs.0.delay'],
  [flow({ name: 'a', with_results: true, body: 'text' }), 'body.jobs.0.body'],
  [flow({ name: 'a', with_results: true, method: 'GET' }), 'body.jobs.0.with_results'],
  [flow({ name: 'a', dedupe_key: 'k' }), 'body.jobs.0'],
  [flow({ name: 'a', url: 'http://10.0.0.1/' }), 'body.jobs.0.url'],
  [flow({ name: 'a' }, { name: 'b', url: 'nonsense' }), 'body.jobs.1.url'],
  [flow(...Array.from({ length: 4 }, (_, i) => ({ name: `j${i}`, body: 'x'.repeat(250_000) }))), 'body.jobs'],
  [{ ...flow({ name: 'a' }), name: '' }, 'body.name'],
  [{ ...flow({ name: 'a' }), unknown: 1 }, 'body'],
]

const fieldsOf = (body: { error?: { details?: { field: string }[] } }) =>
  (body.error?.details ?? []).map(({ field }) => field).join(' ')

for (const [path, cases] of [
  ['/v1/jobs/schedules', badSchedules],
  ['/v1/jobs/flows', badFlows],
] as const)
  t.test(`a bad body for ${path} is refused with its field`, async (t) => {
    for (const [body, field] of cases) {
      const { status, body: reply } = await ask(`POST ${path}`, { body })
      const shown = JSON.stringify(body).slice(0, 120)
      t.equal(status, 400, `${shown}: ${JSON.stringify(reply).slice(0, 300)}`)
      t.ok(fieldsOf(reply).includes(field), `${shown} names ${field}: ${fieldsOf(reply).slice(0, 200)}`)
    }
  })

t.test('a cycle is named', async (t) => {
  const { body } = await ask('POST /v1/jobs/flows', {
    body: flow(
      { name: 'start' },
      { name: 'a', after: ['start', 'c'] },
      { name: 'b', after: ['a'] },
      { name: 'c', after: ['b'] },
    ),
  })
  t.match(JSON.stringify(body), /a → b → c → a|b → c → a → b|c → a → b → c/)
})

t.test('bad paths and queries are refused', async (t) => {
  const id = '01890000-0000-7000-8000-000000000000'
  for (const [request, status] of [
    ['GET /v1/jobs/schedules/x', 404],
    [`GET /v1/jobs/schedules/${id}`, 404],
    [`PATCH /v1/jobs/schedules/${id}`, 404],
    [`DELETE /v1/jobs/schedules/${id}`, 404],
    [`POST /v1/jobs/schedules/${id}/trigger`, 404],
    [`POST /v1/jobs/schedules/${id}/pause`, 404],
    [`POST /v1/jobs/schedules/${id}/resume`, 404],
    ['GET /v1/jobs/schedules?state=x', 400],
    ['GET /v1/jobs/schedules?cursor=x', 400],
    ['GET /v1/jobs/flows/x', 404],
    [`GET /v1/jobs/flows/${id}`, 404],
    [`POST /v1/jobs/flows/${id}/cancel`, 404],
    [`POST /v1/jobs/flows/${id}/replay`, 404],
    ['GET /v1/jobs/flows?state=x', 400],
    ['GET /v1/jobs/flows?name=%00', 400],
  ] as const) {
    const reply = await ask(request, request.startsWith('PATCH') ? { body: {} } : {})
    t.equal(reply.status, status, `${request}: ${JSON.stringify(reply.body).slice(0, 200)}`)
  }
})
