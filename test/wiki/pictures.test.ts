import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { filesStack } from '../support/files-stack.ts'
import { testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { proveBy } from './proven.ts'

t.setTimeout(240_000)
const stack = await filesStack(t, { areas: ['wiki'] })
const { base } = stack
const { db } = base
await stack.startWorkers()
const { org, keys } = await testOrg(db, ['wiki:write', 'files:read', 'files:write'], { plan: 'unlimited' })
const folder = t.testdir()
execFileSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', 'color=c=red:s=40x20', '-frames:v', '1', `${folder}/a.png`])
const png = readFileSync(`${folder}/a.png`)
const ask = (request: string, body?: unknown) =>
  base.ask(request, { key: keys.main, ...(body !== undefined && { body }) })
const send = async (bytes: Buffer | string, facts: object, key = keys.main) => {
  const id = (await stack.send(bytes, facts, key)).body.object_id as string
  await until(async () => {
    const { body } = await base.ask(`GET /v1/files/objects/${id}`, { key })
    return !['awaiting_upload', 'pending', 'scanning'].includes(body.scan_status)
  })
  return id
}
const publish = async (body: string) => {
  const made = (await ask('POST /v1/wiki/articles', { title: 'A picture', body })).body
  await proveBy(db, org.id, made.id)
  return { ...made, reply: await ask(`PUT /v1/wiki/articles/${made.id}`, { status: 'published', base_version: 1 }) }
}

t.test('a published article shows a clean picture of its organisation, for as long as it is published', async (t) => {
  const id = await send(png, { filename: 'a.png', content_type: 'image/png' })
  const before = await base.ask(`GET /wiki/pictures/${id}`)
  t.equal(before.status, 404, 'it is public with an article alone')
  const article = await publish(`![A <red> flag](files:${id})`)
  t.equal(article.reply.status, 200, article.reply.text)
  const page = await base.ask(`GET /wiki/${article.slug}`)
  t.match(page.text, `<img src="/wiki/pictures/${id}" alt="A &lt;red&gt; flag" loading="lazy" />`)
  t.match(page.headers.get('content-security-policy'), `img-src 'self' data: ${base.store.storage.publicOrigin}`)
  const shown = await base.ask(`GET /wiki/pictures/${id}`)
  t.equal(shown.status, 302)
  const got = await fetch(shown.headers.get('location') ?? '')
  t.equal(got.headers.get('content-type'), 'image/png')
  t.strictSame(Buffer.from(await got.arrayBuffer()), png)
  await ask(`PUT /v1/wiki/articles/${article.id}`, { status: 'withdrawn', reason: 'It is another flag.' })
  t.equal((await base.ask(`GET /wiki/pictures/${id}`)).status, 404)
})

t.test('what is no clean picture of its own is not published', async (t) => {
  const text = await send('a letter', { filename: 'a.txt', content_type: 'text/plain' })
  const other = await testOrg(db, ['files:read', 'files:write'], { plan: 'unlimited' })
  const foreign = await send(png, { filename: 'a.png', content_type: 'image/png' }, other.keys.main)
  for (const id of [text, foreign, '01a21a00-0000-7000-8000-000000000000']) {
    const { reply } = await publish(`![x](files:${id})`)
    t.match([reply.status, reply.body.error?.details], [400, [{ field: 'body.body', issue: id }]], reply.text)
  }
  for (const shown of ['![x](<files:ID>)', '![x]( files:ID)', '![x][r]\n\n[r]: files:ID', '![r]\n\n[r]: files:ID']) {
    const { reply } = await publish(shown.replace('ID', foreign))
    t.match([reply.status, reply.body.error?.details], [400, [{ field: 'body.body', issue: foreign }]], shown)
  }
  const elsewhere = await publish('![x](https://a.example/x.png) ![y](files:nothing) ![z](javascript:1)')
  t.equal(elsewhere.reply.status, 200, elsewhere.reply.text)
  t.notMatch((await base.ask(`GET /wiki/${elsewhere.slug}`)).text, /<img/)
})

t.test('a picture is what is shown as one, however it is written; what is led to is not public', async (t) => {
  const [shown, other] = [
    await send(png, { filename: 'a.png', content_type: 'image/png' }),
    await send(png, { filename: 'b.png', content_type: 'image/png' }),
  ]
  for (const long of ['', 'It is so.\n\n'.repeat(500)]) {
    const article = await publish(
      `${long}[a link](files:${other}) ![x][r] \`![y](files:${other})\`\n\n[r]: <files:${shown}>`,
    )
    t.equal(article.reply.status, 200, article.reply.text)
    const page = await base.ask(`GET /wiki/${article.slug}`)
    t.match(page.text, `<img src="/wiki/pictures/${shown}"`)
    t.match(page.headers.get('content-security-policy'), base.store.storage.publicOrigin)
    const codes = [shown, other].map(async (id) => (await base.ask(`GET /wiki/pictures/${id}`)).status)
    t.strictSame(await Promise.all(codes), [302, 404])
  }
})
