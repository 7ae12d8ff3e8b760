import t from 'tap'
import { sandboxAccountId, sandboxPhoneNumberId } from '../../ops/embedded/whatsapp/number.ts'
import { startWhatsappSandbox } from '../../ops/embedded/whatsapp/server.ts'
import { createCloudApi } from '../../workers/whatsapp/cloud-api.ts'
import { readGuide } from '../support/guide.ts'
import { runGuide } from '../support/run-guide.ts'
import { until } from '../support/until.ts'
import { accessToken } from './cloud-api-server.ts'
import { appSecret, verifyToken, whatsappStack } from './stack.ts'

t.setTimeout(240_000)
const guide = await readGuide('ingress/whatsapp/README.md')
const numbers = { phoneNumberId: sandboxPhoneNumberId, accountId: sandboxAccountId }
const { ingress, key, ask, startWorkers } = await whatsappStack(t, numbers)
const sandbox = await startWhatsappSandbox({
  host: '127.0.0.1',
  port: 0,
  dir: t.testdir({}),
  accessToken,
  appSecret,
  verifyToken,
  webhook: `${ingress.url}/v1/whatsapp/webhook`,
})
const api = createCloudApi({ server: sandbox.url, version: 'v23.0', ...numbers, accessToken, timeoutMs: 5_000 })
t.teardown(async () => {
  await api.close()
  await sandbox.close()
})
await startWorkers(api)

t.test('every call of the guide works as shown', async (t) => {
  const run = async (...sections: string[]) => {
    const steps = await runGuide(guide, {
      folder: t.testdir(),
      baseUrl: ingress.url,
      apiKey: key,
      sections,
      languages: ['sh', 'js', 'python'],
      oneOfEach: true,
      environment: { ACCESS_TOKEN: accessToken, APP_SECRET: appSecret },
    })
    return steps.flatMap((step) => (step.language === 'sh' && step.json) || [])
  }
  t.match(await run('Before you start', 'Quickstart'), [
    { to: '+3725550101', type: 'template' },
    { to: '+3725550101', direction: 'outbound' },
  ])
  const closed = await ask('POST /v1/whatsapp/send', { body: { to: '+3725550101', text: 'It is on its way.' } })
  t.match(closed, { status: 400, body: { error: { code: 'outside_service_window' } } })
  const body = JSON.stringify({ text: 'Which courier?' })
  await fetch(`${sandbox.url}/chats/3725550101/messages`, { method: 'POST', body })
  await until(async () => (await ask('GET /v1/whatsapp/messages?direction=inbound')).body.data.length === 1)
  t.match(await run('Send a free-form message', 'Send buttons and lists', 'Receive messages'), [
    { type: 'text', fallback: false, window: { open: true } },
    { type: 'template', fallback: true },
    { type: 'interactive' },
    { data: [{ direction: 'outbound' }] },
  ])
  const own = await run('Connect your own number', 'Create a template')
  t.match(own, [
    { webhook_subscribed: true, verify_token: /./ },
    { webhook_subscribed: true },
    { status: 'PENDING' },
    { name: 'order_ready' },
  ])
  const approved = async () => (await ask(`GET /v1/whatsapp/templates/${own[2].id}`)).body.status === 'APPROVED'
  await until(approved, { timeout: 20_000, what: 'the template is approved' })
})
