import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { freePort } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { application, event, titlesOf } from './application.ts'
import { runCli, startRelayProcess } from './processes.ts'

t.setTimeout(240_000)

t.test('wrong arguments end with status 2 and name the fault', async (t) => {
  const url = 'postgres://a:secret@127.0.0.1:1/a'
  const cases: [string[], RegExp][] = [
    [['unknown'], /Unknown command: unknown/],
    [['install', 'more', '--database', url], /takes no further arguments: more/],
    [['install', url], /takes no further arguments: \(hidden\). Pass the URL with --database/],
    [[url], /Unknown command: \(hidden\)/],
    [['install', `--databse=${url}`], /Unknown option '--databse'/],
    [['install', `--print=${url}`], /--print/],
    [['install', '--nonsense'], /Unknown option '--nonsense'/],
    [['install'], /The database is not set/],
    [['install', '--database', 'mysql://x'], /--database must be a URL/],
    [['install', '--discard', '--database', url], /install has no option --discard/],
    [['relay', '--print', '--database', url], /relay has no option --print/],
    [['relay', '--concurrency', '0', '--database', url], /--concurrency must be a whole number from 1 to 256/],
    [['relay', '--concurrency', '1e9', '--database', url], /--concurrency must be/],
    [['relay', '--keep-sent', '-1', '--database', url], /keep-sent/],
    [['relay', '--timeout', 'soon', '--database', url], /--timeout must be a whole number from 1 to 600/],
    [['relay', '--metrics-port', '70000', '--database', url], /--metrics-port must be/],
  ]
  const results = await Promise.all(cases.map(([args]) => runCli(args)))
  for (const [i, { status, err, out }] of results.entries()) {
    const [args, message] = cases[i] as (typeof cases)[number]
    t.match({ status, err }, { status: 2, err: message }, args.join(' '))
    t.notMatch(err + out, /secret/)
  }
})

t.test('a relay that cannot start ends with status 1 and says what to do', async (t) => {
  const app = await application(t, { install: false })
  const relay = (args: string[], env = {}) => runCli(['relay', '--database', app.url, ...args], env)
  const key = { MILLRACE_API_KEY: 'bt_live_x' }
  const url = ['--url', 'http://127.0.0.1:9']
  t.match(await relay(url), { status: 1, err: /needs an API key/ })
  t.match(await relay(url, { MILLRACE_API_KEY: 'a\tb' }), { status: 1, err: /invalid character/ })
  t.match(await relay([], key), { status: 1, err: /The URL of the API is not set/ })
  t.match(await relay(['--url', 'nonsense'], key), { status: 1, err: /baseUrl must be an http or https URL/ })
  t.match(await relay([...url, '--key-file', '/nonsense']), { status: 2, err: /--key-file cannot be read: ENOENT/ })
  t.match(await relay(url, key), { status: 1, err: /no outbox\. Run `millrace-outbox install/ })
  t.match(await runCli(['upgrade', '--database', app.url]), { status: 1, err: /no outbox/ })
  t.match(await runCli(['install', '--database', app.url]), { status: 0, err: '' })
  await app.pool.query('update millrace.installation set version = 0')
  t.match(await relay(url, key), {
    status: 1,
    err: /version 0, but this package needs 1\. Run `millrace-outbox upgrade/,
  })
  t.match(await runCli(['upgrade', '--database', app.url]), { status: 0 })
  await app.pool.query('update millrace.installation set version = 99')
  t.match(await relay(url, key), { status: 1, err: /Use a newer millrace package/ })
  t.match(await runCli(['install', '--database', app.url]), { status: 1, err: /newer version/ })
  t.match(await runCli(['status', '--database', app.url.replace(/:\d+\//, ':1/')]), { status: 1, err: /ECONNREFUSED/ })
})

t.test('install is repeatable and removable, and respects a schema of the application', async (t) => {
  const app = await application(t, { install: false })
  const cli = (...args: string[]) => runCli([...args, '--database', app.url])
  const printed = await cli('install', '--print', '--grant', 'a"b', '--relay-role', app.role)
  t.match(printed, {
    status: 0,
    out: /create schema millrace[\s\S]*grant usage on schema millrace to "a""b"/,
  })
  t.match(await cli('install', '--grant', 'nobody_here'), { status: 1, err: /role "nobody_here" does not exist/ })
  t.same(await app.column(`select to_regnamespace('millrace')`), [null], 'the installation is one transaction')
  for (let i = 0; i < 2; i++) t.match(await cli('install', '--grant', app.role), { status: 0, err: '' })
  await app.enqueue(event(1))
  t.match(await cli('install'), { status: 0 })
  t.match(JSON.parse((await cli('status')).out), { version: 1, waiting: '1' })
  t.match(await cli('uninstall'), { status: 1, err: /still has rows/ })
  t.match(await cli('uninstall', '--discard'), { status: 0, err: '' })
  t.same(await app.column(`select to_regnamespace('millrace')`), [null])
  await app.pool.query('create schema millrace')
  t.match(await cli('install'), { status: 1, err: /already exists and is not an outbox/ })
})

t.test('a relay process reads its key from a file, serves metrics, and stops with SIGTERM', async (t) => {
  const { db } = await testDatabase(t)
  const ingress = await testIngress(t, db, [], { only: ['notify'] })
  const { org, keys } = await testOrg(db, ['notify:write'])
  const app = await application(t)
  await app.pool.query(`select millrace.enqueue('notify.events.create', $1)`, [event('first')])
  const file = join(t.testdir({}), 'key')
  await writeFile(file, 'bt_live_wrong\n')
  const port = await freePort()
  const args = ['--database', app.url, '--url', `${ingress.url}/v1`, '--key-file', file, '--metrics-port', String(port)]
  const relay = startRelayProcess(t, args, '')
  const health = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/health`)
    return { status: response.status, body: (await response.json()) as { problem?: string } }
  }
  const sick = await until(async () => {
    const answer = await health()
    return answer.status === 503 && answer
  })
  t.match(sick.body.problem, /key/i)
  t.match(relay.log(), /"level":"warn"/)
  t.notMatch(relay.log(), /bt_live_wrong/)
  await until(async () => (await app.column('select problem from millrace.lag'))[0] !== null, {
    what: 'the problem is in the database',
  })
  await writeFile(file, `${keys.main}\n`)
  await until(async () => (await titlesOf(db, org.id)).length === 1)
  await until(async () => (await health()).status === 200)
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  t.match(metrics, /millrace_outbox_accepted_total\{operation="notify\.events\.create"\} 1\n/)
  t.match(metrics, /millrace_outbox_latency_seconds_bucket\{le="\+Inf"\} 1\n/)
  t.equal((await fetch(`http://127.0.0.1:${port}/x`)).status, 404)
  t.equal(await relay.end('SIGTERM'), 0)
  t.match(relay.log(), /The relay has stopped/)
})
