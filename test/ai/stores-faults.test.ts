import '../support/words-environment.ts'
import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import { expireStores } from '#tasks/knowledge/expire-stores.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { until } from '../support/until.ts'
import type { Workers } from '../support/video-stack.ts'
import { storesStack } from './stores-stack.ts'

t.setTimeout(300_000)
const stack = await storesStack(t)
const { ask, base, otherKey } = stack
const { db } = base

const eicar = 'X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'

async function upload(name: string, bytes: string | Buffer, type = 'text/plain'): Promise<string> {
  const form = new FormData()
  form.set('purpose', 'assistants')
  form.set('file', new File([bytes], name, { type }))
  const reply = await fetch(`${base.ingress.url}/v1/ai/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stack.key}` },
    body: form,
  })
  const body = (await reply.json()) as { id: string }
  if (reply.status !== 200) throw new Error(JSON.stringify(body))
  return body.id
}

async function store(body: Record<string, unknown> = {}): Promise<string> {
  const reply = await ask('POST /v1/ai/vector_stores', { body })
  if (reply.status !== 200) throw new Error(reply.text)
  return reply.body.id
}

const path = (id: string) => `/v1/ai/vector_stores/${id}`

const add = (id: string, body: Record<string, unknown>) => ask(`POST ${path(id)}/files`, { body })

async function text(id: string, content: string, attributes: Record<string, unknown> = {}): Promise<string> {
  const reply = await add(id, { content, attributes, filename: 'note.md' })
  if (reply.status !== 200) throw new Error(reply.text)
  return reply.body.id
}

const search = (id: string, body: Record<string, unknown>) => ask(`POST ${path(id)}/search`, { body })

const ended = (id: string, file: string) =>
  until(
    async () => {
      const { body } = await ask(`GET ${path(id)}/files/${file}`)
      return body.status === 'in_progress' ? false : body
    },
    { timeout: 60_000, what: `the read of ${file} ends` },
  )

const Count = z.object({ count: z.number() })

const countSources = (storeId: string) =>
  db.oneFirst(sql.type(Count)`
    select count(*)::int4 as count from knowledge.sources where collection_id = ${storeId}`)

let workers: Workers

t.test('before a worker has read it, a file waits; deleted, it leaves nothing', async (t) => {
  const [id, file, batch] = [
    await store(),
    await upload('a.txt', 'The mill is open.'),
    await upload('b.txt', 'Closed.'),
  ]
  t.match((await add(id, { file_id: file })).body, { status: 'in_progress', last_error: null })
  t.match((await ask(`GET ${path(id)}`)).body, { status: 'in_progress', file_counts: { in_progress: 1, total: 1 } })
  const made = await ask(`POST ${path(id)}/file_batches`, { body: { file_ids: [batch] } })
  t.match(made.body, { status: 'in_progress', file_counts: { in_progress: 1, total: 1 } })
  const cancelled = await ask(`POST ${path(id)}/file_batches/${made.body.id}/cancel`)
  t.match(cancelled.body, { status: 'cancelled', file_counts: { cancelled: 1, total: 1 } })
  t.equal((await ask(`DELETE /v1/ai/files/${file}`)).status, 200)
  t.equal((await ask(`GET ${path(id)}/files/${file}`)).status, 404)
  t.match((await ask(`GET ${path(id)}`)).body, { status: 'completed', file_counts: { cancelled: 1, total: 1 } })
  workers = await stack.startWorkers()
  const next = await upload('c.txt', 'The dam is old.')
  await add(id, { file_id: next })
  t.match(await ended(id, next), { status: 'completed' })
  t.equal(await countSources(id), 1)
  t.equal((await ask(`GET ${path(id)}/files/${batch}`)).body.status, 'cancelled')
})

t.test('infected, empty and unreadable files fail with a reason', async (t) => {
  const id = await store()
  const files = await Promise.all([
    upload('virus.txt', eicar),
    upload('empty.txt', ' \n '),
    upload('photo.png', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'image/png'),
  ])
  const made = await ask(`POST ${path(id)}/file_batches`, { body: { file_ids: files } })
  t.equal(made.status, 200, made.text)
  const results = await Promise.all(files.map((file) => ended(id, file)))
  t.same(
    results.map(({ status, last_error }) => [status, last_error.code]),
    [
      ['failed', 'invalid_file'],
      ['failed', 'invalid_file'],
      ['failed', results[2].last_error.code],
    ],
  )
  t.match(results[0].last_error.message, /infected/)
  t.match((await ask(`GET ${path(id)}/file_batches/${made.body.id}`)).body, {
    status: 'completed',
    file_counts: { failed: 3, total: 3 },
  })
  t.match((await ask(`GET ${path(id)}`)).body, { file_counts: { failed: 3, total: 3 }, usage_bytes: 0 })
  t.equal(await countSources(id), 0)
})

t.test('100 files in one batch are all found by their attributes', async (t) => {
  const id = await store()
  const files: string[] = []
  for (let from = 0; from < 100; from += 20)
    files.push(
      ...(await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          upload(`${from + i}.md`, `# Note ${from + i}\n\nThe lighthouse number ${from + i} is painted white.`),
        ),
      )),
    )
  const given = files.map((file_id, i) => ({ file_id, attributes: { number: i, even: i % 2 === 0, name: `n${i}` } }))
  const made = await ask(`POST ${path(id)}/file_batches`, { body: { files: given } })
  await until(
    async () => (await ask(`GET ${path(id)}/file_batches/${made.body.id}`)).body.file_counts.in_progress === 0,
    { timeout: 120_000 },
  )
  t.match((await ask(`GET ${path(id)}`)).body.file_counts, { completed: 100, total: 100 })
  const numbers = async (filters: unknown) => {
    const { status, body, text } = await search(id, { query: 'white lighthouse', filters, max_num_results: 50 })
    t.equal(status, 200, text)
    return body.data
      .map((one: { attributes: { number: number } }) => one.attributes.number)
      .sort((a: number, b: number) => a - b)
  }
  t.same(await numbers({ type: 'eq', key: 'name', value: 'n7' }), [7])
  t.same(await numbers({ type: 'in', key: 'number', value: [3, 99, 500] }), [3, 99])
  t.same(await numbers({ type: 'gte', key: 'number', value: 98 }), [98, 99])
  t.same(await numbers({ type: 'lt', key: 'number', value: 2 }), [0, 1])
  t.same(await numbers({ type: 'gt', key: 'name', value: 98 }), [])
  t.same(await numbers({ type: 'eq', key: 'missing', value: 1 }), [])
  t.equal((await numbers({ type: 'ne', key: 'missing', value: 1 })).length, 50)
  const both = [
    { type: 'eq', key: 'even', value: true },
    { type: 'nin', key: 'number', value: [0, 2] },
    {
      type: 'or',
      filters: [
        { type: 'lte', key: 'number', value: 4 },
        { type: 'eq', key: 'name', value: 'n96' },
      ],
    },
  ]
  t.same(await numbers({ type: 'and', filters: both }), [4, 96])
  const listed = await ask(`GET ${path(id)}/file_batches/${made.body.id}/files?limit=100&filter=completed`)
  t.equal(listed.body.data.length, 100)
  t.equal(listed.body.has_more, false)
})

const setVerdict = (file: string, verdict: string) =>
  db.query(sql.typeAlias('void')`update files.objects set scan_status = ${verdict} where id = ${file}`)

t.test('a file that a later scan finds infected is found no more', async (t) => {
  const [id, other] = [await store(), await store()]
  const [file, safe] = [await upload('a.txt', 'The dragon sleeps.'), await upload('b.txt', 'The dragon wakes.')]
  await ask(`POST ${path(id)}/file_batches`, { body: { file_ids: [file, safe] } })
  await add(other, { file_id: file })
  for (const [store, one] of [
    [id, file],
    [id, safe],
    [other, file],
  ] as const)
    await ended(store, one)
  await setVerdict(file, 'pending')
  t.equal((await search(id, { query: 'dragon' })).body.data.length, 2, 'a requested scan changes nothing')
  await setVerdict(file, 'infected')
  const { data } = (await search(id, { query: 'dragon' })).body
  t.same(
    data.map((one: { file_id: string }) => one.file_id),
    [safe],
  )
  const { body } = await ask(`GET ${path(id)}/files/${file}`)
  t.match(body, { status: 'failed', usage_bytes: 0, last_error: { code: 'invalid_file', message: /“infected”/ } })
  t.match((await ask(`GET ${path(other)}`)).body, { file_counts: { failed: 1, total: 1 }, usage_bytes: 0 })
  t.same((await ask(`GET ${path(id)}/files/${file}/content`)).body.data, [])
})

t.test('an upload whose client leaves while it waits takes no place', async (t) => {
  const send = (signal: AbortSignal, body: ReadableStream) =>
    fetch(`${base.ingress.url}/v1/ai/files`, {
      method: 'POST',
      signal,
      duplex: 'half',
      headers: { authorization: `Bearer ${stack.key}`, 'content-type': 'multipart/form-data; boundary=x' },
      body,
    } as RequestInit).catch(() => undefined)
  const never = () => new ReadableStream({ start: (to) => to.enqueue(new TextEncoder().encode('--x')) })
  const [slow, gone] = [new AbortController(), new AbortController()]
  const open = [1, 2].map(() => send(slow.signal, never()))
  const waiting = Array.from({ length: 4 }, () => send(gone.signal, never()))
  for (let i = 0; i < 5; i++) t.equal((await ask('GET /v1/ai/files')).status, 200)
  gone.abort()
  await Promise.all(waiting)
  slow.abort()
  await Promise.all(open)
  t.type(await upload('next.txt', 'The next file.'), 'string')
})

t.test('workers that are killed while they read leave no file out, and read none twice', async (t) => {
  const id = await store()
  const files: string[] = []
  for (let i = 0; i < 12; i++)
    files.push(await upload(`${i}.md`, `# Well ${i}\n\n${`Well ${i} is deep. `.repeat(2_000)}`))
  const made = await ask(`POST ${path(id)}/file_batches`, { body: { file_ids: files } })
  const counts = async () => (await ask(`GET ${path(id)}/file_batches/${made.body.id}`)).body.file_counts
  await until(async () => (await counts()).completed > 0, { timeout: 60_000 })
  await workers.kill()
  workers = await stack.startWorkers()
  await until(async () => (await counts()).in_progress === 0, { timeout: 120_000 })
  t.match(await counts(), { completed: 12, total: 12 })
  t.equal(await countSources(id), 12)
  t.match((await ask(`GET ${path(id)}`)).body.file_counts, { completed: 12, total: 12 })
})

t.test('pages go forwards and backwards', async (t) => {
  const id = await store()
  const ids: string[] = []
  for (let i = 0; i < 5; i++) ids.push(await text(id, `Note number ${i}.`))
  const page = async (query: string) => (await ask(`GET ${path(id)}/files?${query}`)).body
  const idsOf = ({ data }: { data: { id: string }[] }) => data.map((file) => ids.indexOf(file.id))
  t.same(idsOf(await page('order=asc&limit=2')), [0, 1])
  t.same(idsOf(await page(`order=asc&limit=2&after=${ids[1]}`)), [2, 3])
  t.same(idsOf(await page(`order=asc&limit=2&before=${ids[4]}`)), [2, 3])
  t.same(idsOf(await page(`limit=2&before=${ids[1]}`)), [3, 2])
  t.match(await page(`limit=3&after=${ids[3]}`), { first_id: ids[2], last_id: ids[0], has_more: false })
  t.match(await page('limit=3'), { has_more: true })
})

t.test('updates at the same time leave one of the two', async (t) => {
  const id = await store()
  const file = await text(id, 'The tide is high.')
  const change = (n: number) => ask(`POST ${path(id)}/files/${file}`, { body: { attributes: { n } } })
  const replies = await Promise.all([change(1), change(2)])
  t.same(
    replies.map(({ status }) => status),
    [200, 200],
  )
  const { n } = (await ask(`GET ${path(id)}/files/${file}`)).body.attributes
  t.ok(n === 1 || n === 2)
  const names = await Promise.all(['a', 'b'].map((name) => ask(`POST ${path(id)}`, { body: { name } })))
  t.ok(names.every(({ status }) => status === 200))
})

t.test('a store that is deleted during searches and additions is gone, with its index', async (t) => {
  const id = await store()
  await Promise.all(Array.from({ length: 12 }, (_, i) => text(id, `The harbour has ${i} boats.`)))
  const going = Promise.all(
    Array.from({ length: 10 }, async (_, i) =>
      i === 3 ? ask(`DELETE ${path(id)}`) : i % 2 ? search(id, { query: 'boats' }) : add(id, { content: 'A boat.' }),
    ),
  )
  for (const { status, text } of await going) t.ok([200, 404, 429].includes(status), text)
  t.equal((await search(id, { query: 'boats' })).status, 404)
  t.equal((await ask(`GET ${path(id)}`)).status, 404)
  await until(async () => (await countSources(id)) === 0, { timeout: 60_000 })
})

t.test('a store that was not used in time is deleted', async (t) => {
  const id = await store({ expires_after: { anchor: 'last_active_at', days: 1 } })
  await text(id, 'The clock is slow.')
  t.equal((await search(id, { query: 'clock' })).body.data.length, 1)
  await db.query(sql.typeAlias('void')`update knowledge.stores set expires_at = now() where id = ${id}`)
  t.equal((await search(id, { query: 'clock' })).status, 404)
  await enqueue(db, expireStores, {})
  const isGone = async () =>
    !(await db.exists(sql.type(z.object({ id: z.string() }))`
    select id from knowledge.stores where id = ${id}`))
  await until(isGone, { timeout: 60_000 })
  t.equal(await countSources(id), 0)
})

t.test('files and stores of other organisations do not exist', async (t) => {
  const [id, file] = [await store(), await upload('mine.txt', 'Secret plan.')]
  const elsewhere = (await ask('POST /v1/ai/vector_stores', { body: {}, key: otherKey })).body.id
  const asOther = (request: string, body?: unknown) => ask(request, { key: otherKey, ...(body ? { body } : {}) })
  const replies = await Promise.all([
    asOther(`GET ${path(id)}`),
    asOther(`POST ${path(id)}`, { name: 'x' }),
    asOther(`DELETE ${path(id)}`),
    asOther(`POST ${path(id)}/search`, { query: 'plan' }),
    asOther(`GET ${path(id)}/files`),
    asOther(`POST ${path(id)}/files`, { content: 'x' }),
    asOther(`POST ${path(elsewhere)}/files`, { file_id: file }),
    asOther(`POST ${path(elsewhere)}/file_batches`, { file_ids: [file] }),
    asOther('POST /v1/ai/vector_stores', { file_ids: [file] }),
    asOther(`GET /v1/ai/files/${file}`),
    asOther(`GET /v1/ai/files/${file}/content`),
    asOther(`DELETE /v1/ai/files/${file}`),
    ask(`GET ${path(id)}/file_batches/${newId()}`),
    ask(`GET ${path(id)}/files/${newId()}`),
  ])
  t.same(
    replies.map(({ status }) => status),
    replies.map(() => 404),
  )
})

t.test('a key without `files:read` adds no file, but text', async (t) => {
  const { testOrg } = await import('../support/ingress.ts')
  const { keys } = await testOrg(db, ['ai:write'])
  const { body } = await ask('POST /v1/ai/vector_stores', { body: {}, key: keys.main })
  const other = await ask(`POST ${path(body.id)}/files`, { body: { file_id: newId() }, key: keys.main })
  t.match(other, { status: 403, body: { error: { type: 'permission_error' } } })
  t.equal((await ask(`POST ${path(body.id)}/files`, { body: { content: 'Text.' }, key: keys.main })).status, 200)
})
