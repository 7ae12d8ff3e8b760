import t from 'tap'
import { createLanguageEngine } from '../../workers/llm/engine.ts'
import { until } from '../support/until.ts'
import { botsStack } from './stack.ts'

t.setTimeout(300_000)
const engine = createLanguageEngine()
t.teardown(() => engine.close())
const stack = await botsStack(t, engine)
await stack.startWorkers()
const { ask } = stack

interface Group {
  id: string
  question: string
  count: number
  times: number
  questions: { question: string; times: number }[]
}

/** Asks questions that the bot cannot answer, and returns their groups when all of them are compared. */
async function groupsOf(bot: string, questions: readonly string[], count: number): Promise<Group[]> {
  for (const question of questions) await stack.say(bot, question)
  return await until(
    async () => {
      const { data } = (await ask(`GET /v1/bots/${bot}/question-groups`)).body
      return data.length === count && data
    },
    { timeout: 120_000, what: `${count} groups exist` },
  )
}

t.test('English questions are grouped by meaning, and one answer removes the group', async (t) => {
  const bot = await stack.bot({ fallback: 'No idea.' })
  const asked = [
    'How do I reset my password?',
    'I forgot my password. How can I reset it?',
    'How do I reset my password?',
    'Do you deliver to Canada?',
  ]
  const [password, canada] = (await groupsOf(bot, asked, 2)) as [Group, Group]
  t.match(password, { question: asked[0], count: 2, times: 3 })
  t.same(
    password.questions.map(({ question, times }) => [question, times]),
    [
      [asked[0], 2],
      [asked[1], 1],
    ],
  )
  t.match(canada, { question: asked[3], count: 1, times: 1 })
  const path = `/v1/bots/${bot}/question-groups/${password.id}`
  t.equal((await stack.askElse(`POST ${path}/answer`, { body: { text: 'Stolen.' } })).status, 404)
  const answered = await ask(`POST ${path}/answer`, {
    body: { text: 'Open the settings and reset your password there.' },
  })
  t.match(answered.body, { title: asked[0] })
  t.equal((await ask(`POST ${path}/answer`, { body: { text: 'Again.' } })).status, 404)
  const left = (await ask(`GET /v1/bots/${bot}/questions`)).body.data
  t.same(
    left.map(({ question }: { question: string }) => question),
    [asked[3]],
  )
  t.match((await stack.say(bot, 'How do I reset my password?')).body.message.content, /Open the settings/)
  t.equal((await ask(`DELETE /v1/bots/${bot}/question-groups/${canada.id}`)).status, 200)
  t.same((await ask(`GET /v1/bots/${bot}/question-groups`)).body.data, [])
})

t.test('questions in other languages are grouped by words', async (t) => {
  const bot = await stack.bot({ fallback: 'Keine Ahnung.' })
  const asked = ['Wann öffnet das Museum am Sonntag?', 'Wann öffnet am Sonntag das Museum denn?', 'Wo kann ich parken?']
  const [museum] = (await groupsOf(bot, asked, 2)) as [Group]
  t.match(museum, { count: 2, times: 2 })
})
