import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { isWhole } from '../support/sample.ts'
import { until } from '../support/until.ts'
import { botsStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await botsStack(t)
const program = fileURLToPath(new URL('./worker-process.ts', import.meta.url))

/** Starts a worker. `asked` contains the questions that its engine received. */
async function worker() {
  const args = ['--pdeathsig=KILL', '--', process.execPath, program, stack.databaseUrl]
  const child = spawn('setpriv', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const asked: string[] = []
  const ready = new Promise<void>((resolve) => {
    createInterface(child.stdout).on('line', (line) => {
      if (line === 'ready') resolve()
      if (line.startsWith('asked ')) asked.push(line.slice(6))
    })
  })
  await ready
  return {
    asked,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

const Row = z.object({
  conversation_id: z.string(),
  seq: z.number(),
  role: z.string(),
  status: z.string(),
  content: z.string(),
})

t.test('many conversations at once, their workers killed: no message is lost, none is there twice', async (t) => {
  const bot = await stack.bot()
  const conversations = isWhole ? 50 : 16
  /** Sends a message in each conversation, every second one streamed. Repeats a request with its key until it is answered. */
  const sayAll = (round: number, ids: readonly string[]) =>
    Promise.all(
      Array.from({ length: conversations }, async (_, n) => {
        const facts = { stream: n % 2 === 1, ...(ids[n] && { conversation_id: ids[n] }) }
        const options = { headers: { 'idempotency-key': `${round} ${n}` } }
        const reply = await stack.say(bot, `question ${round} of ${n}`, facts, options)
        t.equal(reply.status, 200, reply.status === 200 ? 'answered' : reply.text)
        if (!facts.stream) return reply.body
        const [, completed = '{}'] = /^event: message\.completed\ndata: (.+)$/m.exec(reply.text) ?? []
        return JSON.parse(completed)
      }),
    )

  const [first, second, third] = await Promise.all([worker(), worker(), worker()])
  const firstRound = sayAll(1, [])
  await until(() => first.asked.length > 2, { every: 1 })
  await first.kill()
  const ids = (await firstRound).map(({ conversation_id }) => conversation_id)
  const before = second.asked.length
  const secondRound = sayAll(2, ids)
  await until(() => second.asked.length > before + 2, { every: 1 })
  await second.kill()
  await secondRound

  const asked = [...first.asked, ...second.asked, ...third.asked]
  t.ok(asked.length > 2 * conversations, `${asked.length - 2 * conversations} answers were begun twice`)
  const rows = await stack.db.any(sql.type(Row)`
    select conversation_id, seq, role, status, content from bots.messages order by conversation_id, seq`)
  t.equal(rows.length, 4 * conversations)
  const byConversation = Map.groupBy(rows, ({ conversation_id }) => conversation_id)
  for (const [n, id] of ids.entries()) {
    const expected = [1, 2].flatMap((round) => [`question ${round} of ${n}`, `You said: question ${round} of ${n}`])
    t.same(
      byConversation.get(id)?.map(({ content }) => content),
      expected,
    )
    t.same(
      byConversation.get(id)?.map(({ seq, status }) => [seq, status]),
      [1, 2, 3, 4].map((seq) => [seq, 'completed']),
    )
  }
  t.notOk(await stack.db.exists(sql.type(z.object({ n: z.number() }))`select n from bots.chunks`), 'no chunk is left')
  const waiting = () => stack.db.oneFirst(sql.typeAlias('count')`select count(*) from jobs_llm.jobs`)
  t.ok(await until(async () => (await waiting()) === 0), 'nor a job')
})
