import t from 'tap'
import * as closures from '#sql/account/closures.ts'
import { testDatabase } from '../support/database.ts'
import { ask, testIngress, testOrg } from '../support/ingress.ts'
import { get, signedIn, submit } from './fixture.ts'

const { db } = await testDatabase(t)
const { url } = await testIngress(t, db, [], { only: ['app', 'account'], keyCacheMs: 1 })

t.test('an owner closes the organisation by its name, and opens it again; nobody else may', async (t) => {
  const { org, keys } = await testOrg(db, ['account:read'])
  const owner = await signedIn(db, url, org.id, 'owner')
  const admin = await signedIn(db, url, org.id, 'admin')
  t.equal((await get(url, '/app/leaving', admin)).status, 403)
  t.equal((await submit(url, '/app/leaving/closure', admin, { name: org.name })).status, 403)
  await submit(url, '/app/leaving/closure', owner, { name: 'another' })
  t.match((await get(url, '/app/leaving/closure', owner)).text, 'That is not its name.')
  t.equal(await closures.find(db, org.id), null)

  t.equal((await submit(url, '/app/leaving/closure', owner, { name: org.name })).status, 303)
  t.match((await get(url, '/app/leaving', owner)).text, 'It is closed')
  t.match(await ask(url, 'GET /v1/account', { key: keys.main as string }), {
    status: 403,
    body: { error: { code: 'organisation_closed' } },
  })
  t.equal((await get(url, '/app', admin)).status, 303, 'admins are signed out')
  t.match((await submit(url, '/app/leaving/closure', owner, { name: org.name })).text, 'pending already')

  await submit(url, '/app/leaving/closure/cancel', owner, {})
  t.match((await get(url, '/app/leaving', owner)).text, 'The organisation is open again.')
  t.equal((await ask(url, 'GET /v1/account', { key: keys.main as string })).status, 200)
})

t.test('an archive is asked for once at a time', async (t) => {
  const { org } = await testOrg(db, [])
  const owner = await signedIn(db, url, org.id, 'owner')
  await submit(url, '/app/leaving/exports', owner, {})
  t.match((await get(url, '/app/leaving', owner)).text, 'The archive is being made')
  await submit(url, '/app/leaving/exports', owner, {})
  t.match((await get(url, '/app/leaving', owner)).text, 'Another archive is being made.')
  const other = await testOrg(db, [])
  const stranger = await signedIn(db, url, other.org.id, 'owner')
  t.notMatch((await get(url, '/app/leaving', stranger)).text, 'waiting')
})
