import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import { isBot } from '../../ingress/playback/bots.ts'
import { signViewToken } from '../../ingress/playback/urls.ts'
import { countViewers } from '../../ingress/playback/viewers.ts'
import { pruneArea } from '../support/prune.ts'
import { signingSecret } from '../support/video-stack.ts'
import { directoryStack } from './directory-stack.ts'

t.setTimeout(240_000)
const { db, ingress, ask, asset } = await directoryStack(t)
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const exp = Math.floor(Date.now() / 1000) + 600

interface Watch {
  ip?: string
  agent?: string
  startup?: number | undefined
  view?: string
  sid?: string
}

/** Watches a video as a player without a session tells it. */
async function watch(
  aid: string,
  { ip = '198.51.100.7', agent = firefox, startup = 0.3, view, sid = newId() }: Watch = {},
) {
  const token = signViewToken({ sid, aid, host: '127.0.0.1', exp }, signingSecret)
  const reply = await ingress.ask('POST /v1/stream/collect', {
    body: {
      token,
      viewId: view ?? newId(),
      sequence: 1,
      playSeconds: 1,
      ...(startup >= 0 && { startupSeconds: startup }),
    },
    headers: { 'user-agent': agent, 'x-forwarded-for': ip },
  })
  t.equal(reply.status, 204, reply.text)
}

const viewsOf = async (id: string) => (await ask(`GET /v1/streaming/videos/${id}`)).body.views
const yesterday = () =>
  db.query(sql.typeAlias('void')`
    with days as (update directory.day_secrets set day = day - 1 returning day) update directory.viewers set day = day - 1`)

t.test('a viewer counts once a day for a video, and once more on the next', async (t) => {
  const [one, other] = [await asset({ title: 'One' }), await asset({ title: 'Other' })]
  t.equal(await viewsOf(one), 0)
  await watch(one)
  await watch(one)
  t.equal(await viewsOf(one), 1, 'the page was loaded twice')
  await watch(one, { ip: '198.51.100.8' })
  await watch(one, { agent: `${firefox} other` })
  await watch(other)
  t.equal(await viewsOf(one), 3, 'another network, another browser')
  t.equal(await viewsOf(other), 1)
  await watch(one, { ip: '2001:db8:1:2::5' })
  await watch(one, { ip: '2001:db8:1:2::6' })
  t.equal(await viewsOf(one), 4, 'an address of IPv6 is one of many that a viewer has')
  await yesterday()
  await watch(one)
  t.equal(await viewsOf(one), 5)
  t.match((await ingress.ask(`GET /watch/${one}`)).text, '5 views')
  t.match((await ingress.ask(`GET /watch/${other}`)).text, '1 view<')
})

t.test('programs, players without a picture, and videos that are not listed are left out', async (t) => {
  const id = await asset({ title: 'Quiet' })
  for (const agent of [
    'Googlebot/2.1 (+http://www.google.com/bot.html)',
    'curl/8.5.0',
    'facebookexternalhit/1.1',
    'HeadlessChrome/1',
  ])
    await watch(id, { agent })
  await watch(id, { startup: -1 })
  t.equal(await viewsOf(id), 0)
  const view = { sid: newId(), view: 'one_view_1' }
  await watch(id, { ...view, startup: -1 })
  t.equal(await viewsOf(id), 0, 'it has no picture yet')
  const hidden = await asset({ visibility: 'unlisted' })
  await watch(hidden)
  await ask(`PATCH /v1/stream/assets/${hidden}`, { body: { visibility: 'public' } })
  t.equal(await viewsOf(hidden), 0)
  t.ok(isBot('Mozilla/5.0 (compatible; AhrefsBot/7.0)'))
  t.notOk(isBot('Mozilla/5.0 (Linux; Android 13; CUBOT_X50) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36'))
  t.notOk(
    isBot(
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1',
    ),
  )
})

t.test('one network adds no more than a hundred browsers a day', async (t) => {
  const id = await asset({ title: 'Inflated' })
  for (let i = 0; i < 110; i++) await watch(id, { ip: '203.0.113.9', agent: `${firefox} ${i}` })
  t.equal(await viewsOf(id), 100)
  await watch(id, { ip: '203.0.113.10' })
  t.equal(await viewsOf(id), 101, 'others count as before')
})

t.test(
  'what a transaction has counted that ends in a fault is not counted, and counts when it comes again',
  async (t) => {
    const id = await asset({ title: 'Faulty' })
    const sender = { ip: '198.51.100.7', header: () => firefox }
    const fault = new Error('the process is gone')
    const count = (fails: boolean) =>
      db.transaction(async (tx) => {
        await countViewers(tx, [{ asset_id: id }, { asset_id: id }], () => sender)
        if (fails) throw fault
      })
    await t.rejects(count(true), fault)
    t.equal(await viewsOf(id), 0)
    await Promise.all([count(false), count(false), count(false)])
    t.equal(await viewsOf(id), 1)
  },
)

t.test('neither address nor browser is kept, and after two days not even their hashes and the secret', async (t) => {
  const Row = z.object({ row: z.string() })
  const rows = async () =>
    await db.anyFirst(sql.type(Row)`
      select v::text as row from directory.viewers as v union all select s::text from directory.day_secrets as s`)
  t.ok((await rows()).length > 5)
  t.notOk((await rows()).some((row) => /198\.51|2001:|Mozilla/.test(row)))
  await yesterday()
  await yesterday()
  await pruneArea(db, 'directory')
  t.same(await rows(), [])
})
