import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import * as documents from '#sql/bots/documents.ts'
import { sql } from '#sql/db.ts'
import { makePassages } from '#tasks/bots/make-passages.ts'
import { createLanguageEngine } from '../../workers/llm/engine.ts'
import { chatter, findAmong } from './haystack.ts'
import { botsStack } from './stack.ts'

t.setTimeout(240_000)
const engine = createLanguageEngine()
t.teardown(() => engine.close())
const stack = await botsStack(t, engine)
await stack.startWorkers()

t.test('the passage that answers is found among documents of 40,000 characters, and cited where it stands', (t) =>
  findAmong(t, stack, 12),
)

t.test(
  'passages put together are the document, each where it says; they fill what an engine may be given',
  async (t) => {
    const own = await botsStack(t)
    await own.startWorkers()
    const bot = await own.bot()
    const text = `${'😀 word. '.repeat(300)}\n\n${'x'.repeat(5_000)} ${chatter(7, 20_000)}`
    for (let i = 0; i < 4; i++) {
      await documents.insert(own.db, { id: newId(), bot_id: bot, title: 'Long', url: null, text })
    }
    const pieces = await own.db.any(sql.type(z.object({ start: z.number(), text: z.string() }))`
    select p.start, p.text from knowledge.chunks as p
    where source_id = (select id from bots.documents where bot_id = ${bot} order by id limit 1) order by place`)
    t.equal(pieces.map((piece) => piece.text).join(''), text)
    for (const piece of pieces) {
      t.equal(text.slice(piece.start, piece.start + piece.text.length), piece.text)
      t.ok([...piece.text].length <= 1_200)
    }
    await own.say(bot, 'word')
    const given = own.engine.asked[0]?.documents ?? []
    const characters = given.reduce((sum, each) => sum + [...each.text].length, 0)
    t.ok(characters <= 60_000 && characters > 60_000 - 1_200, `${characters} characters`)
  },
)

t.test(
  'documents that a release before has added get their passages, by the task or with the first answer',
  async (t) => {
    const bot = await stack.bot({ fallback: 'No idea.' })
    for (const day of ['Monday', 'Tuesday']) {
      const text = `The harbour office is closed on ${day}.`
      await documents.insert(stack.db, { id: newId(), bot_id: bot, title: day, url: null, text })
    }
    const forget = () =>
      stack.db.query(sql.typeAlias('void')`delete from knowledge.sources where collection_id = ${bot}`)
    const count = () =>
      stack.db.oneFirst(
        sql.typeAlias('count')`select sum(chunks) as count from knowledge.sources where collection_id = ${bot}`,
      )
    await forget()
    await makePassages.run({}, { db: stack.db, signal: new AbortController().signal } as never)
    t.equal(await count(), 2)
    await forget()
    const { message } = (await stack.say(bot, 'Is the harbour office closed on Tuesday?')).body
    t.match(message.content, /closed on Tuesday/)
    t.equal(await count(), 2)
  },
)
