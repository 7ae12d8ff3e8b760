import { existsSync } from 'node:fs'
import t from 'tap'
import {
  ownAccountId,
  ownPhoneNumberId,
  sandboxAccountId,
  sandboxPhoneNumberId,
} from '../../ops/embedded/whatsapp/number.ts'
import { startWhatsappSandbox } from '../../ops/embedded/whatsapp/server.ts'
import { createCloudApi } from '../../workers/whatsapp/cloud-api.ts'
import { chromiumPath, keepPicture, startBrowser, watchedPage } from '../support/browser.ts'
import { emittedTo } from '../support/emitted.ts'
import { testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { accessToken } from './cloud-api-server.ts'
import { appSecret, verifyToken, whatsappStack } from './stack.ts'

t.setTimeout(240_000)
const numbers = { phoneNumberId: sandboxPhoneNumberId, accountId: sandboxAccountId }
const stack = await whatsappStack(t, numbers)
const { ask, say, read } = stack
const dir = t.testdir({})
const start = (port = 0) =>
  startWhatsappSandbox({
    host: '127.0.0.1',
    port,
    dir,
    accessToken,
    appSecret,
    verifyToken,
    webhook: `${stack.ingress.url}/v1/whatsapp/webhook`,
  })
const sandbox = await start()
const api = createCloudApi({ server: sandbox.url, version: 'v23.0', ...numbers, accessToken, timeoutMs: 5_000 })
let closing: Promise<void> | undefined
const closeOnce = () => {
  closing ??= sandbox.close()
  return closing
}
t.teardown(async () => {
  await api.close()
  await closeOnce()
})
await stack.startWorkers(api)
const ann = '+3725550101'
const template = (components: unknown[]) => ({ name: 'order_shipped', language: { code: 'en' }, components })
const parameters = (...texts: string[]) => texts.map((text) => ({ type: 'text', text }))
const shipped = template([
  { type: 'body', parameters: parameters('1042', 'on Friday') },
  { type: 'button', sub_type: 'url', index: 0, parameters: parameters('1042') },
])

t.test('the sandbox lists templates, and refuses as the Cloud API does', async (t) => {
  const { body } = await ask('GET /v1/whatsapp/templates')
  t.same(body.data.map(({ name }: { name: string }) => name).sort(), [
    'appointment_reminder',
    'hello_world',
    'order_shipped',
  ])
  const misnamed = { to: ann, template: { name: 'nothing', language: { code: 'en' } } }
  t.match(await ask('POST /v1/whatsapp/send-template', { body: misnamed }), {
    status: 400,
    body: { error: { code: 'template_not_found' } },
  })
  const anonymous = await fetch(`${sandbox.url}/v23.0/${sandboxPhoneNumberId}/messages`, { method: 'POST', body: '{}' })
  t.equal(anonymous.status, 401)
  t.match(await anonymous.json(), { error: { code: 190 } })
  t.equal((await fetch(`${sandbox.url}/v23.0/x/messages`, { method: 'POST', body: '{' })).status, 400)
})

t.test('pages elsewhere cannot write in people’s names', async (t) => {
  const forged = await fetch(`${sandbox.url}/chats/3725550101/messages`, {
    method: 'POST',
    body: '{"text":"a"}',
    headers: { 'sec-fetch-site': 'cross-site' },
  })
  t.equal(forged.status, 403)
})

const skip = existsSync(chromiumPath) ? false : 'Chromium is not installed'
t.test(
  'on the phone a template shows, is answered by its button, and the answer opens the window',
  { skip },
  async (t) => {
    const { page, errors, hosts } = await watchedPage(await startBrowser(t))
    await page.goto(sandbox.url)
    await page.getByText('Only templates can be sent').waitFor()
    t.match(await page.locator('.notice').textContent(), /messages are not sent to whatsapp/i)
    const sent = await ask('POST /v1/whatsapp/send-template', { body: { to: ann, template: shipped } })
    t.equal(sent.status, 200, sent.text)
    await page.getByText('Your order 1042 is on its way. It arrives on Friday.').first().waitFor()
    await until(async () => (await read(sent.body.id)).body.status === 'read')
    await page.getByRole('button', { name: 'Thank you' }).click()
    await page.getByText('You can send any type of message until').waitFor()
    const inbound = await until(async () => {
      const { body } = await ask('GET /v1/whatsapp/messages?direction=inbound')
      return body.data[0]
    })
    t.match(inbound, {
      from: ann,
      type: 'button',
      content: { text: 'Thank you' },
      context: { message_id: sent.body.provider_message_id },
    })
    await page.getByLabel('Reply to Millrace').fill('Which courier <b>?')
    await page.keyboard.press('Enter')
    await page.locator('.mine').getByText('Which courier <b>?').waitFor()
    t.match(await say(ann, 'The one with the van.'), { status: 200 })
    const buttons = [{ type: 'reply', reply: { id: 'yes', title: 'Yes' } }]
    await ask('POST /v1/whatsapp/send', {
      body: {
        to: ann,
        interactive: { type: 'button', body: { text: 'Leave it with a neighbour?' }, action: { buttons } },
      },
    })
    await page.getByText('Leave it with a neighbour?').first().waitFor()
    await ask('POST /v1/whatsapp/send', {
      body: { to: ann, document: { link: 'https://files.example.com/invoice.pdf', caption: 'Your invoice' } },
    })
    await page.getByText('document: invoice.pdf').waitFor()
    await keepPicture(page, 'whatsapp-sandbox.png')
    await page.setViewportSize({ width: 390, height: 760 })
    await keepPicture(page, 'whatsapp-sandbox-phone.png')
    t.same(errors, [])
    t.same([...hosts], [new URL(sandbox.url).host])
  },
)

t.test(
  'the sandbox has a number to be connected, whose templates are approved, and what is written to it comes there',
  async (t) => {
    const { org, keys } = await testOrg(stack.db, ['whatsapp:send', 'whatsapp:manage'])
    const own = (request: string, body?: unknown) =>
      stack.ingress.ask(request, { key: keys.main, ...(body !== undefined && { body }) })
    const form = { phone_number_id: ownPhoneNumberId, business_account_id: ownAccountId, access_token: accessToken }
    const wrong = await own('POST /v1/whatsapp/numbers', { ...form, app_secret: 'another' })
    t.match(wrong, { status: 400, body: { error: { details: [{ field: 'body.app_secret' }] } } })
    const connected = await own('POST /v1/whatsapp/numbers', { ...form, app_secret: appSecret })
    t.match(connected, { status: 201, body: { webhook_subscribed: true } }, connected.text)
    const components = [{ type: 'BODY', text: 'Your order {{1}} is ready.', example: { body_text: [['1042']] } }]
    const made = await own('POST /v1/whatsapp/templates', {
      name: 'ready',
      language: 'en',
      category: 'UTILITY',
      components,
    })
    t.match(made, { status: 201, body: { status: 'PENDING' } }, made.text)
    await until(async () => (await own(`GET /v1/whatsapp/templates/${made.body.id}`)).body.status === 'APPROVED', {
      timeout: 20_000,
      what: 'it is approved',
    })
    const to = '+3725550133'
    const given = {
      name: 'ready',
      language: { code: 'en' },
      components: [{ type: 'body', parameters: parameters('1042') }],
    }
    t.match(await own('POST /v1/whatsapp/send-template', { to, template: given }), { status: 200 })
    await fetch(`${sandbox.url}/chats/${to.slice(1)}/messages`, {
      method: 'POST',
      body: JSON.stringify({ text: 'Thanks' }),
    })
    await until(async () => (await own('GET /v1/whatsapp/messages?direction=inbound')).body.data?.length === 1, {
      timeout: 20_000,
      what: 'it came',
    })
    t.ok(emittedTo(org.id).some(({ type }) => type === 'whatsapp.template.changed'))
    t.equal((await own(`DELETE /v1/whatsapp/templates/${made.body.id}`)).status, 200)
  },
)

t.test('chats are there again after a restart', async (t) => {
  await closeOnce()
  const again = await start(Number(new URL(sandbox.url).port))
  t.teardown(() => again.close())
  const { chats } = (await (await fetch(`${again.url}/chats.json`)).json()) as { chats: { messages: unknown[] }[] }
  t.ok((chats[0]?.messages.length ?? 0) > 0 || skip)
})
