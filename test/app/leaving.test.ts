import t from 'tap'
import { z } from 'zod'
import { log } from '#lib/log.ts'
import * as closures from '#sql/account/closures.ts'
import { type Db, sql } from '#sql/db.ts'
import { mailClosure } from '#tasks/account/mail-closure.ts'
import { remindClosures } from '#tasks/account/remind-closures.ts'
import { inviteByLink } from '#tasks/account/rules/invitations.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { testDatabase } from '../support/database.ts'
import { ask, testIngress, testOrg } from '../support/ingress.ts'
import { get, signedIn, submit } from './fixture.ts'
import { mailTo, secret, TestBrowser } from './sign-in-fixture.ts'

const { db } = await testDatabase(t)
const { url } = await testIngress(t, db, [], {
  only: ['app', 'account', 'rooms'],
  keyCacheMs: 1,
  services: [provide(signingSecret, secret)],
})

t.test('an owner closes the organisation by its name, and opens it again; nobody else may', async (t) => {
  const { org, keys } = await testOrg(db, ['account:read'])
  const owner = await signedIn(db, url, org.id, 'owner')
  const admin = await signedIn(db, url, org.id, 'admin')
  t.equal((await get(url, '/app/leaving', admin)).status, 403)
  t.equal((await submit(url, '/app/leaving/closure', admin, { name: org.name })).status, 403)
  t.match((await submit(url, '/app/leaving/closure', owner, { name: 'another' })).text, 'id="name-fault"')
  t.equal(await closures.find(db, org.id), null)

  t.equal((await submit(url, '/app/leaving/closure', owner, { name: org.name })).status, 303)
  t.match((await get(url, '/app/leaving', owner)).text, 'The organisation is closed')
  const due = (await closures.find(db, org.id))?.due_at.toISOString().slice(0, 10)
  for (const page of ['/app/leaving', '/app/you']) {
    const { text } = await get(url, page, owner)
    t.match(text, new RegExp(`class="banner".*${owner.email} closed.*${due}.*Reopen organisation`, 's'), page)
  }
  t.match(await ask(url, 'GET /v1/account', { key: keys.main as string }), {
    status: 403,
    body: { error: { code: 'organisation_closed' } },
  })
  t.equal((await get(url, '/app', admin)).status, 303, 'admins are signed out')
  t.match((await submit(url, '/app/leaving/closure', owner, { name: org.name })).text, 'already pending')

  await submit(url, '/app/leaving/closure/cancel', owner, {})
  t.match((await get(url, '/app/leaving', owner)).text, 'Organisation reopened.')
  t.equal((await ask(url, 'GET /v1/account', { key: keys.main as string })).status, 200)
})

t.test('a closed organisation lets nobody in but its owners, and them to its end alone', async (t) => {
  const { org } = await testOrg(db, [])
  const owner = await signedIn(db, url, org.id, 'owner')
  const admin = await signedIn(db, url, org.id, 'admin')
  const invited = 'late@members.example'
  const doer = { orgId: org.id, role: 'owner', actor: { kind: 'operator', id: null, name: 'test' } } as const
  const { path } = await db.transaction((tx) => inviteByLink(tx, doer, { email: invited, role: 'admin' }))
  const browser = new TestBrowser(url)
  await browser.post('/app/sign-in', { email: admin.email })
  const code = (await mailTo(db, admin.email))?.code ?? ''
  t.equal((await submit(url, '/app/leaving/closure', owner, { name: org.name })).status, 303)

  t.equal((await browser.post('/app/sign-in/code', { code })).status, 403, 'an admin who has proven who they are')
  t.notOk(browser.session)
  const late = new TestBrowser(url)
  t.equal((await late.post(path, { name: 'Late' })).status, 403, 'who is invited')
  t.notOk(late.session)
  t.equal((await late.get('/app')).status, 303)

  for (const page of ['/app', '/app/keys', '/app/rooms', '/app/members'])
    t.equal((await get(url, page, owner)).headers.get('location'), '/app/leaving', page)
  for (const page of ['/app/leaving', '/app/you', '/app/leaving/closure'])
    t.equal((await get(url, page, owner)).status, 200, page)
  t.equal((await get(url, '/app/regions?watch=x', owner)).status, 403)
  t.equal((await get(url, '/app/regions?watch=archives&watch=start-events', owner)).status, 403)
  for (const [form, fields] of [
    ['/app/keys/new', { name: 'a key', mode: 'live', scopes: 'account:read' }],
    ['/app/members/invite', { email: 'more@members.example', role: 'viewer' }],
    ['/app/webhooks/new', { url: 'https://hooks.example/', types: '*' }],
  ] as const) {
    t.equal((await submit(url, form, owner, fields)).status, 403, form)
  }
  t.equal(await db.oneFirst(sql.unsafe`select count(*) from account.invitations where org_id = ${org.id}`), 1)

  await db.query(sql.unsafe`update account.closures set state = 'running' where org_id = ${org.id}`)
  t.equal((await get(url, '/app/leaving', owner)).status, 303, 'once deletion runs, owners are signed out')
})

t.test('an archive is asked for once at a time', async (t) => {
  const { org } = await testOrg(db, [])
  const owner = await signedIn(db, url, org.id, 'owner')
  await submit(url, '/app/leaving/exports', owner, {})
  t.match((await get(url, '/app/leaving', owner)).text, 'Archive requested.')
  await submit(url, '/app/leaving/exports', owner, {})
  t.match((await get(url, '/app/leaving', owner)).text, 'Another archive is in progress. Wait until it is ready.')
  const other = await testOrg(db, [])
  const stranger = await signedIn(db, url, other.org.id, 'owner')
  t.notMatch((await get(url, '/app/leaving', stranger)).text, 'waiting')
})

t.test(
  'all owners get an email when the organisation is closed, before its end, and when it is open again',
  async (t) => {
    const { org } = await testOrg(db, [])
    const owner = await signedIn(db, url, org.id, 'owner')
    const second = await signedIn(db, url, org.id, 'owner')
    const admin = await signedIn(db, url, org.id, 'admin')
    const tools = { db, secret, own: (work: (tx: Db) => unknown) => db.transaction(work as never), log } as never
    const mailed = async () => {
      for (const payload of await waiting()) await mailClosure.run(payload as never, tools)
      return Promise.all([owner, second, admin].map(({ email }) => mailTo(db, email)))
    }
    await submit(url, '/app/leaving/closure', owner, { name: org.name })
    const [first, other, none] = await mailed()
    t.match(first?.text, new RegExp(`^${owner.email.replace(/[.@]/g, '.')} closed`))
    t.match(first?.text, '/app/leaving')
    t.equal(other?.text, first?.text)
    t.equal(none, null, 'an admin gets none')
    await remindClosures.run({}, tools)
    t.match((await mailed())[0]?.text, /closed/, 'no reminder is due')
    await db.query(sql.unsafe`
    update account.closures set created_at = now() - interval '20 days', due_at = now() + interval '2 days'
    where org_id = ${org.id}`)
    await remindClosures.run({}, tools)
    t.match((await mailed())[1]?.text, 'This cannot be undone.')
    await submit(url, '/app/leaving/closure/cancel', owner, {})
    t.match((await mailed())[1]?.text, 'was cancelled')
  },
)

const Payload = z.object({ payload: z.object({ payload: z.record(z.string(), z.string()) }) })

async function waiting() {
  const jobs = await db.any(sql.type(Payload)`
    select j.payload from jobs_mail_transactional._private_jobs as j
    join jobs_mail_transactional._private_tasks as t on t.id = j.task_id where t.identifier = ${mailClosure.name}
    order by j.id`)
  return jobs.map(({ payload }) => payload.payload)
}
