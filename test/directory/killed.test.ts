import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import { signViewToken } from '../../ingress/playback/urls.ts'
import { until } from '../support/until.ts'
import { signingSecret } from '../support/video-stack.ts'
import { directoryStack } from './directory-stack.ts'

t.setTimeout(240_000)
const { db, databaseUrl, ingress, ask, asset } = await directoryStack(t)
const exp = Math.floor(Date.now() / 1000) + 600
const viewsOf = async (id: string) => (await ask(`GET /v1/streaming/videos/${id}`)).body.views

async function counting(): Promise<{ url: string; kill(): void }> {
  const path = fileURLToPath(new URL('./counting-process.ts', import.meta.url))
  const child = spawn(process.execPath, [path, databaseUrl], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(async () => {
    child.kill('SIGKILL')
  })
  const [port] = await once(child.stdout, 'data')
  return { url: `http://127.0.0.1:${Number(port)}`, kill: () => void child.kill('SIGKILL') }
}

t.test('a process that is killed while it counts viewers loses and doubles none that tell again', async (t) => {
  const [id, most] = [await asset({ title: 'Killed' }), 150]
  const views = Array.from({ length: most }, (_, i) => ({ i, viewId: newId(), sid: newId() }))
  const tell = async (url: string, { i, viewId, sid }: (typeof views)[number], sequence: number) => {
    const token = signViewToken({ sid, aid: id, host: '127.0.0.1', exp }, signingSecret)
    return await fetch(`${url}/v1/stream/collect`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
        'x-forwarded-for': `198.51.${100 + Math.floor(i / 200)}.${i % 200}`,
      },
      body: JSON.stringify({ token, viewId, sequence, startupSeconds: 0.3, playSeconds: sequence }),
    }).then(
      ({ status }) => status,
      () => 0,
    )
  }
  const first = await counting()
  // One after the other in a lane, so that it dies with some counted, some on the way, and some to come.
  const lane = async (from: number) => {
    let answered = 0
    for (const view of views.slice(from, from + most / 3)) answered += (await tell(first.url, view, 1)) === 204 ? 1 : 0
    return answered
  }
  const lanes = Promise.all([0, most / 3, (2 * most) / 3].map(lane))
  await until(async () => (await viewsOf(id)) >= 10, { every: 1 })
  first.kill()
  const answered = (await lanes).reduce((sum, one) => sum + one, 0)
  t.ok(answered < most, `${answered} were answered before it died`)
  t.ok((await viewsOf(id)) >= answered, 'what was answered is counted')
  const second = await counting()
  t.same(new Set(await Promise.all(views.map((view) => tell(second.url, view, 2)))), new Set([204]))
  t.equal(await viewsOf(id), most)
  const kept = sql.type(z.object({ kept: z.number() }))`
    select count(*)::int as kept from directory.viewers where video_id = ${id}`
  t.equal(await db.oneFirst(kept), most, 'the count is that of the viewers')
})

t.test(
  'a worker whose connection dies as it finishes a public video lists nothing; its second try lists it once',
  async (t) => {
    const id = await asset({ title: 'Unfinished zeppelin', status: 'processing' })
    const found = async () => (await ask('GET /v1/streaming/search?q=unfinished')).body.data.length
    const listed = async () => (await ingress.ask('GET /watch/channels/air/feed.xml')).text.split('<item>').length - 1
    await ask('POST /v1/streaming/channels', { body: { handle: 'air', name: 'Air' } })
    t.equal((await ask(`PUT /v1/streaming/channels/air/videos/${id}`)).status, 200)
    const finish = (dies: boolean) =>
      db.transaction(async (tx) => {
        await tx.query(
          sql.typeAlias('void')`update video.assets set status = 'ready', stage = 'ready' where id = ${id}`,
        )
        if (dies) await tx.query(sql.typeAlias('void')`select pg_terminate_backend(pg_backend_pid())`)
      }, 0)
    await t.rejects(finish(true))
    t.same([await found(), await listed()], [0, 0])
    await finish(false)
    await finish(false)
    t.same([await found(), await listed()], [1, 1])
  },
)
