import t from 'tap'
import { sql } from '#sql/db.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { type Started, videoStack } from '../support/video-stack.ts'

t.setTimeout(120_000)
const stack = await videoStack(t)
const { ask, db } = stack

/** An asset with captions in some languages, before its bytes are there. */
async function captioned(title: string, tracks: Record<string, string>, key = stack.key): Promise<string> {
  const { assetId }: Started = (await ask('POST /v1/stream/uploads', { body: { bytes: 5, title }, key })).body
  for (const [language, text] of Object.entries(tracks)) {
    const path = `PUT /v1/stream/assets/${assetId}/captions/${language}`
    const { status } = await ask(path, { body: { text }, key })
    if (status !== 200) throw new Error(`${title} ${language}: ${status}`)
  }
  return assetId
}

const vtt = (...lines: string[]) =>
  `WEBVTT\n\n${lines.map((line, i) => `00:0${i}.500 --> 00:0${i + 1}.250\n${line}\n`).join('\n')}`

const english = vtt(
  '<v Ada>We talk of the history of</v>',
  'the railways &amp; <i>cafés</i>.',
  '<v Bob>No horses walk here.</v>',
)
const german = vtt('Guten Morgen, die Züge fahren.', 'Alle Bahnhöfe sind offen.')
const japanese = vtt('東京の鉄道の歴史です。', 'また明日。')
const assetId = await captioned('Railways', { en: english, de: german, ja: japanese })

// biome-ignore lint/suspicious/noExplicitAny: hits are compared with what is expected.
const search = async (q: string, more: Record<string, string> = {}, id = assetId): Promise<any[]> => {
  const reply = await ask(`GET /v1/stream/assets/${id}/transcript/search?${new URLSearchParams({ q, ...more })}`)
  t.equal(reply.status, 200, JSON.stringify(reply.body))
  return reply.body.data
}
const texts = async (q: string, more = {}) => (await search(q, more)).map(({ highlight }) => highlight)

t.test('a transcript has its cues in JSON and as text', async (t) => {
  const path = `GET /v1/stream/assets/${assetId}/captions/en/transcript`
  t.strictSame((await ask(path)).body, {
    assetId,
    language: 'en',
    source: 'uploaded',
    engine: null,
    cues: [
      { start: 0.5, end: 1.25, speaker: 'Ada', text: 'We talk of the history of', words: null },
      { start: 1.5, end: 2.25, speaker: null, text: 'the railways & cafés.', words: null },
      { start: 2.5, end: 3.25, speaker: 'Bob', text: 'No horses walk here.', words: null },
    ],
  })
  const text = await ask(`${path}.txt`)
  t.match(text.headers.get('content-type'), /^text\/plain/)
  t.equal(text.text, 'Ada: We talk of the history of\n\nthe railways & cafés.\n\nBob: No horses walk here.\n')
  t.equal((await ask(`GET /v1/stream/assets/${assetId}/captions/fr/transcript`)).status, 404)
  t.equal((await ask(`GET /v1/stream/assets/${assetId}/captions/auto/transcript`)).status, 404)
  const { keys } = await testOrg(db, ['stream:read'])
  for (const operation of [path, `${path}.txt`, `GET /v1/stream/assets/${assetId}/transcript/search?q=railway`])
    t.equal((await ask(operation, { key: keys.main })).status, 404, operation)
})

t.test('words are found in each language, with inflections and without accents', async (t) => {
  t.strictSame(await search('railway'), [
    {
      language: 'en',
      start: 1.5,
      end: 2.25,
      text: 'the railways & cafés.',
      highlight: 'the <mark>railways</mark> &amp; cafés.',
    },
  ])
  t.strictSame(await texts('CAFE'), ['the railways &amp; <mark>cafés</mark>.'])
  t.strictSame(await texts('Bahnhof zug'), [
    'Guten Morgen, die <mark>Züge</mark> fahren. Alle <mark>Bahnhöfe</mark> sind offen.',
  ])
  t.strictSame(await texts('鉄道'), ['東京の<mark>鉄</mark><mark>道</mark>の歴史です。'])
  t.strictSame(await texts('道鉄'), [], 'characters must follow each other')
  t.strictSame(await texts('morgen', { language: 'en' }), [])
  t.equal((await texts('morgen', { language: 'de' })).length, 1)
  t.strictSame(await texts('horses -walk'), [])
})

t.test('a sentence is found across two cues, once', async (t) => {
  t.match(await search('"history of the railways"'), [
    { start: 0.5, end: 2.25, text: 'We talk of the history of the railways & cafés.' },
  ])
  t.equal((await search('history railways')).length, 1)
  t.equal((await search('horses')).length, 1, 'the cue before it, which also has its words, is no hit')
})

t.test('any text is a query, and none finds what it must not', async (t) => {
  for (const q of ["':*!&|()", '"', '-railway', '<b>', '\\', "' org:x'", 'or or', '%00', '東"京', '—'])
    t.ok(Array.isArray(await search(q)), q)
  t.strictSame(await search(`org:${stack.orgId}`), [])
  const bad = await ask(`GET /v1/stream/assets/${assetId}/transcript/search?q=%20&limit=0&language=x_y`)
  t.strictSame(fieldsOf(bad).sort(), ['query.language', 'query.limit', 'query.q'])
})

t.test('all videos of an organisation are searched, newest first, and no videos of other organisations', async (t) => {
  const lines = Array.from({ length: 5 }, (_, i) => `Railway ${i} <b>&lt;here&gt;</b>`)
  const later = await captioned('Many railways', { en: vtt(...lines) })
  const { keys } = await testOrg(db, ['stream:read', 'stream:write'])
  await captioned('Not yours', { en: english }, keys.main)
  const all = async (q: string, more = {}, key = stack.key) =>
    (await ask(`GET /v1/stream/transcripts/search?${new URLSearchParams({ q, ...more })}`, { key })).body.data
  const found = await all('railways')
  t.match(found, [
    { assetId: later, title: 'Many railways', hits: [{ start: 0.5 }, { start: 1.5 }, { start: 2.5 }] },
    { assetId, title: 'Railways', hits: [{ language: 'en' }] },
  ])
  t.equal(found.length, 2)
  t.equal(found[0].hits.length, 3)
  t.equal(found[0].hits[0].highlight, '<mark>Railway</mark> 0 &lt;here&gt;')
  t.equal((await all('railways', { limit: '1' })).length, 1)
  t.strictSame(await all('bahnhof', { language: 'en' }), [])
  t.match(await all('bahnhof'), [{ assetId, hits: [{ language: 'de' }] }])
  t.match(await all('railways', {}, keys.main), [{ title: 'Not yours' }])
  await ask(`DELETE /v1/stream/assets/${later}`)
  t.match(await all('railways'), [{ assetId }])
})

t.test('a word of every cue finds as many films as the limit, and a long film hides no other', async (t) => {
  const { keys } = await testOrg(db, ['stream:read', 'stream:write'])
  const of = (cues: number) => vtt(...Array.from({ length: cues }, (_, i) => `Steam ${i}`))
  const films = [await captioned('Short', { en: vtt('Steam at last.') }, keys.main)]
  for (const title of ['Second', 'Third']) films.unshift(await captioned(title, { en: of(9) }, keys.main))
  await db.query(sql.unsafe`
    insert into video.caption_cues (captions_id, number, org_id, from_seconds, to_seconds, text, search_text, search)
    select captions_id, n, q.org_id, n, n + 1, q.text, q.search_text, q.search
    from video.caption_cues as q join video.captions as t on t.id = q.captions_id, generate_series(10, 6000) as n
    where t.asset_id = ${films[0] as string} and q.number = (select min(number) from video.caption_cues where captions_id = t.id)`)
  const { body } = await ask('GET /v1/stream/transcripts/search?q=steam&limit=3', { key: keys.main })
  t.strictSame(
    body.data.map((one: { assetId: string; hits: unknown[] }) => [one.assetId, one.hits.length]),
    films.map((id, i) => [id, i === 2 ? 1 : 3]),
  )
})

t.test('a new text replaces what is found, and deleted captions are not found', async (t) => {
  const id = await captioned('Changed', { en: vtt('An old sentence.') })
  t.equal((await search('old', {}, id)).length, 1)
  await ask(`PUT /v1/stream/assets/${id}/captions/en`, { body: { text: vtt('A new sentence.') } })
  t.strictSame(await search('old', {}, id), [])
  t.equal((await search('new', {}, id)).length, 1)
  await ask(`DELETE /v1/stream/assets/${id}/captions/en`)
  t.strictSame(await search('new', {}, id), [])
})

t.test('captions of earlier releases are indexed', async (t) => {
  const bad = await captioned('Unreadable', { en: vtt('Never.') })
  await db.query(sql.unsafe`
    update video.captions set cues_revision = null, body = 'x --> y' where asset_id = ${bad}`)
  const id = await captioned('Earlier', { en: vtt('Once upon a time.') })
  await db.query(sql.unsafe`
    delete from video.caption_cues where captions_id in (select id from video.captions where asset_id = ${id})`)
  await db.query(sql.unsafe`update video.captions set cues_revision = null where asset_id = ${id}`)
  const empty = await captioned('Gone', { en: vtt('Its object is gone.') })
  await db.query(sql.unsafe`
    update video.captions set cues_revision = null, body = null, source = 'automatic' where asset_id = ${empty}`)
  const { indexCaptions } = await import('#tasks/video/index-captions.ts')
  const tools = { db, storage: stack.store.storage, signal: AbortSignal.timeout(60_000) }
  await indexCaptions.run({}, tools as unknown as Parameters<typeof indexCaptions.run>[1])
  t.equal((await search('upon', {}, id)).length, 1)
  const left = await db.anyFirst(sql.unsafe`
    select asset_id from video.captions where state = 'ready' and cues_revision is null`)
  t.strictSame(left, [bad], 'unreadable captions harm no others')
})
