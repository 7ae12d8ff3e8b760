import '../support/push-environment.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { type DatabasePool, sql } from '#sql/db.ts'
import { refreshSources } from '#tasks/bots/refresh-sources.ts'
import { createLanguageEngine } from '../../workers/llm/engine.ts'
import { type PoolPlan, startFleet } from '../../workers/runtime/fleet.ts'
import { fieldsOf } from '../support/ingress.ts'
import { pageOf, pdf } from '../support/pdf.ts'
import { until } from '../support/until.ts'
import { testStore } from '../support/video-stack.ts'
import { type Answer, docx, testSite, webPlan, zip } from './knowledge-stack.ts'
import { botsStack } from './stack.ts'

const root = t
t.setTimeout(300_000)
const engine = createLanguageEngine()
t.teardown(() => engine.close())
const stack = await botsStack(t, engine)
const store = await testStore(t)
const { ask, db } = stack
const pages: Record<string, Answer> = {}
const site = await testSite(t, pages)
const program = fileURLToPath(new URL('./source-worker.ts', import.meta.url))

const bytes =
  (type: string, body: string | Buffer): Answer =>
  (_, res) =>
    res.writeHead(200, { 'content-type': type }).end(body)

async function add(bot: string, facts: Record<string, unknown>) {
  const { status, body, text } = await ask(`POST /v1/bots/${bot}/sources`, { body: facts })
  if (status !== 200) throw new Error(text)
  return body.id as string
}

const ended = (bot: string, id: string) =>
  until(
    async () => {
      const { body } = await ask(`GET /v1/bots/${bot}/sources/${id}`)
      return body.status === 'pending' ? false : body
    },
    { timeout: 60_000, what: `the reading of ${id} ends` },
  )

const told = async (bot: string, question: string) => (await stack.say(bot, question)).body.message

t.test('a worker that is killed while it fetches loses nothing, and writes nothing twice', async (t) => {
  const bot = await stack.bot()
  let asked = 0
  pages['/slow'] = (_, res) => {
    asked++
    // The first worker waits for a response that never arrives.
    if (asked > 1) res.writeHead(200, { 'content-type': 'text/plain' }).end('The ferry sails at noon.')
  }
  const args = ['--pdeathsig=KILL', '--', process.execPath, program, stack.databaseUrl, store.url]
  const child = spawn('setpriv', args, { stdio: ['ignore', 'inherit', 'inherit'] })
  const gone = once(child, 'close')
  const id = await add(bot, { url: `${site}/slow` })
  await until(() => asked === 1, { timeout: 60_000 })
  child.kill('SIGKILL')
  await gone
  const { plan, close } = webPlan(store.storage)
  const settings = { lease: 60_000, sweep: 200, grace: 1_000 }
  const fleet = await startFleet(stack.databaseUrl, [plan as PoolPlan], settings, (why) => t.fail(why))
  root.teardown(async () => {
    await fleet.stop()
    await close()
  })
  t.match(await ended(bot, id), { status: 'ready', characters: 24, title: null })
  t.equal(asked, 2)
  t.equal((await ask(`GET /v1/bots/${bot}/documents`)).body.data.length, 1)
})

t.test('PDF, DOCX, HTML and Markdown are quoted word for word, by the id of their source', async (t) => {
  await stack.startWorkers()
  const bot = await stack.bot({ fallback: 'No idea.' })
  pages['/a.pdf'] = bytes(
    'application/pdf',
    pdf([pageOf(['Breakfast is served until eleven.']), pageOf(['Towels are changed on Tuesdays.'])]),
  )
  pages['/b.docx'] = bytes(
    'application/octet-stream',
    docx('Parking', ['The garage closes at &lt;midnight&gt; sharp.']),
  )
  pages['/c'] = bytes(
    'text/html',
    '<title>Pool</title><body><p>The pool is heated to thirty degrees.</p><script>evil()</script>',
  )
  pages['/d.md'] = bytes('text/markdown', '# Dogs\n\nDogs pay ten euros a night.')
  const ids = await Promise.all(['/a.pdf', '/b.docx', '/c', '/d.md'].map((path) => add(bot, { url: site + path })))
  const all = await Promise.all(ids.map((id) => ended(bot, id)))
  t.same(
    all.map(({ status, error }) => [status, error]),
    all.map(() => ['ready', null]),
  )
  t.same(
    all.map(({ content_type }) => content_type.split('.').at(-1)),
    ['application/pdf', 'document', 'text/html', 'text/markdown'],
  )
  for (const [i, [question, answer]] of [
    ['When are towels changed?', /Tuesdays/],
    ['When does the garage close?', /<midnight> sharp/],
    ['How warm is the pool heated?', /thirty degrees/],
    ['What do dogs pay?', /ten euros/],
  ].entries() as ArrayIterator<[number, [string, RegExp]]>) {
    const { content, citations } = await told(bot, question)
    t.match(content, answer)
    t.equal(citations[0]?.document_id, ids[i])
  }
  const titles = (await ask(`GET /v1/bots/${bot}/documents`)).body.data.map(({ title }: { title: string }) => title)
  t.same(titles.sort(), [`127.0.0.1/a.pdf`, '127.0.0.1/d.md', 'Of & for guests', 'Pool'])
  t.equal((await ask(`DELETE /v1/bots/${bot}/sources/${ids[3]}`)).status, 200)
  t.equal((await told(bot, 'What do dogs pay?')).content, 'No idea.')
  t.equal((await ask(`DELETE /v1/bots/${bot}/documents/${ids[2]}`)).status, 200)
  t.equal((await ask(`GET /v1/bots/${bot}/sources/${ids[2]}`)).status, 404)
})

t.test(
  'an address is asked again when its time comes: what is unchanged is not sent, what is away is told',
  async (t) => {
    const bot = await stack.bot()
    const seen: (string | undefined)[] = []
    let [tag, body, status] = ['"1"', 'Room 5 is free.', 200]
    pages['/rooms'] = (req, res) => {
      seen.push(req.headers['if-none-match'])
      if (status !== 200) res.writeHead(status).end()
      else if (req.headers['if-none-match'] === tag) res.writeHead(304).end()
      else res.writeHead(200, { 'content-type': 'text/plain', etag: tag }).end(body)
    }
    const id = await add(bot, { url: `${site}/rooms`, refresh_hours: 1, title: 'Rooms' })
    const first = await ended(bot, id)
    t.equal(Date.parse(first.refresh_at) - Date.parse(first.checked_at), 3_600_000)
    const again = async () => {
      await db.query(sql.typeAlias('void')`update bots.sources set refresh_at = now() where id = ${id}`)
      await refreshSources.run({}, { db } as never)
      return await ended(bot, id)
    }
    const second = await again()
    t.same([seen, second.changed_at], [[undefined, '"1"'], first.changed_at])
    ;[tag, body] = ['"2"', 'Room 6 is free.']
    t.not((await again()).changed_at, first.changed_at)
    t.match((await told(bot, 'Which room is free?')).content, /Room 6/)
    status = 404
    t.match(await again(), { status: 'failed', error: { code: 'http_status', message: /404/ }, characters: 15 })
    t.match((await told(bot, 'Which room is free?')).content, /Room 6/)
    status = 200
    t.match((await ask(`POST /v1/bots/${bot}/sources/${id}/refresh`, { body: {} })).body, { status: 'pending' })
    t.match(await ended(bot, id), { status: 'ready', error: null })
    t.match((await ask(`PATCH /v1/bots/${bot}/sources/${id}`, { body: { refresh_hours: null } })).body, {
      refresh_at: null,
    })
  },
)

t.test('a clean object of the organisation is read, and none that is not', async (t) => {
  const bot = await stack.bot()
  const orgId = await db.oneFirst(
    sql.type(z.object({ org_id: z.string() }))`select org_id from bots.bots where id = ${bot}`,
  )
  const key = `held/${newId()}`
  await store.storage.put(key, Buffer.from('Late checkout costs twenty euros.'), { contentType: 'text/plain' })
  const [clean, unscanned] = [await object(db, orgId, 'clean', key), await object(db, orgId, 'pending', `${key}-2`)]
  const id = await add(bot, { object_id: clean })
  t.match(await ended(bot, id), { status: 'ready', object_id: clean, characters: 33 })
  t.match((await told(bot, 'What does late checkout cost?')).content, /twenty euros/)
  for (const object_id of [unscanned, newId()])
    t.same(fieldsOf(await ask(`POST /v1/bots/${bot}/sources`, { body: { object_id } })), ['body.object_id'])
  await db.query(sql.typeAlias('void')`update files.objects set deleted_at = now() where id = ${clean}`)
  await ask(`POST /v1/bots/${bot}/sources/${id}/refresh`, { body: {} })
  t.match(await ended(bot, id), { status: 'failed', error: { code: 'not_clean' }, characters: 33 })
})

async function object(db: DatabasePool, orgId: string, status: string, key: string): Promise<string> {
  const id = newId()
  await db.query(sql.typeAlias('void')`
    insert into files.objects (id, org_id, product_key, tenant_id, filename, content_type, byte_size, scan_status, place, incoming_key,
      held_key, upload_expires_at, sha256, scan_id, scanned_at)
    values (${id}, ${orgId}, 'bots', 'a', 'late.txt', 'text/plain', 33, ${status}, 'held', ${`in/${id}`}, ${key}, now(), ${'0'.repeat(64)}, gen_random_uuid(), now())`)
  return id
}

t.test(
  'a document is read whatever its archive ends with: a comment that looks like an end, or sizes past 4 GiB',
  async (t) => {
    const bot = await stack.bot()
    const endings = { comment: { comment: `PK\x05\x06${'\0'.repeat(40)}` }, large: { zip64: true } }
    for (const [path, ending] of Object.entries(endings)) {
      pages[`/${path}`] = bytes('application/zip', docx('Endings', [`What is read by ${path}.`], ending))
      t.match(await ended(bot, await add(bot, { url: `${site}/${path}` })), { status: 'ready', error: null }, path)
    }
  },
)

t.test('bombs, scraps and what holds no text are told as they are, and hold nothing up', async (t) => {
  const bot = await stack.bot()
  const blank = Buffer.alloc(64 * 2 ** 20, ' ')
  pages['/bomb'] = bytes('application/zip', zip({ 'word/document.xml': blank }))
  pages['/zip'] = bytes('application/zip', zip({ 'a.txt': 'a' }))
  pages['/scrap'] = bytes('application/zip', docx('a', ['b']).subarray(0, 200))
  const altered = docx('a', ['b'])
  altered.writeUInt32LE(1, altered.lastIndexOf('PK\x01\x02') + 16)
  pages['/altered'] = bytes('application/zip', altered)
  pages['/png'] = bytes('image/png', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))
  pages['/pdf'] = bytes('application/pdf', '%PDF-1.4 nothing')
  pages['/blank'] = bytes('text/plain', '  \n ')
  pages['/empty'] = bytes('text/plain', '')
  pages['/nested'] = bytes('application/zip', zip({ 'word/document.xml': '<w:t>'.repeat(400_000) }))
  const expected = {
    bomb: /32 MiB/,
    zip: /not a DOCX/,
    scrap: /incomplete/,
    altered: /damaged/,
    png: /image\/png/,
    pdf: /cannot be read/,
    blank: /no text/,
    empty: /empty body/,
    nested: /no text/,
    gone: /404/,
  }
  await Promise.all(
    Object.entries(expected).map(async ([path, message]) => {
      const id = await add(bot, { url: `${site}/${path}` })
      t.match(await ended(bot, id), { status: 'failed', error: { message }, characters: null }, path)
    }),
  )
})

t.test('bad input names its fields', async (t) => {
  const bot = await stack.bot()
  const id = await add(bot, { url: `${site}/c` })
  const url = `${site}/c`
  const bad: [string, unknown, string[]][] = [
    ...[
      null,
      0,
      '',
      'a',
      'ftp://a.example',
      'https://',
      [],
      {},
      `https://a.example/${'x'.repeat(2_001)}`,
      'http://10.0.0.1/',
      'http://[::1]/',
      'http://192.168.1.1/',
      'http://169.254.169.254/',
    ].map((url): [string, unknown, string[]] => ['', { url }, ['body.url']]),
    ...[null, 0, '', 'x', [], newId().slice(1), newId()].map((object_id): [string, unknown, string[]] => [
      '',
      { object_id },
      ['body.object_id'],
    ]),
    ...[0, -1, 721, 1.5, '1', [], {}, 1e308].map((refresh_hours): [string, unknown, string[]] => [
      '',
      { url, refresh_hours },
      ['body.refresh_hours'],
    ]),
    ...['', ' ', 1, [], 'x'.repeat(201), '\u0007'].map((title): [string, unknown, string[]] => [
      '',
      { url, title },
      ['body.title'],
    ]),
    ['', {}, ['body.url']],
    ['', { url, more: 1 }, ['body.more']],
    ['', { url, object_id: newId() }, ['body.object_id', 'body.object_id']],
    ['', { object_id: newId(), refresh_hours: 1 }, ['body.object_id', 'body.refresh_hours']],
    ['', [], ['body']],
    ...[0, 721, 'a'].map((refresh_hours): [string, unknown, string[]] => [
      `/${id}`,
      { refresh_hours },
      ['body.refresh_hours'],
    ]),
    [`/${id}/refresh`, { a: 1 }, ['body.a']],
  ]
  t.ok(bad.length >= 40)
  for (const [path, body, fields] of bad) {
    const method = path === `/${id}` ? 'PATCH' : 'POST'
    const reply = await ask(`${method} /v1/bots/${bot}/sources${path}`, { body })
    t.equal(reply.status, 400, `${path} ${JSON.stringify(body).slice(0, 80)}: ${reply.text.slice(0, 200)}`)
    t.same(new Set(fieldsOf(reply)), new Set(fields))
  }
  for (const path of [`${bot}/sources/nothing`, `${newId()}/sources`, `${bot}/sources/${newId()}`])
    t.equal((await ask(`GET /v1/bots/${path}`)).status, 404)
  t.equal((await stack.askElse(`GET /v1/bots/${bot}/sources`)).status, 404)
})
