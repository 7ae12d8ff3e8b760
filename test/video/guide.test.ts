import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { childEnvironment } from '#lib/config.ts'
import { film } from '../media/sources.ts'
import { chromiumPath, startBrowser, videoGets, watchedPage } from '../support/browser.ts'
import { block, readGuide, runSnippet, writeFacts } from '../support/guide.ts'
import { testOrg } from '../support/ingress.ts'
import { freePort } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'

const stack = await videoStack(t, { areas: ['files'] })
const at = (name: string) => join(stack.data, name)
const guide = await readGuide('ingress/video/README.md')
const readme = await readGuide('README.md')
const filesGuide = await readGuide('ingress/files/README.md')

const shell = (snippet: string) => runSnippet(stack.data, snippet)

const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '50', '-pix_fmt', 'yuv420p']
const small = await readFile(await film(at('small.mp4'), 'testsrc2=s=160x90:r=10:d=3', { codec }))
// A box that players skip (ISO 14496-12 8.1.2) makes it three parts.
const padding = Buffer.alloc(11 * 1024 ** 2)
padding.writeUInt32BE(padding.length)
padding.write('free', 4)
await writeFile(at('film.mp4'), Buffer.concat([small, padding]))
await writeFile(at('broken.mp4'), 'no film at all')
await stack.startWorkers({}, 'core,media-intake,media,webhooks,scan')
const platform = await testOrg(stack.db, ['files:read', 'files:write'])
await writeFacts(stack.data, { base_url: stack.ingress.url, keys: { stream: stack.key, platform: platform.keys.main } })

t.test('the README’s first video can be played; a file that is none ends it with the reason', async (t) => {
  const snippet = block(readme, 'sh', 'testsrc2')
  t.match(await shell(snippet), { code: 0, err: '', out: /"hlsUrl":"http/ })
  await mkdir(at('bin'), { recursive: true })
  await writeFile(at('bin/ffmpeg'), `#!/bin/sh\ncp ${at('broken.mp4')} ${at('clip.mp4')}\n`)
  await chmod(at('bin/ffmpeg'), 0o755)
  t.match(await shell(snippet), { code: 0, err: '', out: /"status":"failed".*"failure_summary":"\w/ })
})

t.test('the first calls of the guide to files work', async (t) => {
  t.match(await shell(block(filesGuide, 'sh', 'letter')), {
    code: 0,
    err: '',
    out: /"scan_status":"(pending|scanning|clean)"/,
  })
})

t.test('the guide’s shell sends a file in parts', async (t) => {
  const snippet = block(guide, 'sh', 'for part in')
  t.match(await shell(snippet), { code: 0, err: '', out: /"hlsUrl":"http/ })
  const broken = await shell(snippet.replace('film.mp4', 'broken.mp4'))
  t.match(broken, { code: 0, err: '', out: /"status":"failed"/ })
})

t.test('the guide’s further calls work on a film that is ready', async (t) => {
  const asset = await stack.send(at('small.mp4'))
  await stack.ready(asset)
  await writeFile(at('captions.srt'), '1\n00:00:01,000 --> 00:00:02,000\nBom dia.\n')
  const shared = block(guide, 'sh', 'for part in')
    .split('\n')
    .filter((line) => /^(base|key)=|^(api|get)\(\)/.test(line))
  const calls = {
    'api POST /imports': /"status":"uploading".*"import":/s,
    'api PATCH "/assets/$asset" ': /"title":"Opening talk".*"course":"history-1"/s,
    "api GET '/playback-sessions": /"data":\[\].*"revoked":0/s,
    'api POST "/assets/$asset/mp4s"': /"state":"queued".*"contentType":"image\/jpeg"/s,
    'api POST /uploads \'{"bytes": 1000, "captions"': /"uploadId".*"language":"pt-BR".*"default":true.*"deleted":true/s,
  }
  for (const [has, out] of Object.entries(calls)) {
    const snippet = block(guide, 'sh', has).replace('"720p"', '"90p"').replace('/720p', '/90p')
    const ran = await shell([...shared, `asset=${asset}`, snippet].join('\n'))
    t.match(ran, { code: 0, err: '', out }, has)
    t.notMatch(ran.out, '"error"', has)
  }
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
    const port = await freePort()
    const env = childEnvironment({ MILLRACE_URL: stack.ingress.url, MILLRACE_KEY: stack.key, PORT: String(port) })
    const server = spawn(process.execPath, [at('server.mjs')], { env, stdio: 'inherit' })
    t.teardown(() => server.kill())
    const url = `http://127.0.0.1:${port}/`
    await until(() => fetch(url).catch(() => false))
    t.equal((await fetch(`${url}video/assets`)).status, 404, 'the key opens nothing else')
    const { page, hosts, answers, errors } = await watchedPage(await startBrowser(t))
    await page.goto(url)
    const said = (wanted: RegExp) =>
      until(async () => wanted.test((await page.locator('#say').textContent()) ?? ''), { timeout: 60_000 })
    await page.locator('#file').setInputFiles(at('film.mp4'))
    await said(/^ready$/)
    const frame = await until(() => page.frames().find((one) => one.url().endsWith('/embed')))
    await videoGets(frame, 'video.readyState >= 2')
    t.ok(hosts.has(new URL(stack.store.url).host), 'the parts went to storage')
    t.equal(answers.filter(({ name }) => name === 'sign').length, 3)
    t.strictSame(errors, [])

    await page.locator('#file').setInputFiles(at('broken.mp4'))
    await said(/^This did not work: \w/)
  },
)

t.test('the rules for other stores let pages send and players read', async (t) => {
  const { CORSRules } = JSON.parse(block(guide, 'json cors.json'))
  t.strictSame(
    CORSRules.map(({ AllowedMethods }: { AllowedMethods: string[] }) => AllowedMethods),
    [['PUT'], ['GET', 'HEAD']],
  )
})
