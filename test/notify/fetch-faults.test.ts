import '../support/webhooks-environment.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { until } from '../support/until.ts'
import { customerServer, fetchWorker } from './fetching.ts'
import { helpers, traceOf } from './flows.ts'
import { notifying, notifyWorker, person, type Teller } from './people.ts'

t.setTimeout(240_000)
const inApp = { type: 'channel', channel: 'in_app' }
const rotate = (one: Teller) => one.ask('POST /v1/notify/fetch-secret/rotate', { body: {} })

t.test(
  'a worker that is killed while it waits for a server: the request is repeated, the run continues once',
  async (t) => {
    const { db, databaseUrl, teller } = await notifying(t)
    const { flow, start, run } = helpers(db)
    const server = await customerServer(t, (_, count) => (count === 1 ? 'silence' : { body: { a: '1' } }))
    const one = await teller()
    await rotate(one)
    await flow(one, [{ type: 'fetch', name: 'x', url: server.url, timeout_seconds: 15 }, inApp])
    const worker = async () => {
      const program = fileURLToPath(new URL('./fetch-process.ts', import.meta.url))
      const child = spawn('setpriv', ['--pdeathsig=KILL', '--', process.execPath, program, databaseUrl], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const ended = once(child, 'close')
      const kill = async () => {
        child.kill('SIGKILL')
        await ended
      }
      t.teardown(kill)
      await new Promise<void>((resolve) => {
        createInterface(child.stdout).on('line', (line) => line === 'ready' && resolve())
      })
      return kill
    }
    const kill = await worker()
    const user = person()
    const id = await start(one, user)
    await until(() => server.got.length === 1)
    await kill()
    await worker()
    const ended = await until(
      async () => {
        const found = await run(one, id, () => true)
        return found.state === 'completed' && found
      },
      { timeout: 60_000 },
    )
    t.same(traceOf(ended), ['fetch done', 'in_app done'])
    t.equal(server.got.length, 2)
    t.equal(server.got[0]?.headers['webhook-id'], server.got[1]?.headers['webhook-id'])
    t.equal((await one.inbox(user)).length, 1)
  },
)

t.test('a server that never answers takes no slot from other organisations', async (t) => {
  const { db, databaseUrl, teller } = await notifying(t)
  await notifyWorker(t, databaseUrl)
  await fetchWorker(t, databaseUrl, { concurrency: 8, share: { perOrganisation: 1 / 4 } })
  const { flow, start, run } = helpers(db)
  const silent = await customerServer(t, () => 'silence')
  const quick = await customerServer(t, () => ({}))
  const [slow, other] = [await teller(), await teller()]
  for (const [one, { url }] of [
    [slow, silent],
    [other, quick],
  ] as const) {
    await rotate(one)
    await flow(one, [{ type: 'fetch', name: 'x', url, timeout_seconds: 10 }, inApp])
  }
  await Promise.all(Array.from({ length: 40 }, () => start(slow, person())))
  await until(() => silent.got.length >= 2)
  const begun = performance.now()
  const ids = await Promise.all(Array.from({ length: 10 }, () => start(other, person())))
  for (const id of ids) t.match(await run(other, id), { state: 'completed' })
  // Two slots, and each of their requests ends after ten seconds.
  const rounds = 2 + Math.floor((performance.now() - begun) / 10_000)
  t.ok(silent.got.length <= 2 * rounds, `the silent server has ${silent.got.length} requests`)
})

t.test('addresses of the network are not reached, whatever a version contains', async (t) => {
  const { db, databaseUrl, teller } = await notifying(t)
  await notifyWorker(t, databaseUrl)
  await fetchWorker(t, databaseUrl)
  const { flow, start, run } = helpers(db)
  const one = await teller()
  await rotate(one)
  await flow(one, [{ type: 'fetch', name: 'x', url: 'https://shop.example/a/{{data.path}}/b' }, inApp])
  const ends = async (url: string, data = {}) => {
    await db.query(sql.typeAlias('void')`
      update notify.workflow_versions set steps = jsonb_set(steps, '{0,url}', to_jsonb(${url}::text)) where org_id = ${one.orgId}`)
    return traceOf(await run(one, await start(one, person(), { data })))[0]
  }
  for (const url of [
    'http://10.0.0.1/',
    'http://169.254.169.254/latest',
    'http://[::1]/',
    'http://user:a@127.0.0.1/',
    'file:///etc/passwd',
  ])
    t.equal(await ends(url), 'fetch failed bad_url', url)
  const server = await customerServer(t, () => ({}))
  const template = `${server.url}/a/{{data.path}}/b`
  t.equal(await ends(template, { path: '..' }), 'fetch failed bad_url')
  t.equal(await ends(template, { path: '' }), 'fetch done')
  t.equal(await ends(template, { path: '../../x?y#z' }), 'fetch done')
  t.same(
    server.got.map(({ path }) => path),
    ['/a//b', '/a/..%2F..%2Fx%3Fy%23z/b'],
  )
})

t.test('odd responses do no harm', async (t) => {
  const { db, databaseUrl, teller } = await notifying(t)
  await notifyWorker(t, databaseUrl)
  await fetchWorker(t, databaseUrl)
  const { flow, start, run } = helpers(db)
  const bodies = [
    '',
    'null',
    '7',
    '"text"',
    '[]',
    '['.repeat(20_000) + ']'.repeat(20_000),
    JSON.stringify(Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, i]))),
    JSON.stringify({
      __proto__: null,
      constructor: 'x',
      'a.b': { c: '\ud800' },
      ['k'.repeat(200)]: 'v',
      long: 'x'.repeat(5_000),
    }),
    '{"__proto__": {"polluted": "yes"}, "nul": "\\u0000"}',
    '{"a": 1',
    '\u00ff\u00fe',
  ]
  const server = await customerServer(t, ({ path }) => ({ body: bodies[Number(path.slice(1))] }))
  const one = await teller()
  await rotate(one)
  await flow(one, [{ type: 'fetch', name: 'x', url: `${server.url}/{{data.n}}` }, inApp])
  for (const n of bodies.keys()) {
    const ended = await run(one, await start(one, person(), { data: { n: String(n) } }))
    t.equal(ended.state, 'completed', String(bodies[n]).slice(0, 40))
    t.equal(traceOf(ended)[0], n >= 9 ? 'fetch failed not_json' : 'fetch done')
  }
  t.equal(({} as Record<string, unknown>).polluted, undefined)
  const most = await db.oneFirst(sql.typeAlias('count')`
    select max((select count(*) from jsonb_object_keys(fields))) as count from notify.run_fetches where org_id = ${one.orgId}`)
  t.equal(most, 100)
})
