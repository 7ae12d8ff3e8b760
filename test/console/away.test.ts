import t from 'tap'
import { migrateAll } from '../../ops/migrate.ts'
import { openPool } from '../../sql/db.ts'
import { ask, testIngress, testOrg } from '../support/ingress.ts'
import { ownCluster } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { get, signIn } from './fixture.ts'

t.test('while the database is away, pages say so and ask again; then they go on where they were', async (t) => {
  const postgres = await ownCluster(t)
  await migrateAll(postgres.url)
  const db = await openPool(postgres.url, 3)
  t.teardown(() => db.end())
  const { url } = await testIngress(t, db, [], { databaseTimeoutMs: 1_000 })
  const { keys, org } = await testOrg(db, ['operator'])
  const cookie = await signIn({ db, url, key: keys.main, orgId: org.id })
  t.equal((await get(url, '/ops', cookie)).status, 200)

  const leaving = new AbortController()
  const stream = await fetch(`${url}/ops/regions?watch=fleet`, { headers: { cookie }, signal: leaving.signal })
  const heard: string[] = []
  const listening = (async () => {
    for await (const chunk of stream.body ?? []) heard.push(Buffer.from(chunk).toString())
  })().catch(() => {})
  const hears = (event: string) =>
    until(() => heard.join('').includes(`event: ${event}\n`), { what: `${event} is told` })
  await hears('beat')

  await postgres.stop('fast')
  const away = await until(async () => {
    const page = await get(url, '/ops/jobs?state=failed', cookie)
    return page.status === 503 && page
  })
  t.match(away.headers.get('content-type'), 'text/html')
  t.match(away.text, 'Database unavailable')
  t.match(away.text, '<meta http-equiv="refresh" content="5">')
  t.match(away.headers.get('content-security-policy'), "default-src 'none'")
  const style = /href="(\/ops\/assets\/\w+\/frame.css)"/.exec(away.text)?.[1]
  const sheet = await ask(url, `GET ${style}`)
  t.equal(sheet.status, 200, 'and look as ever')
  t.equal(sheet.headers.get('cache-control'), 'public, max-age=31536000, immutable')
  await hears('away')

  heard.length = 0
  await postgres.restart('fast')
  await hears('beat')
  await until(async () => (await get(url, '/ops', cookie)).status === 200)
  leaving.abort()
  await listening
})
