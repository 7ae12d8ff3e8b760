import t from 'tap'
import { z } from 'zod'
import { config } from '#lib/config.ts'
import { Later, Permanent, Rejected } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import { log } from '#lib/log.ts'
import * as usage from '#sql/ai/usage.ts'
import { type Db, sql } from '#sql/db.ts'
import { jobsTable } from '#sql/jobs/graphile-schema.ts'
import { find } from '#sql/knowledge/find.ts'
import { jobKey } from '#sql/knowledge/lacking.ts'
import { save, table } from '#sql/knowledge/sources.ts'
import { embed } from '#tasks/knowledge/embed.ts'
import { embedMissing } from '#tasks/knowledge/embed-missing.ts'
import { embedQuestion } from '#tasks/knowledge/rules/embed-question.ts'
import { poolSchema } from '#tasks/pools.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { createLanguageEngine } from '../../workers/llm/engine.ts'
import { startFleet } from '../../workers/runtime/fleet.ts'
import { llmPlan, scriptedEngine } from '../bots/engine.ts'
import { botsStack } from '../bots/stack.ts'
import { json, type ModelRequest, modelServer } from '../support/model-server.ts'
import { until } from '../support/until.ts'

t.setTimeout(240_000)
const upstream = await modelServer(t)
const stack = await botsStack(t)
const { db } = stack

/** Words that mean the like share a number. */
const meanings = [/doctor|physician|surgeon/i, /boat|ship|vessel/i, /money|cash|price/i, /filler/i]

/** The vectors of a request's texts. */
const vectorsOf = ({ body }: ModelRequest): { index: number; embedding: number[] }[] =>
  body.input.map((text: string, index: number) => ({
    index,
    embedding: meanings.map((meaning) => (meaning.test(text) ? 1 : -0.1)),
  }))

const works: (typeof upstream)['answer'] = (res, asked) => json(res, { data: vectorsOf(asked).reverse() })
upstream.answer = works

const engineOf = (model: string) =>
  createLanguageEngine({
    ...config,
    AI_ENGINE: 'upstream',
    AI_BASE_URL: upstream.url,
    AI_MODEL: 'some',
    AI_EMBEDDING_MODELS: [model],
    AI_RETRIES: 0,
  })

const own = <T>(work: (tx: Db) => Promise<T>) => db.transaction(work)
const llm = engineOf('place-1')
const tools = (of = llm) => ({ db, llm: of, own, signal: new AbortController().signal, log }) as never

const modelOf = (id: string) =>
  db.oneFirst(sql.type(table.Row.pick({ model: true }))`select model from knowledge.sources where id = ${id}`)

const vectors = (id: string) =>
  db.oneFirst(sql.typeAlias('count')`select count(*) from knowledge.vectors where source_id = ${id}`)

const orgId = await db.oneFirst(sql.type(table.Row.pick({ org_id: true }))`
  select org_id from bots.bots where id = ${await stack.bot()}`)

/** Keeps a text of the organisation of a bot; returns its id. */
async function kept(collectionId: string, text: string, id = newId()): Promise<string> {
  await save(db, { id, org_id: orgId, collection_id: collectionId, title: 'Notes', url: null, text })
  return id
}

t.test('a passage is found by what it means, once a job has its vector, and by words meanwhile', async (t) => {
  const bot = await stack.bot()
  const ids: string[] = []
  for (const text of ['A surgeon comes on Mondays.', 'The vessel sails at noon.', 'The gate is painted green.']) {
    const reply = await stack.ask(`POST /v1/bots/${bot}/documents`, { body: { title: 'Notes', text } })
    ids.push(reply.body.id)
  }
  const question = 'When may I see a physician?'
  t.same(await find(db, { collectionId: bot, question, most: 1 }), [], 'by no word')
  t.equal((await find(db, { collectionId: bot, question: 'surgeons', most: 1 }))[0]?.source_id, ids[0])
  const { gateway } = llm
  const plan = llmPlan({ ...scriptedEngine(), ...(gateway && { gateway }) })
  const fleet = await startFleet(stack.databaseUrl, [plan], { lease: 60_000, sweep: 200, grace: 1_000 }, (why) =>
    t.fail(why),
  )
  try {
    await enqueue(db, embedMissing, {})
    for (const id of ids) t.ok(await until(async () => (await modelOf(id)) === 'place-1'))
    const embedded = await embedQuestion(question, orgId, tools())
    t.equal((await find(db, { collectionId: bot, question, embedded, most: 1 }))[0]?.source_id, ids[0])
    await stack.say(bot, question)
    t.match(upstream.asked.at(-1)?.body, { model: 'place-1', input: [question] }, 'an answer asks for its vector')
  } finally {
    await fleet.stop()
  }
})

t.test('an attempt that fails in the middle is gone on with where it has ended', async (t) => {
  const id = await kept(await stack.bot(), 'Filler of the sea. '.repeat(2_500))
  const before = upstream.asked.length
  upstream.answer = (res, asked) => {
    if (upstream.asked.length - before > 1) json(res, {}, 500)
    else works(res, asked)
  }
  await t.rejects(embed.run({ sourceId: id }, tools()))
  t.equal(await vectors(id), 32)
  t.equal(await modelOf(id), null)
  upstream.answer = works
  await embed.run({ sourceId: id }, tools())
  t.equal(await modelOf(id), 'place-1')
  const sizes = upstream.asked.slice(before).map(({ body }) => body.input.length)
  t.same(
    sizes,
    [32, (await vectors(id)) - 32, (await vectors(id)) - 32],
    'the failed ones are asked for again, no others',
  )
  const asked = upstream.asked.length
  await embed.run({ sourceId: id }, tools())
  t.equal(upstream.asked.length, asked, 'what is done is not done again')
})

t.test('a passage that is too long for the model takes no vector from those it is asked for with', async (t) => {
  const filler = 'Filler of the sea. '.repeat(500)
  const id = await kept(await stack.bot(), `${filler}\n\nUnheard-of.\n\n${filler}`)
  const tooLong = { error: { message: 'no', code: 'context_length_exceeded' } }
  upstream.answer = (res, asked) =>
    asked.body.input.some((text: string) => text.includes('Unheard')) ? json(res, tooLong, 400) : works(res, asked)
  await embed.run({ sourceId: id }, tools())
  upstream.answer = works
  const chunks = await db.oneFirst(sql.typeAlias('count')`
    select count(*) from knowledge.chunks where source_id = ${id}`)
  t.equal(await vectors(id), chunks - 1)
  t.equal(await modelOf(id), 'place-1')
})

t.test(
  'a passage that the upstream refuses is left to its words; where it refuses each, the text has failed',
  async (t) => {
    const filler = 'Filler of the sea. '.repeat(200)
    const id = await kept(await stack.bot(), `${filler}\n\nUnheard-of.\n\n${filler}`)
    const refuses: typeof works = (res) => json(res, { error: { message: 'no' } }, 422)
    upstream.answer = refuses
    await t.rejects(embed.run({ sourceId: id }, tools()), Permanent)
    t.equal(await modelOf(id), null)
    upstream.answer = (res, asked) =>
      (asked.body.input.some((text: string) => text.includes('Unheard')) ? refuses : works)(res, asked)
    await embed.run({ sourceId: id }, tools())
    upstream.answer = works
    const chunks = await db.oneFirst(sql.typeAlias('count')`
    select count(*) from knowledge.chunks where source_id = ${id}`)
    t.equal(await vectors(id), chunks - 1)
    t.equal(await modelOf(id), 'place-1')
  },
)

t.test('a text that lacks vectors has one job; one that was given up has the next after a pause', async (t) => {
  const id = await kept(await stack.bot(), 'The doctor is in.')
  const Job = z.object({ revision: z.number(), locked: z.boolean() })
  const jobs = jobsTable({ schema: poolSchema('llm') })
  const jobsAfterRun = async () => {
    await embedMissing.run({}, tools())
    return await db.any(sql.type(Job)`
      select revision, locked_at is not null as locked from ${jobs} where payload -> 'payload' ->> 'sourceId' = ${id}`)
  }
  t.same(await jobsAfterRun(), [{ revision: 0, locked: false }])
  t.same(await jobsAfterRun(), [{ revision: 0, locked: false }], 'one that waits keeps its attempts')
  await db.query(sql.typeAlias('void')`update ${jobs} set locked_at = now(), locked_by = 'a' where key = ${jobKey(id)}`)
  t.same(await jobsAfterRun(), [{ revision: 0, locked: true }], 'one that runs has no twin')
  await db.query(sql.typeAlias('void')`delete from ${jobs} where key = ${jobKey(id)}`)
  for (const [minutes, isOver] of [
    [9, false],
    [11, true],
  ] as const) {
    await db.query(sql.typeAlias('void')`update knowledge.sources set embed_tries = 0 where id = ${id}`)
    await embed.giveUp?.({ sourceId: id }, new Error('given up'), { db, runId: undefined })
    await db.query(sql.typeAlias('void')`
      update knowledge.sources set embed_failed_at = embed_failed_at - make_interval(mins => ${minutes}) where id = ${id}`)
    t.equal((await jobsAfterRun()).length > 0, isOver, `${minutes} minutes`)
  }
})

t.test('a text that is replaced meanwhile gets no vector of the former one', async (t) => {
  const bot = await stack.bot()
  const id = await kept(bot, 'The doctor is in.')
  upstream.answer = (res, asked) => void kept(bot, 'The boat is out.', id).then(() => works(res, asked))
  await embed.run({ sourceId: id }, tools())
  upstream.answer = works
  t.equal(await vectors(id), 0)
  t.equal(await modelOf(id), null)
})

t.test('another model places all texts anew, and its vectors are compared with no other’s', async (t) => {
  const bot = await stack.bot()
  const id = await kept(bot, 'The doctor is in.')
  await embed.run({ sourceId: id }, tools())
  const other = engineOf('place-2')
  const question = 'physician'
  const embedded = await embedQuestion(question, orgId, tools(other))
  t.same(await find(db, { collectionId: bot, question, embedded, most: 1 }), [])
  await embed.run({ sourceId: id }, tools(other))
  t.equal(await modelOf(id), 'place-2')
  t.equal(await vectors(id), 1)
  t.equal((await find(db, { collectionId: bot, question, embedded, most: 1 }))[0]?.source_id, id)
})

t.test(
  'an upstream that fails, is silent or answers nonsense costs a question its vector and nothing else',
  async (t) => {
    const bodies: unknown[] = [
      {},
      { data: [] },
      { data: [{ index: 0, embedding: [] }] },
      { data: [{ index: 1, embedding: [1] }] },
      { data: [{ index: 0, embedding: ['x'] }] },
      {
        data: [
          { index: 0, embedding: [1] },
          { index: 1, embedding: [1] },
        ],
      },
      null,
      'x',
    ]
    for (const body of bodies) {
      upstream.answer = (res) => json(res, body)
      t.equal(await embedQuestion('doctor', orgId, tools(engineOf('strange'))), undefined)
    }
    for (const status of [400, 401, 413, 429, 500]) {
      upstream.answer = (res) => json(res, { error: { message: 'no' } }, status)
      t.equal(await embedQuestion('doctor', orgId, tools(engineOf('strange'))), undefined)
    }
    upstream.answer = works
  },
)

t.test(
  'vectors take a seat of their organisation’s and are paid for, and none are made once its tokens are spent',
  async (t) => {
    const id = await kept(await stack.bot(), 'The doctor is in.')
    const held = [llm.seat?.(orgId), llm.seat?.(orgId)]
    await t.rejects(embed.run({ sourceId: id }, tools()), Later, 'half of its share is left to questions')
    t.ok(await embedQuestion('doctor', orgId, tools()))
    for (const seat of held) seat?.leave()
    const before = await usage.find(db, orgId)
    await embed.run({ sourceId: id }, tools())
    const { tokens } = await usage.find(db, orgId)
    t.ok(tokens > before.tokens, `${tokens} of ${before.tokens}`)
    await usage.add(db, orgId, {
      operation: 'chat',
      outcome: 'done',
      prompt_tokens: before.budget,
      completion_tokens: 0,
    })
    const asked = upstream.asked.length
    const late = await kept(await stack.bot(), 'The doctor is out.')
    await t.rejects(embed.run({ sourceId: late }, tools()), Rejected)
    t.equal(await embedQuestion('doctor', orgId, tools()), undefined)
    t.equal(upstream.asked.length, asked)
  },
)
