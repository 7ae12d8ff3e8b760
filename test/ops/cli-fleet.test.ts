import { spawn } from 'node:child_process'
import { hostname } from 'node:os'
import t from 'tap'
import { childEnvironment } from '#lib/config.ts'
import { newId } from '#lib/ids.ts'
import { hashSecret } from '#lib/tokens.ts'
import * as audit from '#sql/account/audit.ts'
import * as keys from '#sql/account/keys.ts'
import * as orgs from '#sql/account/orgs.ts'
import * as domains from '#sql/email/domains.ts'
import * as imports from '#sql/email/imports.ts'
import { everything, whereOf } from '#sql/filters.ts'
import * as controls from '#sql/jobs/controls.ts'
import * as fleet from '#sql/jobs/fleet.ts'
import * as apps from '#sql/push/apps.ts'
import { describeJob } from '#tasks/jobs/rules/describe.ts'
import { queues } from '#tasks/pools.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { effects, installEffects, openGate, plain, precious } from '../jobs/work.ts'
import { testDatabase } from '../support/database.ts'
import { startWorker } from '../support/fleet.ts'
import { commandLine, program } from '../support/millrace.ts'
import { transactionPooler } from '../support/pooler.ts'
import { until } from '../support/until.ts'

t.setTimeout(240_000)
const { url, db } = await testDatabase(t)
await installEffects(db)
await startWorker(t, url)
await enqueue(db, plain, { name: 'first' })
await orgs.insert(db, { name: 'acme', plan: 'free' })
const { run: millrace, ask: asked } = commandLine(url)

const later = () => new Date(Date.now() + 3_600_000)
const phases = async (name: string) => (await effects(db, name)).map(({ phase }) => phase)
const inState = (name: string, state: string) =>
  until(async () => (await describeJob(db, name)).state === state, { what: `${name} is ${state}` })

t.test('a pool and a task are paused and resumed', async (t) => {
  t.match(await asked('pause core --reason testing'), { pool: 'core', task: '', changed: true })
  t.match(await asked('pause core'), { changed: false })
  t.match((await millrace('actions')).out, /pause +core +1 +testing/)
  await until(async () => (await fleet.workers(db, queues, { ended: false })).every(({ fetches }) => !fetches))
  t.match((await millrace('workers')).out, /paused/)
  const id = await enqueue(db, plain, { name: 'paused' }, { at: later() })
  t.match(await asked('pause test/plain'), { pool: 'core', task: 'test/plain', changed: true })
  await inState(`core:${id}`, 'paused')
  t.match(
    (await asked('pause')).map((pause: { reason: string }) => pause.reason),
    [null, 'testing'],
  )
  t.match(await asked('resume test/plain'), { changed: true })
  await inState(`core:${id}`, 'scheduled')
  t.match(await asked('resume core'), { changed: true })
  await asked(`reschedule core:${id} --at now`)
  await until(async () => (await phases('paused')).includes('end'))
})

t.test('drain waits until the host runs nothing; undone, it works again', async (t) => {
  const id = await enqueue(db, precious, { name: 'drained', gate: 'drained' })
  await until(async () => (await phases('drained')).includes('start'))
  t.match(await asked(`drain ${hostname()} --timeout 1`, 1), { running: 1 })
  const env = childEnvironment({ DATABASE_URL: url })
  const waiting = spawn(program, ['drain', hostname()], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const said: string[] = []
  waiting.stdout.on('data', (text) => said.push(String(text)))
  const ended = new Promise((resolve) => waiting.on('exit', resolve))
  await openGate(db, 'drained')
  t.equal(await ended, 0)
  t.match(said.join(''), /is idle/)
  t.equal((await describeJob(db, id)).state, 'done', 'it ended no sooner than the job')
  await enqueue(db, plain, { name: 'after the drain' })
  t.match(await asked(`drain ${hostname()} --undo`), { changed: true })
  await until(async () => (await phases('after the drain')).includes('end'))
})

t.test('organisations, plans and keys are made, changed, listed and ended', async (t) => {
  const made = await asked('orgs create globex --plan pro')
  t.match(await asked(`orgs set-plan globex free`), { id: made.id, plan: 'free' })
  const where = whereOf(audit.filters, { action: 'organisation.plan_changed' })
  const [planned] = await audit.list(db, made.id, { where, before: undefined, limit: 2 })
  t.match(planned, { actor_kind: 'operator', target: made.id, after: { plan: 'free' } })
  t.ok((await asked('orgs')).some((each: { name: string; keys: number }) => each.name === 'globex' && each.keys === 0))
  t.match(await asked('plans set large --from pro --upload-bytes 5GiB'), { name: 'large', upload_bytes: 5 * 2 ** 30 })
  t.match(
    (await asked('plans')).map((plan: { name: string }) => plan.name),
    ['free', 'large', 'pro', 'unlimited'],
  )
  const key = await asked('keys create --org globex --name ci --scopes stream:read,operator')
  t.match(key.secret, /^bt_live_/)
  t.notMatch((await millrace('keys')).out, key.secret)
  t.match(await asked(`keys revoke ${key.id}`), { changed: true })
  t.match(await asked(`keys revoke ${key.id}`), { changed: false })
  t.equal((await keys.list(db, made.id))[0]?.revoked_at instanceof Date, true)
  const locked = await asked('keys create --org globex --name acme --scopes files:read --tenant acme')
  t.match((await keys.list(db, made.id)).find(({ id }) => id === locked.id)?.locks, { tenant_id: 'acme' })
})

t.test('a key is locked when it is made, and one that does not fit is refused with all that is wrong', async (t) => {
  const org = await asked('orgs create initech')
  const { id: app } = await apps.insert(db, { id: newId(), org_id: org.id, name: 'shop' })
  const mail = await asked(
    'keys create --org initech --name mail --prefix snd_live --scopes email:send --from-domains A.example,bücher.example',
  )
  t.same(mail.locks, { from_domains: ['a.example', 'xn--bcher-kva.example'] })
  const open = 'keys create --org initech --name open --scopes files:read,email:send,push:send'
  for (const option of ['--tenant', '--from-domains', '--app']) {
    t.match(await millrace(`${open} ${option}=`), { code: 2, err: `${option}: is empty` })
  }
  t.notOk((await keys.list(db, org.id)).some(({ name }) => name === 'open'))
  const page = `keys create --org initech --name page --prefix bt_site --scopes push:receipt`
  t.match(await asked(`${page} --app ${app}`), { locks: { app_id: app } })
  t.match((await millrace(`keys show ${mail.id}`)).out, /LOCKS +from_domains=a\.example\|xn--bcher-kva\.example/)
  t.match((await millrace('keys list --org initech')).out, new RegExp(`app_id=${app}`))
  t.match(await millrace(page), { code: 2, err: /--app: .*must be restricted/ })
  t.match(await millrace(`${page},push:subscribe --app ${app}`), { code: 2, err: /--origins: .*must be restricted/ })
  const wrong: [line: string, ...said: RegExp[]][] = [
    ['--prefix bt_site --scopes stream:write,push:receipt', /--scopes: a public key .* not stream:write/, /--app: /],
    ['--prefix snd_test --scopes email:send,push:send', /--scopes: .* not push:send/],
    [
      '--scopes stream:read --from-domains nodots --app 1',
      /--from-domains: not a domain: "nodots"/,
      /--app: .*the app 1/,
    ],
    [`--scopes stream:read --from-domains a.example --app ${app}`, /--from-domains: requires/, /--app: requires/],
    ['--prefix what --scopes what', /--prefix: must be one of/, /--scopes: unknown scope: what/],
    [`--scopes push:send --app ${newId()}`, /--app: the organisation does not have the app/],
  ]
  wrong.push([
    '--scopes files:read --origins x --mode soon --expires never --rate 0 --networks 10.0.0.0/40 --site 1',
    ...[
      /--origins: /,
      /--mode: /,
      /--expires: "never" is not a time/,
      /--rate: /,
      /--networks: .*CIDR/,
      /--site: .*the site 1/,
    ],
  ])
  wrong.push([
    '--scopes email:send --prefix snd_live --mode test',
    /--mode: a key with the prefix snd_live_ has the mode live/,
  ])
  for (const [line, ...said] of wrong) {
    const { code, err } = await millrace(`keys create --org initech --name x ${line}`)
    t.equal(code, 2, line)
    for (const each of said) t.match(err, each)
  }
})

t.test('a key gets an end, networks, a rate and a mode, is rotated, and the audit log tells of it', async (t) => {
  const org = await asked('orgs create hooli')
  const facts = '--origins https://a.example --mode test --expires +1d --rate 9 --networks 10.1.2.3/8,::1'
  const key = await asked(`keys create --org hooli --name all --scopes files:read ${facts}`)
  t.match(key, { secret: /^bt_test_/, mode: 'test', rate_per_minute: 9, networks: ['10.0.0.0/8', '::1/128'] })
  t.match(key.locks, { origins: ['https://a.example'] })
  t.match((await millrace(`keys show ${key.id}`)).out, /STATE +until 20/)
  const next = await asked(`keys rotate ${key.id} --keep-hours 0`)
  t.equal(await keys.findCaller(db, hashSecret(key.secret)), null)
  t.match(await keys.findCaller(db, hashSecret(next.secret)), { key: { id: key.id, mode: 'test' } })
  t.match(await asked(`keys rotate ${key.id} --from first_use`), { secret: /^bt_test_/ })
  t.match(await millrace(`keys rotate ${key.id}`), { code: 1, err: /two active secrets/ })
  t.match(await millrace(`keys rotate ${key.id} --keep-hours x --from y`), {
    code: 2,
    err: /--keep-hours: .*\n--from: /,
  })
  await asked(`keys revoke ${key.id}`)
  t.match(await millrace(`keys rotate ${key.id}`), { code: 1, err: /revoked/ })
  const log = await audit.list(db, org.id, { where: everything, before: undefined, limit: 10 })
  const told = ['key.revoked', 'key.rotated', 'key.rotated', 'key.created']
  t.match(
    log,
    told.map((action) => ({ action, target: key.id, actor_kind: 'operator' })),
  )
})

t.test('an operator vouches for a domain that mail is sent from, and leaves it to DNS again', async (t) => {
  const org = await asked('orgs create umbrella')
  const row = { id: newId(), org_id: org.id, domain: 'umbrella.example', return_path: 'bounce.umbrella.example' }
  await domains.insert(db, row, [], 10)
  const status = async () => (await domains.find(db, org.id, row.domain))?.status
  t.match(await asked('email vouch Umbrella.example --org umbrella'), { verified_by: 'operator', changed: true })
  t.equal(await status(), 'verified')
  t.match(await asked('email vouch umbrella.example --org umbrella --undo'), { verified_by: null, changed: true })
  t.equal(await status(), 'pending')
  t.match(await millrace('email vouch other.example --org umbrella'), {
    code: 1,
    err: /does not have the domain other\.example/,
  })
})

t.test('an operator vouches for imported consents, with a reason', async (t) => {
  const org = await asked('orgs create initech')
  const row = { id: newId(), org_id: org.id, key_id: null, sandbox: false, rows: 1, invalid: 0 }
  await db.transaction((tx) => imports.insert(tx, { ...row, kind: 'consents' }))
  const other = await db.transaction((tx) => imports.insert(tx, { ...row, id: newId(), kind: 'suppressions' }))
  t.match(await asked('email consents'), [{ id: row.id, org: 'initech', vouched_at: null }])
  t.match(await millrace(`email vouch-import ${row.id}`), { code: 2, err: /--reason/ })
  t.match(await millrace(`email vouch-import ${other.id} --reason x`), { code: 1, err: /No import of consents/ })
  t.match(await millrace('email vouch-import nothing --reason x'), { code: 1, err: /No import of consents/ })
  t.match(await asked(`email vouch-import ${row.id} --reason checked`), { org_id: org.id, changed: true })
  t.match(await asked(`email vouch-import ${row.id} --reason again`), { changed: false })
  t.match(await imports.findAny(db, row.id), { vouch_reason: 'checked' })
  t.match(await asked('email vouch-consents initech --reason audit'), { vouched: true, changed: true })
  t.match(await asked('email vouch-consents initech --reason audit'), { changed: false })
  t.match(await asked('email vouch-consents initech --reason over --undo'), { vouched: false, changed: true })
  const did = await controls.actions(db, { limit: 3 })
  t.match(did, [{ action: 'end voucher', reason: 'over' }, { action: 'vouch', reason: 'audit' }, { reason: 'checked' }])
})

t.test('config masks what is secret; doctor says what is wrong and what to do', async (t) => {
  const said = await millrace('config', { S3_SECRET_KEY: 'only/for+this', SIGNING_SECRET: 'x'.repeat(40) })
  t.match(said.out, /S3_SECRET_KEY +\[masked\]/)
  for (const secret of ['only/for+this', 'xxxx', ':millrace@']) t.notMatch(said.out, secret)
  const found = JSON.parse(
    (await millrace('doctor --json', { CLAMD_PATH: process.execPath, MILLRACE_DATA: t.testdir() })).out,
  )
  const of = (check: string) => found.find((each: { check: string }) => each.check === check)
  for (const check of ['database', 'sessions', 'clock', 'migrations', 'connections', 'runs', 'node'])
    t.match(of(check), { ok: true }, check)
  t.match(of('workers'), { ok: false, found: /media-intake/, todo: /--pools media-intake,media/ })
  const pooled = JSON.parse((await millrace('doctor --json', { DATABASE_URL: await transactionPooler(t, url) })).out)
  t.match(
    pooled.find((each: { check: string }) => each.check === 'sessions'),
    { ok: false, found: /transaction mode/, todo: /pool_mode = session/ },
  )
  t.match(of('clamd'), { ok: true, found: `${process.execPath} is installed; no stack has been started here` })
  const nothing = { DATABASE_URL: 'postgres://127.0.0.1:1/none', CLAMD_SOCKET: '/nowhere.sock' }
  const faults = await millrace('doctor', nothing)
  t.equal(faults.code, 1)
  t.match(faults.out, /FAULT {2}database/)
  t.match(faults.out, /FAULT {2}clamd +clamd is unavailable: .* → \w/)
  const help = await millrace('--help')
  for (const command of ['queue', 'jobs', 'retry', 'drain', 'doctor'])
    t.match(help.out, new RegExp(`^ +${command} `, 'm'))
})
