import '../support/webhooks-environment.ts'
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { fieldsOf } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { article, evidenceStack, filler, type Page } from './evidence-stack.ts'

t.setTimeout(240_000)
const stack = await evidenceStack(t)
const { pages, url, ask, done, source, snapshot } = stack

t.test('a worker that is killed while it takes a snapshot leaves it to the next one: it is taken once', async (t) => {
  const held = Promise.withResolvers<void>()
  let asked = 0
  pages['/held'] = (_, res) => {
    asked++
    // The first worker never gets a response.
    if (asked === 1) held.resolve()
    else res.writeHead(200, { 'content-type': 'text/html' }).end(article([filler]))
  }
  const id = await source('/held')
  const wanted = await Promise.all([1, 2, 3].map(() => done(`POST /v1/wiki/sources/${id}/snapshots`, {})))
  t.equal(new Set(wanted.map((one) => one.id)).size, 1, 'while one is pending it is the answer')
  const first = await stack.base.startWorkers({ OUTBOUND_ALLOWED: '127.0.0.1', LOG_LEVEL: 'warn' }, 'web')
  await held.promise
  await first.kill()
  await stack.startWorkers()
  t.match(await stack.ended(wanted[0].id), { status: 'ok', unchanged: null })
  t.equal(asked, 2)
  const { snapshots } = (await ask(`GET /v1/wiki/sources/${id}`)).body
  t.equal(snapshots.length, 1)
  t.equal((await stack.base.store.list('wiki/')).length, 1)
  const Run = z.object({ state: z.string(), attempt: z.number() })
  t.same(await stack.db.any(sql.type(Run)`select state, attempt from jobs.runs`), [{ state: 'done', attempt: 2 }])
})

t.test(
  'a snapshot has the readable text; whether it changed is told by what is said, not by what is around',
  async (t) => {
    const words = [filler, 'It rained “cats &amp; dogs”<script>evil()</script>.']
    pages['/report'] = article(words)
    const id = await source('/report?utm_source=mail#top')
    t.equal((await ask(`GET /v1/wiki/sources/${id}`)).body.canonical_url, url('/report'))
    pages['/report?'] = pages['/report']
    const first = await snapshot(id)
    t.match(first, {
      status: 'ok',
      http_status: 200,
      content_type: 'text/html',
      title: 'A report',
      final_url: url('/report'),
      unchanged: null,
      error_code: null,
      sha256: createHash('sha256').update(pages['/report']).digest('hex'),
    })
    const { text } = await done(`GET /v1/wiki/snapshots/${first.id}/text`)
    t.match(text, /It rained “cats & dogs”\.$/)
    t.notMatch(text, /evil|menu/)

    const asked = await done(`POST /v1/wiki/sources/${id}/snapshots`, {})
    const again = await stack.ended(asked.id)
    t.not(asked.id, first.id)
    t.match(
      again,
      { id: first.id, unchanged: null, captured_at: first.captured_at, sha256: first.sha256 },
      'the same row',
    )
    t.ok(again.last_checked_at > first.last_checked_at)
    t.equal(first.last_checked_at, first.captured_at)
    pages['/report'] = article(words).replace('<article>', '<article class="new">')
    t.match(await snapshot(id), { id: first.id, sha256: first.sha256 }, 'other bytes, and all the same words')
    pages['/report'] = article(words, 'another menu')
    const third = await snapshot(id)
    t.match(third, { unchanged: true, text_sha256: first.text_sha256 })
    t.not(third.sha256, first.sha256)
    pages['/report'] = article([...words, 'And it snowed.'])
    t.match(await snapshot(id), { unchanged: false })

    const open = await stack.base.ingress.ask(`GET /v1/wiki/sources/${id}`)
    t.equal(open.status, 200, 'without a key')
    t.same(
      open.body.snapshots.map((one: { unchanged: boolean }) => one.unchanged),
      [false, true, null],
    )
    t.notMatch(open.text, /rained|final_url|error_message/)
    const page = await done(`GET /v1/wiki/sources/${id}/snapshots?limit=2`)
    t.equal(page.data.length, 2)
    t.equal((await done(`GET /v1/wiki/sources/${id}/snapshots?cursor=${page.next_cursor}`)).data[0].id, first.id)
    const found = await done(`GET /v1/wiki/sources?uri=${encodeURIComponent(url('/report?utm_medium=x'))}`)
    t.same(
      found.data.map((one: { id: string }) => one.id),
      [id],
    )
  },
)

t.test('text and bytes are for those who write; bytes are saved, never shown', async (t) => {
  const { data } = await done(`GET /v1/wiki/sources?uri=${encodeURIComponent(url('/report'))}`)
  const [{ id }] = (await ask(`GET /v1/wiki/sources/${data[0].id}/snapshots`)).body.data
  const key = stack.keys.reader
  t.equal((await ask(`GET /v1/wiki/snapshots/${id}`, { key })).status, 200)
  t.equal((await ask(`GET /v1/wiki/snapshots/${id}/text`, { key })).status, 403)
  t.equal((await ask(`POST /v1/wiki/snapshots/${id}/download-url`, { key, body: {} })).status, 403)
  const { download_url, sha256 } = await done(`POST /v1/wiki/snapshots/${id}/download-url`, {})
  const got = await fetch(download_url)
  t.match(got.headers.get('content-disposition'), /^attachment/)
  t.equal(got.headers.get('content-type'), 'application/octet-stream')
  const bytes = Buffer.from(await got.arrayBuffer())
  t.equal(createHash('sha256').update(bytes).digest('hex'), sha256)
  t.same(bytes.toString(), pages['/report'])
})

t.test('of a hostile page nothing active is kept, and no page takes longer than a page may', async (t) => {
  const send =
    (body: string | Buffer, headers = {}): Page =>
    (_, res) =>
      res.writeHead(200, { 'content-type': 'text/html', ...headers }).end(body)
  let sent = 0
  Object.assign(pages, {
    '/active': article([
      `${filler}<img src=x onerror=evil()><a href="javascript:evil()">here</a><iframe src="data:text/html,<b>evil"></iframe>`,
      '<svg><script>evil()</script></svg><style>@import "evil"</style><template>evil</template><p hidden>evil</p>',
      '&lt;script&gt;shown()&lt;/script&gt;',
    ]),
    '/entities': send(
      `<!DOCTYPE a [<!ENTITY a "lol">${'abcdefgh'.replace(/./g, (name, i) => `<!ENTITY ${name}1 "${'&a1;'.repeat(9)}${i}">`)}]><html><body>&h1; &amp;&#0;&#xd800;&#x41;`,
    ),
    '/deep': send('<html><body>'.concat('<div>'.repeat(800_000), 'the end')),
    '/picture': send(Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1')),
    '/squeezed': send(gzipSync(Buffer.alloc(50 * 1024 ** 2, '<p>x')), { 'content-encoding': 'gzip' }),
    '/50-mb': ((_, res) => {
      const chunk = Buffer.alloc(64 * 1024, 'x')
      const more = () => {
        for (; sent < 50 * 1024 ** 2; ) {
          sent += chunk.length
          if (!res.write(chunk)) return res.once('drain', more)
        }
        return res.end()
      }
      res.writeHead(200, { 'content-type': 'text/html' })
      more()
    }) satisfies Page,
  })
  const take = async (path: string) => [path, await snapshot(await source(path))] as const
  const paths = ['/active', '/entities', '/deep', '/picture', '/squeezed', '/50-mb']
  const taken = Object.fromEntries(await Promise.all(paths.map(take)))
  const textOf = async (path: string) => (await done(`GET /v1/wiki/snapshots/${taken[path].id}/text`)).text
  t.match(await textOf('/active'), /<script>shown\(\)<\/script>$/, 'what is shown is text')
  t.notMatch(await textOf('/active'), /evil/)
  t.match(await textOf('/entities'), /&h1; &.*A$/, 'entities of its own are expanded never')
  t.match(taken['/deep'], { status: 'failed', error_code: 'unreadable', sha256: null })
  t.match(taken['/picture'], { status: 'ok', content_type: 'image/png', text_sha256: null, text_length: null })
  t.match(await ask(`GET /v1/wiki/snapshots/${taken['/picture'].id}/text`), {
    status: 409,
    body: { error: { code: 'not_captured' } },
  })
  t.match(taken['/squeezed'], { status: 'failed', error_code: 'too_large' })
  t.match(taken['/50-mb'], { status: 'failed', error_code: 'too_large' })
  t.ok(sent < 20 * 1024 ** 2, `${sent} bytes were taken`)
})

t.test(
  'what must not be reached is refused, by its address or behind a redirect; failures keep their reason',
  async (t) => {
    const refused = [
      'http://169.254.169.254/x',
      'http://[::1]/',
      'http://0x7f.2/',
      'http://u:p@example.org/',
      'file:///etc',
    ]
    for (const uri of [...refused, 'no uri', `https://example.org/${'ä'.repeat(1_000)}`]) {
      const reply = await ask('POST /v1/wiki/sources', { body: { uri } })
      t.match([reply.status, reply.status === 400 && fieldsOf(reply)], [400, ['body.uri']], uri.slice(0, 40))
    }
    pages['/inwards'] = (_, res) => res.writeHead(302, { location: 'http://127.0.0.2/secret' }).end()
    pages['/around'] = (_, res) => res.writeHead(302, { location: '/around' }).end()
    pages['/nothing'] = ''
    const codeOf = async (path: string) => (await snapshot(await source(path))).error_code
    t.equal(await codeOf('/inwards'), 'address_refused')
    t.equal(await codeOf('/around'), 'too_many_redirects')
    t.equal(await codeOf('/nothing'), 'empty')
    const gone = await source('/gone')
    t.match(await snapshot(gone), { status: 'failed', error_code: 'http_status', http_status: 404, unchanged: null })
    pages['/gone'] = 'back again'
    await snapshot(gone)
    const { snapshots } = (await ask(`GET /v1/wiki/sources/${gone}`)).body
    t.same(
      snapshots.map((one: { status: string }) => one.status),
      ['ok', 'failed'],
    )
  },
)

t.test('a server that stays away fails the snapshot after a while', async (t) => {
  const id = (await done('POST /v1/wiki/sources', { uri: 'http://nowhere.invalid/' })).id
  const { id: pending } = await done(`POST /v1/wiki/sources/${id}/snapshots`, {})
  await stack.db.query(sql.typeAlias('void')`
    update wiki.snapshots set requested_at = now() - interval '1 minute' where id = ${pending}`)
  await stack.db.query(sql.typeAlias('void')`update jobs_web._private_jobs set run_at = now() where locked_at is null`)
  t.match(await stack.ended(pending), { status: 'failed', error_code: 'unresolved' })
})

t.test('a server that is away for a moment is asked again; a source is one by its canonical URL', async (t) => {
  let asked = 0
  pages['/busy'] = (_, res) => {
    asked++
    res.writeHead(asked === 1 ? 503 : 200, { 'content-type': 'text/plain' }).end('words')
  }
  const id = await source('/busy')
  const { id: pending } = await done(`POST /v1/wiki/sources/${id}/snapshots`, {})
  await until(() => asked === 1)
  await until(async () => {
    const { rowCount } = await stack.db.query(sql.typeAlias('void')`
      update jobs_web._private_jobs set run_at = now() where run_at > now() and locked_at is null`)
    return rowCount > 0
  })
  t.match(await stack.ended(pending), { status: 'ok', content_type: 'text/plain' })
  t.equal(asked, 2)
  const named = await done('POST /v1/wiki/sources', { uri: url('/busy?fbclid=1#x'), title: 'Busy', authors: ['Ann'] })
  t.match(named, { id, title: 'Busy', authors: ['Ann'], uri: url('/busy') })
  t.match(await done('POST /v1/wiki/sources', { uri: url('/busy'), type: 'document' }), {
    title: 'Busy',
    type: 'document',
  })
  t.match(await done('POST /v1/wiki/sources', { uri: 'doi:10.1000/182' }), {
    canonical_url: 'https://doi.org/10.1000/182',
  })
})

t.test('the bytes of snapshots count among what an organisation stores, and must fit its plan', async (t) => {
  const Bytes = z.object({ stored: z.number(), kept: z.number() })
  const { stored, kept } = await stack.db.one(sql.type(Bytes)`
    select (select bytes from account.storage where org_id = ${stack.orgId}) as stored, sum(size)::bigint as kept
    from wiki.snapshots`)
  t.ok(stored > 0 && stored === kept, `${stored} bytes`)
  const id = await source('/report')
  await stack.db.query(sql.typeAlias('void')`
    update account.plans set storage_bytes = ${stored + 5 * 1024 ** 2 - 1}
    where name = (select plan from account.orgs where id = ${stack.orgId})`)
  await until(async () => {
    const { status, body } = await ask(`POST /v1/wiki/sources/${id}/snapshots`, { body: {} })
    return status === 400 && body.error.code === 'plan_limit_exceeded'
  })
})
