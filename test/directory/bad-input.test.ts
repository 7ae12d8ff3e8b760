import t from 'tap'
import { newId } from '#lib/ids.ts'
import { fieldsOf } from '../support/ingress.ts'
import { directoryStack } from './directory-stack.ts'

t.setTimeout(240_000)
const { ask, asset } = await directoryStack(t)
const base = '/v1/streaming/playlists'
const id = await asset({})
const { id: list } = (await ask(`POST ${base}`, { body: { title: 'A list' } })).body
const create = (more: object): [string, object | undefined] => [`POST ${base}`, { title: 'A', ...more }]
const change = (body: unknown): [string, unknown] => [`PATCH ${base}/${list}`, body]
const put = (body: unknown): [string, unknown] => [`PUT ${base}/${list}/videos/${id}`, body]
const embedding = (origins: unknown): [string, unknown] => ['PUT /v1/stream/embedding', { origins }]
const get = (path: string): [string, undefined] => [`GET ${path}`, undefined]
const page = encodeURIComponent('http://127.0.0.1/watch/x')

/** What is refused, and the field that is named. */
const refused: Record<string, [[string, unknown], string]> = {
  'a playlist without a title': [[`POST ${base}`, {}], 'body.title'],
  'an empty title': [create({ title: ' ' }), 'body.title'],
  'a title that is a number': [create({ title: 1 }), 'body.title'],
  'a title of 151 characters': [create({ title: 'a'.repeat(151) }), 'body.title'],
  'a title of two lines': [create({ title: 'a\nb' }), 'body.title'],
  'a title with a NUL': [create({ title: 'a\u0000' }), 'body.title'],
  'a description of 5,001 characters': [create({ description: 'a'.repeat(5_001) }), 'body.description'],
  'a description with a NUL': [create({ description: 'a\u0000' }), 'body.description'],
  'a description that is a list': [create({ description: [] }), 'body.description'],
  'a visibility that is none': [create({ visibility: 'private' }), 'body.visibility'],
  'a visibility of null': [create({ visibility: null }), 'body.visibility'],
  'videos that are no list': [create({ videos: id }), 'body.videos'],
  'a video that is no id': [create({ videos: [id, 'x'] }), 'body.videos.1'],
  'a video that is a number': [create({ videos: [1] }), 'body.videos.0'],
  'a video that nobody has': [create({ videos: [newId()] }), 'body.videos.0'],
  'a video twice': [create({ videos: [id, id] }), 'body.videos'],
  '501 videos': [create({ videos: Array.from({ length: 501 }, () => newId()) }), 'body.videos'],
  'a field of another name': [create({ name: 'A' }), 'body.name'],
  'a playlist that is a list': [[`POST ${base}`, []], 'body'],
  'a change to no title': [change({ title: null }), 'body.title'],
  'a change to an empty title': [change({ title: '' }), 'body.title'],
  'a change of the visibility to none': [change({ visibility: 'secret' }), 'body.visibility'],
  'a change to a video twice': [change({ videos: [id, id] }), 'body.videos'],
  'a change to a video that nobody has': [change({ videos: [id, newId()] }), 'body.videos'],
  'a change of the id': [change({ id: newId() }), 'body.id'],
  'a change that is text': [change('x'), 'body'],
  'a position of 0': [put({ position: 0 }), 'body.position'],
  'a position of -1': [put({ position: -1 }), 'body.position'],
  'a position of 501': [put({ position: 501 }), 'body.position'],
  'a position of 1.5': [put({ position: 1.5 }), 'body.position'],
  'a position that is text': [put({ position: '1' }), 'body.position'],
  'a position of another name': [put({ place: 1 }), 'body.place'],
  'sites that are no list': [embedding('https://a.example'), 'body.origins'],
  'a site without a scheme': [embedding(['a.example']), 'body.origins.0'],
  'a site with a path': [embedding(['https://a.example/x']), 'body.origins.0'],
  'a site with a slash at its end': [embedding(['https://a.example/']), 'body.origins.0'],
  'a site that adds a directive': [embedding(["https://a.example; script-src 'unsafe-inline'"]), 'body.origins.0'],
  'a site of two': [embedding(['https://a.example https://b.example']), 'body.origins.0'],
  'a site of any host': [embedding(['https://*']), 'body.origins.0'],
  'a site with a star in it': [embedding(['https://a.*.example']), 'body.origins.0'],
  'a site of two stars': [embedding(['https://*.*.example']), 'body.origins.0'],
  'a site with a line break': [embedding(['https://a.example\r\nx-y: z']), 'body.origins.0'],
  'a site of script': [embedding(['javascript:alert(1)']), 'body.origins.0'],
  'a site of data': [embedding(['data:']), 'body.origins.0'],
  'a site in quotes': [embedding(["'none'"]), 'body.origins.0'],
  '101 sites': [embedding(Array.from({ length: 101 }, (_, i) => `https://a${i}.example`)), 'body.origins'],
  'no sites': [['PUT /v1/stream/embedding', {}], 'body.origins'],
  'a limit of 0': [get(`${base}?limit=0`), 'query.limit'],
  'a cursor that is none': [get(`${base}?cursor=x`), 'query.cursor'],
  'own that is neither': [get(`${base}?own=2`), 'query.own'],
  'a filter that is none': [get(`${base}?title=a`), 'query.title'],
  'a cursor of videos that is none': [get(`${base}/${list}/videos?cursor=x`), 'query.cursor'],
  'oEmbed of nothing': [get('/oembed'), 'query.url'],
  'oEmbed of no address': [get('/oembed?url=x'), 'query.url'],
  'oEmbed of an address of 2,001 characters': [get(`/oembed?url=${'a'.repeat(2_001)}`), 'query.url'],
  'oEmbed of no width': [get(`/oembed?url=${page}&maxwidth=-1`), 'query.maxwidth'],
  'oEmbed of no height': [get(`/oembed?url=${page}&maxheight=1e9`), 'query.maxheight'],
  'a sitemap from no instant': [get(`/sitemap/videos.xml?at=x&id=${id}`), 'query.at'],
  'a sitemap from the year 0': [get(`/sitemap/videos.xml?at=0000-01-01T00:00:00Z&id=${id}`), 'query.at'],
  'a sitemap from no id': [get('/sitemap/videos.xml?at=2026-01-01T00:00:00Z&id=x'), 'query.id'],
}

t.test('what is wrong is refused by the name of its field', async (t) => {
  t.ok(Object.keys(refused).length >= 40)
  for (const [what, [[request, body], field]] of Object.entries(refused)) {
    const reply = await ask(request, { body })
    t.equal(reply.status, 400, `${what}: ${reply.text}`)
    t.ok(
      fieldsOf(reply).some((name: string) => name.startsWith(field)),
      `${what}: ${reply.text}`,
    )
  }
})

t.test('paths that name nothing are not found', async (t) => {
  for (const request of ['GET', 'DELETE', 'PATCH'])
    for (const name of ['x', '0', `${list}x`, '%00'])
      t.equal((await ask(`${request} ${base}/${name}`, request === 'PATCH' ? { body: {} } : {})).status, 404)
})
