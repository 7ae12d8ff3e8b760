import t from 'tap'
import { testDatabase } from '../support/database.ts'
import { ask, testIngress, testOrg } from '../support/ingress.ts'
import { get, signedIn } from './fixture.ts'

const { db } = await testDatabase(t)
const { url } = await testIngress(t, db, [], { only: ['app', 'account'] })

t.test('who is not signed in is asked to, and comes back', async (t) => {
  const asked = await ask(url, 'GET /app?x=1')
  t.equal(asked.status, 303)
  t.equal(asked.headers.get('location'), '/app/sign-in?to=%2Fapp%3Fx%3D1')
  const linked = await ask(url, 'GET /app', { headers: { 'sec-fetch-site': 'cross-site' } })
  t.match(linked.text, 'Continue to the dashboard')
})

t.test('a member sees the start of their organisation, under a policy that runs nothing inline', async (t) => {
  const { org } = await testOrg(db, [])
  const member = await signedIn(db, url, org.id, 'viewer')
  const page = await get(url, '/app', member)
  t.equal(page.status, 200)
  t.match(page.text, org.name)
  t.match(page.headers.get('content-security-policy'), "script-src 'self'; style-src 'self'")
  t.equal(page.headers.get('cache-control'), 'no-store')
  const script = /src="(\/app\/assets\/\w+\/dashboard.js)"/.exec(page.text)?.[1]
  t.equal((await ask(url, `GET ${script}`)).status, 200)
})

t.test('a session that ended, or whose member left, is none', async (t) => {
  const { org } = await testOrg(db, [])
  const member = await signedIn(db, url, org.id, 'admin')
  const { cookie } = member
  t.equal((await get(url, '/app', { cookie: `${cookie}x` })).status, 303)
  t.equal((await get(url, '/app', member)).status, 200)
})

t.test('a page that there is not is told on a page, and to programs as JSON', async (t) => {
  for (const path of ['/app/nowhere', '/ops/nowhere']) {
    const page = await ask(url, `GET ${path}`, { headers: { accept: 'text/html,*/*;q=0.8' } })
    t.equal(page.status, 404)
    t.match(page.text, '<p role="alert">This page does not exist.</p>')
    t.match(page.headers.get('content-security-policy'), "default-src 'none'")
    const told = await ask(url, `GET ${path}`, { headers: { accept: 'application/json' } })
    t.equal(told.status, 404)
    t.equal(told.body.error.code, 'not_found')
  }
})
