import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { childEnvironment } from '#lib/config.ts'
import { Millrace } from '../../../sdk/node/src/index.ts'
import { chromiumPath, startBrowser, watchedPage } from '../../support/browser.ts'
import { freePort } from '../../support/postgres.ts'
import { pushedWorker, standIn } from '../../support/push-servers/browser.ts'
import { makeCertificate } from '../../support/push-servers/certificate.ts'
import { type Subscription, startWebPush } from '../../support/push-servers/web-push.ts'
import { runGuide } from '../../support/run-guide.ts'
import { dataFolder, Stack } from '../../support/stack.ts'
import { until } from '../../support/until.ts'
import { testInBrowser } from '../react/browser.ts'
import { keyOfGuide, quickstarts, startProject } from './project.ts'

t.setTimeout(900_000)
const run = promisify(execFile)

const certificate = await makeCertificate(t)
const service = await startWebPush(t, certificate)
const folder = await mkdtemp(join(tmpdir(), 'millrace-next-'))
t.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
const trusted = join(folder, 'push-service.crt')
await writeFile(trusted, certificate.cert)
const stack = new Stack(await dataFolder(t), await freePort(), {
  OUTBOUND_ALLOWED: '127.0.0.1',
  NODE_EXTRA_CA_CERTS: trusted,
})
const { base_url, keys, mail_url } = await stack.ready(180_000)
t.teardown(async () => {
  await stack.stop('SIGTERM')
})
const guide = await readFile(join(quickstarts, 'nextjs/README.md'), 'utf8')
const apiKey = await keyOfGuide(base_url, keys.millrace ?? '', guide)
const millrace = new Millrace({ baseUrl: base_url, apiKey })
const port = await freePort()
const site = `http://localhost:${port}`
const project = join(folder, 'project')
await mkdir(project)
await run('ffmpeg', [
  ...['-nostdin', '-y', '-v', 'error', '-f', 'lavfi', '-i', 'testsrc2=duration=4:size=320x180:rate=15'],
  ...['-pix_fmt', 'yuv420p', join(project, 'talk.mp4')],
])

/** Follows the guide: its commands in order, with the files that its page shows. */
const { id: webhookId, secret } = await millrace.account.webhooks.create({ url: `${site}/hooks`, types: ['email.*'] })
const follow = (only: (code: string) => boolean) =>
  runGuide(guide, {
    folder: project,
    baseUrl: base_url,
    apiKey,
    replace: {
      'mkdir millrace-nextjs && cd millrace-nextjs': '',
      'http://localhost:3000': site,
      '$(npx millrace-cli listen --print-secret)': secret,
    },
    only: ({ code }) => only(code),
  })
const isSetup = (code: string) => code.includes('setup.js')
const isTrial = (code: string) => code.includes('curl')
await follow((code) => !isSetup(code) && !isTrial(code))
await cp(join(quickstarts, 'nextjs'), project, { recursive: true })
await follow(isSetup)
const npm = (...args: string[]) =>
  run('npm', args, { cwd: project, env: childEnvironment({ NEXT_TELEMETRY_DISABLED: '1' }) })
await npm('run', 'build')
const next = await startProject(t, {
  command: [process.execPath, 'node_modules/next/dist/bin/next', 'start', '-p', String(port)],
  folder: project,
  url: `${site}/sw.js`,
  environment: { NEXT_TELEMETRY_DISABLED: '1' },
})

const skip = existsSync(chromiumPath) ? false : 'Chromium is missing'

interface Caught {
  envelope: { rcpt_to: string[] }
}

t.test('the page shows the avatar, the video, pushes and the inbox, and sends emails', { skip }, async (t) => {
  const { VIDEO_ID = '' } = Object.fromEntries(
    (await readFile(join(project, '.env'), 'utf8')).split('\n').map((line) => line.split('=') as [string, string]),
  )
  await until(async () => (await millrace.video.assets.read(VIDEO_ID)).status === 'ready', {
    timeout: 120_000,
    what: 'the video is ready',
  })
  const browser = await startBrowser(t, chromiumPath)
  const { page, errors } = await watchedPage(browser)
  let current: Subscription | null = null
  await page.context().grantPermissions(['notifications'], { origin: site })
  await page.addInitScript(standIn)
  await page.route('**/the-browsers-own-subscription*', async (route) => {
    const vapid = new URL(route.request().url()).searchParams.get('vapid')
    if (route.request().method() === 'POST') current = service.subscribe(vapid ?? '')
    await route.fulfill({ json: current && { endpoint: current.endpoint, keys: current.keys, vapid: current.vapid } })
  })
  await page.goto(site)

  await page.getByLabel('Avatar').setInputFiles({
    name: 'ann.png',
    mimeType: 'image/png',
    buffer: await readFile(await picture()),
  })
  const avatar = page.getByAltText('Your avatar')
  await avatar.waitFor({ timeout: 60_000 })
  await until(() => page.evaluate('document.images[0]?.naturalWidth > 0'), { what: 'the avatar is shown' })
  t.match(await avatar.getAttribute('src'), /\/f\/[^/]+\/ann\.png\?w=\d+$/)

  await page.getByRole('button', { name: 'Subscribe to push messages' }).click()
  await page.getByRole('button', { name: 'Subscribed' }).waitFor({ timeout: 30_000 })
  const worker = await pushedWorker(page, site)
  await page.getByRole('button', { name: 'Notify me' }).click()
  const unread = () => page.evaluate("document.querySelector('mill-inbox').unread")
  await until(async () => (await unread()) === 1, { timeout: 30_000, what: 'the inbox has an entry' })
  const pushed = await until(() => service.received.at(-1), { timeout: 60_000, what: 'it is at the push service' })
  await worker.deliver(pushed.text)
  const shown = () => worker.evaluate('registration.getNotifications().then((all) => all.map(({ title }) => title))')
  await until(async () => ((await shown()) as string[]).includes('Your order has shipped'), { what: 'it is shown' })

  await page.getByLabel('Email address').fill('ann@example.org')
  await page.getByRole('button', { name: 'Send an email' }).click()
  const mails = async () =>
    ((await (await fetch(`${mail_url}/messages.json`)).json()) as { messages: Caught[] }).messages
  await until(async () => (await mails()).some(({ envelope }) => envelope.rcpt_to.includes('ann@example.org')), {
    timeout: 60_000,
    what: 'the email arrives',
  })

  await page.evaluate("document.querySelector('mill-player').setMuted(true)")
  await page.evaluate("document.querySelector('mill-player').play()")
  await until(() => page.evaluate("document.querySelector('mill-player').state().time > 0.5"), {
    timeout: 30_000,
    what: 'the video plays',
  })
  t.strictSame(
    errors.filter((text) => !/favicon|incognito/.test(text)),
    [],
  )
})

t.test('the site accepts webhooks of Millrace, and rejects others', async (t) => {
  t.match(await millrace.account.webhooks.test(webhookId, { type: 'email.delivered' }), {
    delivered: true,
    response_status: 204,
  })
  await until(() => next.output().includes('email.delivered'), { what: 'the site prints the event' })
  await follow(isTrial)
  t.equal((await fetch(`${site}/hooks`, { method: 'POST' })).status, 401)
})

/** An upload token and the tenant limit what the browser can publish. */
t.test('a file of another tenant is not published', { skip }, async (t) => {
  const other = await millrace.uploadFile(await readFile(await picture()), {
    ...{ product_key: 'shop', tenant_id: 'bob', filename: 'bob.png', content_type: 'image/png' },
  })
  await t.rejects(millrace.files.objects.update(other.object_id, { visibility: 'public', tenant_id: 'ann' }))
})

async function picture(): Promise<string> {
  const path = join(folder, 'picture.png')
  await run('ffmpeg', [
    '-nostdin',
    '-y',
    '-v',
    'error',
    '-f',
    'lavfi',
    '-i',
    'testsrc2=s=400x400',
    '-frames:v',
    '1',
    path,
  ])
  return path
}

/** Next.js brings React 19, which sets properties and events of elements differently from React 18. */
if (!skip) testInBrowser(t, 19, join(project, 'node_modules'))
