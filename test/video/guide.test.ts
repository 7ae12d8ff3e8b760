import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { childEnvironment } from '#lib/config.ts'
import * as keys from '#sql/account/keys.ts'
import { film } from '../media/sources.ts'
import { chromiumPath, startBrowser, videoGets, watchedPage } from '../support/browser.ts'
import { block, readGuide, runSnippet } from '../support/guide.ts'
import { freePort } from '../support/postgres.ts'
import { runGuide } from '../support/run-guide.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'

const stack = await videoStack(t, { areas: ['account'] })
const at = (name: string) => join(stack.data, name)
const guide = await readGuide('ingress/video/README.md')
const analytics = await readGuide('ingress/video/ANALYTICS.md')
const readme = await readGuide('README.md')

const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '50', '-pix_fmt', 'yuv420p']
const small = await readFile(await film(at('small.mp4'), 'testsrc2=s=160x90:r=10:d=3', { codec }))
// A box that players skip (ISO 14496-12 8.1.2) makes it three parts.
const padding = Buffer.alloc(11 * 1024 ** 2)
padding.writeUInt32BE(padding.length)
padding.write('free', 4)
await writeFile(at('film.mp4'), Buffer.concat([small, padding]))
await writeFile(at('broken.mp4'), 'no film at all')
await stack.startWorkers({}, 'core,media-intake,media,webhooks')

const scopes = ['stream:read', 'stream:write', 'account:webhooks']
const key = await keys.create(stack.db, { orgId: stack.orgId, prefix: 'bt_live_', name: 'guide', scopes })
const run = { folder: stack.data, baseUrl: stack.ingress.url, apiKey: key.secret }

t.test('the README’s first video can be played', async (t) => {
  const steps = await runGuide(readme, { ...run, sections: ['Upload a video'] })
  t.match(steps.at(-1)?.json, { hlsUrl: /^http/, embedUrl: /^http/ })
})

t.test('a file that is no video fails with the reason', async (t) => {
  const asset = await stack.send(at('broken.mp4'))
  const failed = await until(async () => {
    const read = await stack.read(asset)
    return read.status === 'failed' && read
  })
  t.match(failed, { playable: false, failure_summary: /\w/ })
})

t.test('the examples of the guide run with real values', async (t) => {
  // No certificate authority and no public name server can be reached here.
  const steps = await runGuide(guide, {
    ...run,
    languages: ['sh', 'js', 'python'],
    oneOfEach: true,
    only: ({ code }) => !code.includes('$DOMAIN_ID') && !code.includes('createServer'),
  })
  const replies = steps.filter(({ json }) => json !== undefined)
  t.ok(replies.length > 15)
})

t.test('the examples for clips, posters, chapters and audio tracks run on the guide’s video', async (t) => {
  await film(at('talk.mp4'), 'testsrc2=s=320x180:r=25:d=6', { codec })
  await stack.ready(await stack.send(at('talk.mp4')))
  const clips = await readGuide('ingress/video/CLIPS.md')
  const steps = await runGuide(clips, { ...run, only: ({ code }) => !code.includes('$CHANNEL_ID') })
  t.ok(steps.filter(({ json }) => json !== undefined).length > 12)
})

t.test('the examples of the guide to captions run with real values', async () => {
  const captions = await readGuide('ingress/video/CAPTIONS.md')
  await runGuide(captions, { ...run, languages: ['sh', 'js', 'python'], oneOfEach: true })
})

t.test('the examples of analytics run', async (t) => {
  const asset = await stack.send(at('small.mp4'))
  const environment = { ASSET_ID: asset }
  const steps = await runGuide(analytics, { ...run, environment })
  t.ok(steps.filter(({ json }) => json !== undefined).length >= 3)
})

t.test('the examples with an SDK send a file in parts', async (t) => {
  const steps = await runGuide(guide, { ...run, sections: ['Upload with an SDK'], languages: ['js', 'python'] })
  for (const { out } of steps) t.match(out, /^[\da-f-]{36}$/m)
})

t.test('the guide’s shell sends a file in parts', async (t) => {
  const script = block(guide, 'sh', 'for part in').replace('/tmp/talk.mp4', '/tmp/film.mp4')
  const environment = { MILLRACE_BASE_URL: stack.ingress.url, MILLRACE_API_KEY: stack.key }
  const said = await runSnippet(stack.data, script, environment)
  t.match(said, { code: 0, err: '', out: /"status":"processing"/ })
})

t.test(
  'the guide’s page uploads a film from a browser and plays it',
  { skip: !existsSync(chromiumPath) },
  async (t) => {
    for (const [fence, name] of [
      ['js server.mjs', 'server.mjs'],
      ['html page.html', 'page.html'],
    ] as const)
      await writeFile(at(name), block(guide, fence))
    // An example of the guide has restricted the sites.
    const allowed = await stack.ask('PUT /v1/stream/embedding', { body: { origins: [] } })
    t.equal(allowed.status, 200)
    const port = await freePort()
    const env = childEnvironment({
      MILLRACE_BASE_URL: stack.ingress.url,
      MILLRACE_API_KEY: stack.key,
      PORT: String(port),
    })
    const server = spawn(process.execPath, [at('server.mjs')], { env, stdio: 'inherit' })
    t.teardown(() => server.kill())
    const url = `http://127.0.0.1:${port}/`
    await until(() => fetch(url).catch(() => false))
    t.equal((await fetch(`${url}video/assets`)).status, 404, 'the key opens nothing else')
    const { page, hosts, answers, errors } = await watchedPage(await startBrowser(t))
    await page.goto(url)
    const said = (wanted: RegExp) =>
      until(async () => wanted.test((await page.locator('#status').textContent()) ?? ''), { timeout: 60_000 })
    await page.locator('#file').setInputFiles(at('film.mp4'))
    await said(/^Ready$/)
    const frame = await until(() => page.frames().find((one) => one.url().endsWith('/embed')))
    await videoGets(frame, 'video.readyState >= 2')
    t.ok(hosts.has(new URL(stack.store.url).host), 'the parts went to storage')
    t.equal(answers.filter(({ name }) => name === 'sign').length, 3)
    t.strictSame(errors, [])

    await page.locator('#file').setInputFiles(at('broken.mp4'))
    await said(/^Upload failed: \w/)
  },
)

t.test('the rules for other stores let pages send and players read', async (t) => {
  const { CORSRules } = JSON.parse(block(guide, 'json cors.json'))
  t.strictSame(
    CORSRules.map(({ AllowedMethods }: { AllowedMethods: string[] }) => AllowedMethods),
    [['PUT'], ['GET', 'HEAD']],
  )
})
