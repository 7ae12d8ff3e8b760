import '../support/files-host-environment.ts'
import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { videoStack } from '../support/video-stack.ts'
import { publisher } from './deliverable.ts'

t.setTimeout(120_000)
const stack = await videoStack(t, { areas: ['app', 'account', 'docs', 'service', 'console', 'files'] })
const mine = await publisher(stack)
const [api, app, files] = ['api.millrace.example', 'app.millrace.example', 'files.example']

/** Asks under a host's name. */
async function at(host: string, path: string) {
  const sent = request(stack.ingress.url + path, { headers: { host } })
  sent.end()
  const [answer] = await once(sent, 'response')
  return { status: answer.statusCode as number, headers: answer.headers, text: await text(answer) }
}

t.test('on the host of files, only files are available', async (t) => {
  const id = await mine.store('hello', { visibility: 'public' })
  const path = `/f/${id}/note.txt`
  t.equal((await mine.ask(`GET /v1/files/objects/${id}`)).body.url, `https://${files}${path}`)
  t.match(await at(files, path), { status: 200, text: 'hello' })
  for (const other of [
    '/app',
    '/app/sign-in',
    '/docs',
    '/v1',
    `/v1/files/objects/${id}`,
    '/ops',
    '/v1/stream/open/x/y.mp4',
  ])
    t.equal((await at(files, other)).status, 404, other)
  t.equal((await at(app, path)).status, 404, 'no file is on the host of the dashboard')
  t.match(await at(api, `${path}?download`), { status: 302, headers: { location: `https://${files}${path}?download` } })
})

t.test('signed URLs are on the host of files, or on the requested host', async (t) => {
  const id = await mine.store('hello', { visibility: 'signed' })
  t.match(await mine.sign(id), `https://${files}/f/${id}/note.txt?token=`)
  const signed = new URL(await mine.sign(id, { host: files }))
  t.equal(signed.host, files)
  t.match(await at(files, signed.pathname + signed.search), { status: 200, text: 'hello' })
})
