import '../support/webhooks-environment.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { childEnvironment } from '#lib/config.ts'
import * as apiKeys from '#sql/account/keys.ts'
import { readGuide } from '../support/guide.ts'
import { guideBlocks } from '../support/guide-blocks.ts'
import { runGuide } from '../support/run-guide.ts'
import { until } from '../support/until.ts'
import { webhookStack } from './stack.ts'

t.setTimeout(240_000)

const guide = await readGuide('ingress/webhooks/README.md')
const stack = await webhookStack(t, ['account'])
await stack.startWorkers()
const { secret: key } = await apiKeys.create(stack.db, {
  orgId: stack.orgId,
  prefix: 'bt_live_',
  name: 'guide',
  scopes: ['account:webhooks', 'email:manage'],
})

t.test('the examples of the guide run as written, and its receiver verifies and prints the event', async (t) => {
  const folder = t.testdir()
  const port = 20_000 + (process.pid % 10_000)
  const run = {
    folder,
    baseUrl: stack.base.ingress.url,
    apiKey: key,
    replace: { '127.0.0.1:4000': `127.0.0.1:${port}` },
  }
  const [created] = await runGuide(guide, { ...run, only: ({ code }) => code.includes('"types": ["email.*"]') })
  const { id, secret } = created?.json ?? {}

  const code = (part: string) =>
    guideBlocks(guide).find((block) => block.language === 'js' && block.code.includes(part))
  await writeFile(join(folder, 'verify.mjs'), code('export function verify')?.code ?? '')
  await writeFile(
    join(folder, 'receiver.mjs'),
    code('createServer')?.code.replace('listen(4000)', `listen(${port})`) ?? '',
  )
  const receiver = spawn(process.execPath, [join(folder, 'receiver.mjs')], {
    env: childEnvironment({ WEBHOOK_SECRET: secret }),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => receiver.kill())
  let printed = ''
  receiver.stdout.on('data', (text) => {
    printed += text
  })
  await once(receiver, 'spawn')
  await until(async () => (await fetch(`http://127.0.0.1:${port}`, { method: 'POST' }).catch(() => null)) !== null, {
    what: 'the receiver listens',
  })

  const steps = await runGuide(guide, {
    ...run,
    environment: { WEBHOOK_ID: id },
    // What has run already, and what needs a worker of mail.
    only: ({ code }) => !code.includes('"types": ["email.*"]') && !/WEBHOOK_ID=|\/send\/v1\/messages/.test(code),
  })
  const test = steps.find(({ code }) => code.includes('/test"'))
  t.match(test?.json, { delivered: true, response_status: 204 })
  t.match(printed, /^email\.bounced \{/m)
  t.match(printed, /^rejected: too old$/m, 'a request without a signature')
})

t.test('the examples for Node and Python register an endpoint', async (t) => {
  for (const language of ['js', 'python']) {
    const [created] = await runGuide(guide, {
      folder: t.testdir(),
      baseUrl: stack.base.ingress.url,
      apiKey: key,
      languages: [language],
      only: ({ code }) => code.includes('webhooks.create'),
    })
    t.match(created?.out, / whsec_/, language)
  }
})
