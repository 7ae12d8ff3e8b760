import { existsSync } from 'node:fs'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { LanguageEngineError } from '#tasks/ai/engine.ts'
import { get, signIn } from '../console/fixture.ts'
import { chromiumPath, keepPicture, startBrowser, watchedPage } from '../support/browser.ts'
import { testOrg } from '../support/ingress.ts'
import { botsStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await botsStack(t, undefined, ['console'])
await stack.startWorkers()
const { db } = stack
const { url } = stack.ingress
const { org, keys } = await testOrg(db, ['operator'])
const cookie = await signIn({ db, url, key: keys.main, orgId: org.id })

const empty = (await get(url, '/ops/bots', cookie)).text
const bot = await stack.bot({ name: 'Harbour <b>Help', slug: 'harbour', greeting: 'Hello' })
await stack.ask(`POST /v1/bots/${bot}/publish`)
await stack.ask(`POST /v1/bots/${bot}/documents`, { body: { title: 'Returns', text: 'Within thirty days.' } })
await stack.say(bot, 'a message of a person')
stack.engine.script = async () => {
  throw new LanguageEngineError('upstream_error', 'no', { upstreamStatus: 401 })
}
await stack.say(bot, 'another message of a person')
// Conversations of earlier weeks.
await db.query(sql.typeAlias('void')`
  with days as (select n, gen_random_uuid() as id from generate_series(1, 25) as n, generate_series(1, 5 + 3 * (n % 7))),
    begun as (
      insert into bots.conversations (id, org_id, bot_id, bot_version, last_seq, created_at)
      select d.id, b.org_id, b.id, 1, 2, now() - d.n * interval '1 day' from days as d, bots.bots as b
      returning id, org_id, bot_id, created_at)
  insert into bots.messages (id, org_id, bot_id, conversation_id, seq, role, content, status, created_at, ended_at)
  select gen_random_uuid(), org_id, bot_id, id, 2, 'assistant', 'x', 'completed', created_at, created_at + interval '2 s'
  from begun`)

t.test('the page Bots tells what became of answers, and nothing that was said', async (t) => {
  t.match(empty, 'No bots yet.')
  const { text } = await get(url, '/ops/bots', cookie)
  t.match(text, 'Harbour &lt;b&gt;Help')
  t.match(text, /published, version 1/)
  t.match(text, /upstream_error<\/th><td data-label="Upstream response">401/)
  t.notMatch(text, /of a person|thirty days/)
  t.equal((await get(url, '/ops/bots?span=x', cookie)).status, 200)
})

const skip = existsSync(chromiumPath) ? false : 'Chromium is not installed'
t.test('a browser shows it without complaint', { skip }, async (t) => {
  const { page, errors } = await watchedPage(await startBrowser(t))
  const [name = '', value = ''] = cookie.split('=')
  await page.context().addCookies([{ name, value, url }])
  await page.goto(`${url}/ops/bots?span=30d`)
  t.equal(await page.locator('figure.plot').count(), 2)
  await keepPicture(page, 'console-bots.png')
  t.same(errors, [])
})
