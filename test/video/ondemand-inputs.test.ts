import t from 'tap'
import { newId } from '#lib/ids.ts'
import { fieldsOf } from '../support/ingress.ts'
import { playableAsset } from '../support/playable-asset.ts'
import { videoStack } from '../support/video-stack.ts'

const stack = await videoStack(t)
const { ask, db } = stack
const { id } = await playableAsset(db, stack.orgId)
const url = 'https://example.com/a.mp4'
const vtt = 'WEBVTT\n\n00:01.000 --> 00:02.000\nx\n'

/** Requests that are refused, and the fields that they are told to be wrong. */
const bad: [string, unknown, string[]][] = [
  ['POST /v1/stream/imports', {}, ['body.url']],
  ['POST /v1/stream/imports', { url: 'nothing' }, ['body.url']],
  ['POST /v1/stream/imports', { url: 'ftp://example.com/a' }, ['body.url']],
  ['POST /v1/stream/imports', { url: 'file:///etc/passwd' }, ['body.url']],
  ['POST /v1/stream/imports', { url: 'http://127.0.0.1/a' }, ['body.url']],
  ['POST /v1/stream/imports', { url: 'http://[::1]/a' }, ['body.url']],
  ['POST /v1/stream/imports', { url: 'http://169.254.169.254/latest' }, ['body.url']],
  ['POST /v1/stream/imports', { url: 'http://2130706433/' }, ['body.url']],
  ['POST /v1/stream/imports', { url: 'https://8.8.8.8:22/a' }, ['body.url']],
  ['POST /v1/stream/imports', { url: 'https://user:pass@example.com/a' }, ['body.url']],
  ['POST /v1/stream/imports', { url: `https://example.com/${'a'.repeat(4000)}` }, ['body.url']],
  ['POST /v1/stream/imports', { url: 5, title: '' }, ['body.title', 'body.url']],
  ['POST /v1/stream/imports', { url, filename: '', titel: 'x' }, ['body.filename', 'body.titel']],
  ['POST /v1/stream/imports', { url, processingProfile: 'best' }, ['body.processingProfile']],
  ['POST /v1/stream/imports', { url, watermark: { watermarkId: newId() } }, ['body.watermark.watermarkId']],
  ['POST /v1/stream/uploads', { bytes: 5, metadata: [] }, ['body.metadata']],
  ['POST /v1/stream/uploads', { bytes: 5, metadata: { a: 1 } }, ['body.metadata.a']],
  ['POST /v1/stream/uploads', { bytes: 5, metadata: { 'a b': 'x' } }, ['body.metadata.a b']],
  ['POST /v1/stream/uploads', { bytes: 5, metadata: { a: 'x'.repeat(501) } }, ['body.metadata.a']],
  ['POST /v1/stream/uploads', { bytes: 5, description: '' }, ['body.description']],
  ['POST /v1/stream/uploads', { bytes: 5, description: 'x'.repeat(5001) }, ['body.description']],
  ['POST /v1/stream/uploads', { bytes: 5, description: 'a\u0000b' }, ['body.description']],
  ['POST /v1/stream/uploads', { bytes: 5, captions: 'en' }, ['body.captions']],
  ['POST /v1/stream/uploads', { bytes: 5, captions: [{}] }, ['body.captions.0.language']],
  ['POST /v1/stream/uploads', { bytes: 5, captions: [{ language: 'de' }] }, ['body.captions.0.text']],
  ['POST /v1/stream/uploads', { bytes: 5, captions: [{ language: 'x!', text: vtt }] }, ['body.captions.0.language']],
  ['POST /v1/stream/uploads', { bytes: 5, captions: [{ language: 'de', text: 'x' }] }, ['body.captions.0.text']],
  [
    'POST /v1/stream/uploads',
    {
      bytes: 5,
      captions: [
        { language: 'de', text: vtt },
        { language: 'DE', text: vtt },
      ],
    },
    ['body.captions.1.language'],
  ],
  [`PATCH /v1/stream/assets/${id}`, {}, ['body.visibility']],
  [`PATCH /v1/stream/assets/${id}`, { title: '' }, ['body.title']],
  [`PATCH /v1/stream/assets/${id}`, { title: 5, externalRef: 7 }, ['body.externalRef', 'body.title']],
  [`PATCH /v1/stream/assets/${id}`, { metadata: 'x' }, ['body.metadata']],
  [`PATCH /v1/stream/assets/${id}`, { title: 'a\u0000' }, ['body.title']],
  ['GET /v1/stream/assets?visibility=all', undefined, ['query.visibility']],
  ['GET /v1/stream/assets?metadata=nothing', undefined, ['query.metadata']],
  ['GET /v1/stream/assets?externalRef=', undefined, ['query.externalRef']],
  ['GET /v1/stream/playback-sessions?assetId=x', undefined, ['query.assetId']],
  ['GET /v1/stream/playback-sessions?viewerId=', undefined, ['query.viewerId']],
  ['POST /v1/stream/playback-sessions/revoke', {}, ['body.viewerId']],
  ['POST /v1/stream/playback-sessions/revoke', { viewerId: '' }, ['body.viewerId']],
  [`PUT /v1/stream/assets/${id}/captions/english!`, { text: vtt }, ['path.language']],
  [`PUT /v1/stream/assets/${id}/captions/de`, {}, ['body.text']],
  [`PUT /v1/stream/assets/${id}/captions/de`, { text: vtt, name: '' }, ['body.name']],
  [`PUT /v1/stream/assets/${id}/captions/de`, { text: vtt, default: 'yes' }, ['body.default']],
  [`PATCH /v1/stream/assets/${id}/captions/de`, {}, ['body.name']],
  [`POST /v1/stream/assets/${id}/frames`, {}, ['body.time']],
  [`POST /v1/stream/assets/${id}/frames`, { time: -1, height: 1 }, ['body.height', 'body.time']],
  [`POST /v1/stream/assets/${id}/frames`, { time: '1' }, ['body.time']],
  [`POST /v1/stream/assets/${id}/mp4s`, {}, ['body.rendition']],
  [`POST /v1/stream/assets/${id}/mp4s`, { rendition: '../../x' }, ['body.rendition']],
]

t.test('what is wrong with a request is told by its fields', async (t) => {
  t.ok(bad.length >= 40)
  for (const [request, body, fields] of bad) {
    const reply = await ask(request, body === undefined ? {} : { body })
    const what = `${request} ${JSON.stringify(body)?.slice(0, 100)}`
    t.equal(reply.status, 400, `${what}: ${reply.text}`)
    t.strictSame(fieldsOf(reply), fields, what)
  }
})

t.test('what is not there is not found', async (t) => {
  const none = newId()
  const requests: [string, unknown][] = [
    [`PUT /v1/stream/assets/${none}/captions/de`, { text: vtt }],
    [`PATCH /v1/stream/assets/${id}/captions/de`, { default: true }],
    [`DELETE /v1/stream/assets/${id}/captions/de`, undefined],
    [`GET /v1/stream/assets/${id}/captions/de.vtt`, undefined],
    [`POST /v1/stream/assets/${none}/frames`, { time: 1 }],
    [`POST /v1/stream/assets/${none}/mp4s`, { rendition: '720p' }],
    [`POST /v1/stream/assets/${id}/mp4s`, { rendition: '720p' }],
    [`GET /v1/stream/assets/${id}/mp4s/720p`, undefined],
  ]
  for (const [request, body] of requests)
    t.equal((await ask(request, body === undefined ? {} : { body })).status, 404, request)
})
