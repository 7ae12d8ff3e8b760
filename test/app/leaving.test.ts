import t from 'tap'
import * as closures from '#sql/account/closures.ts'
import { sql } from '#sql/db.ts'
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
  await submit(url, '/app/leaving/closure', owner, { name: 'another' })
  t.match((await get(url, '/app/leaving/closure', owner)).text, 'The name does not match.')
  t.equal(await closures.find(db, org.id), null)

  t.equal((await submit(url, '/app/leaving/closure', owner, { name: org.name })).status, 303)
  t.match((await get(url, '/app/leaving', owner)).text, 'The organisation is closed')
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
