import t from 'tap'
import { z } from 'zod'
import { type Db, sql } from '#sql/db.ts'
import * as sites from '#sql/guard/sites.ts'
import { guardStack, page } from '../guard/stack.ts'
import { testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { get, signedIn, submit } from './fixture.ts'

t.setTimeout(240_000)
const stack = await guardStack(t, ['app', 'account'])
const { db } = stack
const { url } = stack.ingress

async function scene() {
  const { org } = await testOrg(db, [], { plan: 'unlimited' })
  const [developer, viewer] = [await signedIn(db, url, org.id, 'developer'), await signedIn(db, url, org.id, 'viewer')]
  return { org, developer, viewer }
}

const { org, developer, viewer } = await scene()
const found = async () => (await sites.list(db, org.id, { before: undefined, limit: 9 }))[0]

t.test('a member makes a site; a viewer sees it, its key and how it is put into a page', async (t) => {
  t.match((await get(url, '/app/guard', viewer)).text, /No sites yet\./)
  t.notMatch((await get(url, '/app/guard', viewer)).text, /guard\/new/)
  const made = await submit(url, '/app/guard/new', developer, {
    name: 'Shop <b>',
    origins: `${page}, http://localhost:3000`,
  })
  t.equal(made.status, 303, made.text)
  const site = await found()
  t.match(site, { name: 'Shop <b>', origins: [page, 'http://localhost:3000'] })
  t.equal(made.headers.get('location'), `/app/guard/${site?.id}`)
  const { text } = await get(url, `/app/guard/${site?.id}`, viewer)
  t.match(text, site?.site_key)
  t.match(text, /Shop &lt;b&gt;/)
  t.match(text, /&lt;mill-guard sitekey=/)
  t.match(text, /No challenges in the last day/)
  t.match(text, `/app/guard/new?origins=${encodeURIComponent(url)}`, 'the widget can be tried')
  t.match((await get(url, '/app/guard', viewer)).text, `/app/guard/${site?.id}`)
})

t.test('a member creates the secret of a site, which the page shows once', async (t) => {
  const path = `/app/guard/${(await found())?.id}/secret`
  t.match((await get(url, `/app/guard/${(await found())?.id}`, developer)).text, path)
  t.equal((await get(url, path, viewer)).status, 403)
  const late = await signedIn(db, url, org.id, 'developer', { steppedUp: false })
  t.equal((await submit(url, path, late, {})).status, 403, 'a sign-in must be confirmed first')
  const secretOf = ({ text }: { text: string }) => /bt_live_\w+/.exec(text)?.[0] ?? text
  const isKnown = async (secret: string) => {
    const body = new URLSearchParams({ secret, response: 'none' })
    return await (await fetch(`${url}/v1/guard/siteverify`, { method: 'POST', body })).text()
  }
  const first = secretOf(await submit(url, path, developer, {}))
  t.match(await isKnown(first), 'invalid-input-response')
  const { text } = await get(url, path, developer)
  t.match(text, 'Replace secret')
  t.notMatch(text, first)
  const second = secretOf(await submit(url, path, developer, {}))
  t.match(await isKnown(second), 'invalid-input-response')
  t.match(await isKnown(first), 'invalid-input-secret')
})

t.test('what became of its visitors is told by the hour, refusals and their reasons, too', async (t) => {
  const site = await found()
  if (!site) return t.fail('The site is there.')
  const visit = (path: string, body: unknown) =>
    stack.ask(`POST /v1/guard/${path}`, { key: site.site_key, body, headers: { origin: page } })
  await stack.stock(3)
  const challenges = await Promise.all([1, 2, 3].map(() => visit('challenges', { action: 'signup' })))
  const [first, second] = challenges.map(({ body }) => body)
  t.equal((await visit(`challenges/${first.id}/complete`, { answer: stack.answer(first) })).status, 200)
  t.equal((await visit(`challenges/${second.id}/complete`, { answer: 'A'.repeat(43) })).status, 400)
  for (let i = 0; i < 2; i++) {
    const signals = { webdriver: true, languages: 0 }
    t.equal((await visit('assess', { action: 'signup', signals })).status, 200)
  }
  const { text } = await get(url, `/app/guard/${site.id}`, viewer)
  const tile = (name: string) => new RegExp(`${name}</dt>\\s*<dd>([^<]*)`).exec(text)?.[1] ?? text
  t.equal(tile('challenges'), '3')
  t.equal(tile('solved'), '1 (33 %)')
  t.equal(tile('wrong answers'), '1')
  t.match(text, /<code>webdriver<\/code><\/th><td class="number" data-label="Assessments">2/)
  t.match(text, /data-plot="[^"]*reasons/)
})

t.test('of a site with more visitors than are counted in time the page shows fewer hours, or none', async (t) => {
  const site = await found()
  const waiting = (tx: Db) =>
    tx.maybeOneFirst(sql.type(z.object({ tx: z.string() }))`
      select virtualtransaction as tx from pg_locks where relation = 'guard.assessments'::regclass and not granted`)
  const shown = await db.transaction(async (tx) => {
    await tx.query(sql.typeAlias('void')`lock table guard.assessments in access exclusive mode`)
    const none = await get(url, `/app/guard/${site?.id}`, viewer)
    t.match(none.text, 'Numbers are temporarily unavailable')
    t.match(none.text, site?.site_key)
    const asked = get(url, `/app/guard/${site?.id}`, viewer)
    let first: string | null = null
    await until(
      async () => {
        const now = await waiting(tx)
        first ??= now
        return now !== null && now !== first
      },
      { what: 'fewer hours are counted' },
    )
    return { asked }
  })
  t.match((await shown.asked).text, /Last 2 hours<\/h2><p class="quiet">This site has too many visitors/)
  t.match((await get(url, `/app/guard/${site?.id}`, viewer)).text, 'Last 24 hours')
})

t.test('another organisation sees no site; what is bad is told beside its field', async (t) => {
  const foreign = (await scene()).developer
  const site = await found()
  t.equal((await get(url, `/app/guard/${site?.id}`, foreign)).status, 404)
  t.equal((await get(url, '/app/guard/nothing', foreign)).status, 404)
  t.notMatch((await get(url, '/app/guard', foreign)).text, 'Shop')
  const bad: [Record<string, string>, RegExp][] = [
    [{ name: '', origins: page }, /id="name-fault|name/],
    [{ name: 'n'.repeat(201), origins: page }, /200/],
    [{ name: 'Shop', origins: 'shop.example' }, /must be origins as browsers send them[^<]*not shop\.example/],
    [{ name: 'Shop', origins: `${page}\nhttps://a.example/path` }, /not https:\/\/a\.example\/path/],
    [{ name: 'Shop', origins: 'x'.repeat(20_001) }, /20.?000/],
    [{ name: 'Shop', origins: Array.from({ length: 101 }, (_, i) => `https://s${i}.example`).join(' ') }, /100/],
  ]
  for (const [fields, told] of bad) {
    const reply = await submit(url, '/app/guard/new', foreign, fields)
    t.equal(reply.status, 400, JSON.stringify(fields).slice(0, 60))
    t.match(reply.text, told)
  }
  t.equal((await submit(url, '/app/guard/new', viewer, { name: 'Shop', origins: page })).status, 403)
})
