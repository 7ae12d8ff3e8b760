import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { Millrace } from '../../../sdk/node/src/index.ts'
import { lightPath, startBrowser, watchedPage } from '../../support/browser.ts'
import { freePort } from '../../support/postgres.ts'
import { runGuide } from '../../support/run-guide.ts'
import { dataFolder, Stack } from '../../support/stack.ts'
import { until } from '../../support/until.ts'
import { keyOfGuide, linkedProject, quickstarts, startProject } from './project.ts'

t.setTimeout(300_000)

const stack = new Stack(await dataFolder(t), await freePort())
const { base_url, keys, mail_url, ports } = await stack.ready(180_000)
t.teardown(async () => {
  await stack.stop('SIGTERM')
})
const guide = await readFile(join(quickstarts, 'express/README.md'), 'utf8')
const apiKey = await keyOfGuide(base_url, keys.millrace ?? '', guide)
const millrace = new Millrace({ baseUrl: base_url, apiKey })
const port = await freePort()
const url = `http://localhost:${port}`
const { id: webhookId, secret } = await millrace.account.webhooks.create({ url: `${url}/hooks`, types: ['email.*'] })
const folder = t.testdir()
await linkedProject('express', folder, ['express', 'nodemailer'])
const environment = {
  ...{ MILLRACE_BASE_URL: base_url, MILLRACE_API_KEY: apiKey, WEBHOOK_SECRET: secret, PORT: String(port) },
  ...{ EMAIL_FROM: 'orders@dev.example', SMTP_HOST: '127.0.0.1', SMTP_PORT: String(ports.mail_submission) },
}
const { output } = await startProject(t, { command: [process.execPath, 'server.js'], folder, url, environment })

const post = async (path: string, body: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url + path, { method: 'POST', body, headers })
  return { status: response.status, body: (await response.json().catch(() => undefined)) as Record<string, string> }
}
const json = { 'content-type': 'application/json' }

interface Caught {
  envelope: { rcpt_to: string[] }
}

async function caught(address: string): Promise<number> {
  const { messages } = (await (await fetch(`${mail_url}/messages.json`)).json()) as { messages: Caught[] }
  return messages.filter(({ envelope }) => envelope.rcpt_to.includes(address)).length
}

t.test('the calls of the guide work, and both emails arrive', async (t) => {
  const steps = await runGuide(guide, {
    folder: t.testdir(),
    baseUrl: base_url,
    apiKey,
    sections: ['Send an email', 'Upload a file', 'Receive webhooks'],
    replace: { 'http://localhost:3000': url },
  })
  t.equal(steps.length, 6)
  await until(async () => (await caught('ann@example.org')) === 2, { timeout: 60_000, what: 'both emails arrive' })
})

t.test('the server accepts webhooks of Millrace, and rejects forged ones', async (t) => {
  await until(() => output().includes('email.accepted'), { timeout: 60_000, what: 'the server prints an event' })
  const test = await millrace.account.webhooks.test(webhookId, { type: 'email.bounced' })
  t.match(test, { delivered: true, response_status: 204 })
  await until(() => output().includes('email.bounced'), { what: 'the server prints the test event' })
  const body = JSON.stringify({ type: 'email.forged', timestamp: new Date().toISOString(), data: {} })
  const now = new Date()
  const signed = (key: string, text: string, at = now) => ({
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(key).sign('msg_1', at, text),
  })
  t.equal((await post('/hooks', body, signed(secret, body))).status, 204, 'an independent library signs the same')
  const another = `whsec_${createHash('sha256').update('another').digest('base64')}`
  t.equal((await post('/hooks', body, signed(another, body))).status, 401, 'another secret')
  t.equal((await post('/hooks', `${body} `, signed(secret, body))).status, 401, 'another body')
  t.equal(
    (await post('/hooks', body, signed(secret, body, new Date(now.getTime() - 600_000)))).status,
    401,
    'an old time',
  )
  t.equal((await post('/hooks', body)).status, 401, 'no signature')
  t.equal((await post('/hooks', '')).status, 401, 'no body')
  const last = body.replace('email.forged', 'email.last')
  t.equal((await post('/hooks', last, signed(secret, last))).status, 204)
  await until(() => output().includes('email.last'), { what: 'the server prints the last event' })
  t.equal(output().split('email.forged').length - 1, 1, 'a rejected webhook is not printed')
})

t.test('invalid input gets a reason, and stops nothing', async (t) => {
  t.match(await post('/email', '{"to":"ann"}', json), { status: 400, body: { error: /body\.to/ } })
  t.match(await post('/email', '{', json), { status: 400 })
  t.match(await post('/email', ''), { status: 400 })
  t.match(await post('/email-by-smtp', '{"to":"ann"}', json), { status: 400 })
  t.match(await post('/files?name=big', 'x'.repeat(21 * 1024 * 1024)), { status: 413 })
  t.equal((await fetch(`${url}/files/7`)).status, 404)
})

t.test(
  'the page sends emails and shows the verdict of files',
  { skip: existsSync(lightPath) ? false : 'Chromium is missing' },
  async (t) => {
    const { page, errors } = await watchedPage(await startBrowser(t))
    await page.goto(url)
    await page.getByLabel('Email address').fill('bob@example.org')
    const result = page.getByRole('status')
    for (const [button, answer] of [
      ['Send with the SDK', '"id"'],
      ['Send by SMTP', '250 Accepted'],
    ] as const) {
      await page.getByRole('button', { name: button }).click()
      await result.filter({ hasText: answer }).waitFor()
    }
    await until(async () => (await caught('bob@example.org')) === 2, { timeout: 60_000, what: 'both emails arrive' })
    const choose = (name: string, text: string) =>
      page.getByLabel('File').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })
    await choose('letter.txt', 'Dear Ada')
    await result.filter({ hasText: '"clean"' }).waitFor({ timeout: 60_000 })
    const { url: file } = JSON.parse((await result.textContent()) ?? '') as { url: string }
    t.equal(await (await fetch(file)).text(), 'Dear Ada')
    await choose('eicar.com', ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join(''))
    await result.filter({ hasText: '"infected"' }).waitFor({ timeout: 60_000 })
    t.notMatch(await result.textContent(), 'url')
    t.strictSame(
      errors.filter((text) => !text.includes('favicon')),
      [],
    )
  },
)
