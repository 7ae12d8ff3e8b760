import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { z } from 'zod'
import { childEnvironment } from '#lib/config.ts'
import { sql } from '#sql/db.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { beginStream, modelServer, sendPiece } from '../support/model-server.ts'
import { until } from '../support/until.ts'

t.setTimeout(240_000)
const { url, db } = await testDatabase(t)
const ingress = await testIngress(t, db, [], { only: ['ai'] })
const { org, keys } = await testOrg(db, ['ai:invoke'])
const model = await modelServer(t)
const program = fileURLToPath(new URL('./gateway-worker.ts', import.meta.url))

async function worker() {
  const args = ['--pdeathsig=KILL', '--', process.execPath, program, url]
  const env = childEnvironment({ AI_ENGINE: 'upstream', AI_BASE_URL: model.url, AI_MODEL: 'the-model' })
  const child = spawn('setpriv', args, { stdio: ['ignore', 'pipe', 'inherit'], env })
  const ended = once(child, 'close')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
  })
  await once(child.stdout, 'data')
  return async () => {
    child.kill('SIGKILL')
    await ended
  }
}

const post = (body: object) =>
  ingress.ask('POST /v1/ai/chat/completions', {
    key: keys.main,
    body: { model: 'default', messages: [{ role: 'user', content: 'a' }], ...body },
  })

t.test(
  'a killed worker’s request is answered by another; one that was told in part ends there, and is told once',
  async (t) => {
    const kill = await worker()
    model.answer = (res, { body }) => {
      if (!body.stream) return
      beginStream(res)
      sendPiece(res, { choices: [{ index: 0, delta: { content: 'It ' }, finish_reason: null }] })
    }
    const [whole, part] = [post({}), post({ stream: true })]
    const told = () => db.exists(sql.type(z.object({ n: z.number() }))`select n from ai.pieces`)
    await until(async () => model.asked.length === 2 && (await told()), { what: 'both are asked for' })
    model.answer = undefined
    await kill()
    await worker()
    t.match(await whole, { status: 200, body: { choices: [{ message: { content: 'You said: a' } }] } })
    const { status, text } = await part
    t.equal(status, 200)
    t.match(text, /"content":"It ".*"code":"upstream_error"[^\n]*\n\n$/s)
    t.equal(text.match(/"content"/g)?.length, 1)
    t.equal(model.asked.length, 3, 'nothing is asked for again that cannot be told')
    const ends = await db.any(sql.type(z.object({ outcome: z.string(), requests: z.number() }))`
    select outcome, requests::float8 from ai.usage where org_id = ${org.id} order by outcome`)
    t.same(ends, [
      { outcome: 'broken_off', requests: 1 },
      { outcome: 'done', requests: 1 },
      { outcome: 'lost', requests: 1 },
    ])
    t.notOk(await db.exists(sql.type(z.object({ id: z.string() }))`select id from ai.charges`))
  },
)
