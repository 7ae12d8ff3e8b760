import '../support/app-environment.ts'
import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { signedIn } from './fixture.ts'

const { db } = await testDatabase(t)
const { url } = await testIngress(t, db, [], { only: ['app', 'account', 'docs', 'console'] })

/** Asks under a host's name. */
async function at(host: string, path: string, { method = 'GET', headers = {}, body = '' } = {}) {
  const sent = request(url + path, { method, headers: { host, ...headers } })
  sent.end(body)
  const [answer] = await once(sent, 'response')
  return { status: answer.statusCode as number, headers: answer.headers, text: await text(answer) }
}

t.test('the dashboard is on its own host alone, and nothing else is there', async (t) => {
  const [app, api] = ['app.millrace.example', 'api.millrace.example']
  t.equal((await at(app, '/app/sign-in')).status, 200)
  for (const path of ['/app', '/app/sign-in', '/app/you', '/app/join/x'])
    t.equal((await at(api, path)).status, 404, path)
  for (const path of ['/v1', '/docs', '/ops', '/v1/openapi.json']) {
    t.equal((await at(app, path)).status, 404, path)
    t.not((await at(api, path)).status, 404, path)
  }
  t.equal((await at('127.0.0.1', '/app')).status, 404)
})

t.test('the dashboard and the documentation link to each other across hosts', async (t) => {
  const [app, api] = ['app.millrace.example', 'api.millrace.example']
  const { org } = await testOrg(db)
  const { cookie } = await signedIn(db, url, org.id, 'viewer')
  const page = await at(app, '/app', { headers: { cookie: `__Host-millrace_app=${cookie.split('=')[1]}` } })
  t.match(page.text, 'href="https://api.millrace.example/docs"')
  t.match((await at(api, '/docs')).text, 'href="https://app.millrace.example/app"')
})

t.test('unknown paths are a page on our hosts, and JSON on the domains of customers', async (t) => {
  const headers = { accept: 'text/html' }
  for (const host of ['api.millrace.example', 'app.millrace.example', '127.0.0.1', 'localhost'])
    t.match(await at(host, '/nothing', { headers }), { status: 404, text: /<h1>Page not found/ }, host)
  t.match(await at('app.millrace.example', '/', { headers }), { status: 302, headers: { location: '/app' } })
  t.match((await at('127.0.0.1', '/app', { headers })).text, 'href="https://app.millrace.example/app">Dashboard')
  const elsewhere = await at('video.customer.example', '/nothing', { headers })
  t.equal(elsewhere.status, 404)
  t.match(JSON.parse(elsewhere.text), { error: { code: 'not_found' } })
})

t.test('on https it has HSTS for a year, and cookies that no other host can set', async (t) => {
  const page = await at('app.millrace.example', '/app/sign-in')
  t.equal(page.headers['strict-transport-security'], 'max-age=31536000')
  const asked = await at('app.millrace.example', '/app/sign-in', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
    body: 'email=nobody%40members.example',
  })
  t.equal(asked.status, 303)
  t.match(
    asked.headers['set-cookie']?.[0],
    /^__Host-millrace_mail=\w{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
  )

  const { org } = await testOrg(db)
  const { cookie } = await signedIn(db, url, org.id, 'viewer')
  const value = cookie.split('=')[1]
  const carrying = (name: string) => at('app.millrace.example', '/app/you', { headers: { cookie: `${name}=${value}` } })
  t.equal((await carrying('__Host-millrace_app')).status, 200)
  t.equal((await carrying('millrace_app_0')).status, 303, 'a cookie that another host could have set is none')
  t.equal((await carrying(`millrace_app_${new URL(url).port}`)).status, 303)
})
