import t from 'tap'
import { startSmsSandbox } from '../../ops/embedded/sms/server.ts'
import { until } from '../support/until.ts'
import { accountSid, authToken, gatewayFor, smsStack } from './stack.ts'

const stack = await smsStack(t)
const sandbox = await startSmsSandbox({ host: '127.0.0.1', port: 0, accountSid, authToken })
t.teardown(() => sandbox.close())
await stack.startWorkers(gatewayFor(t, sandbox.url))
const { say, read } = stack

// biome-ignore lint/suspicious/noExplicitAny: the test looks into every field.
const threads = async (): Promise<any[]> =>
  ((await (await fetch(`${sandbox.url}/threads.json`)).json()) as { threads: never[] }).threads
const write = (phone: string, text: string, headers: Record<string, string> = {}) =>
  fetch(`${sandbox.url}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ phone, text }),
  })

t.test('the phone shows messages; a foreign page cannot write on it', async (t) => {
  const { body } = await say('+37255500001', 'Hello')
  await until(async () => (await read(body.id)).body.status === 'sent')
  const [thread] = await until(async () => {
    const all = await threads()
    return all[0]?.messages[0]?.status === 'delivered' && all
  })
  t.match(thread, { phone: '+37255500001', messages: [{ from: 'business', text: 'Hello' }] })
  t.match(thread.callback, new RegExp(`/v1/sms/callbacks/${stack.providerId}/status\\?message=${body.id}$`))
  t.equal((await write('+37255500001', 'Hi', { 'sec-fetch-site': 'cross-site' })).status, 403)
  t.equal((await write('+37255500002', 'Hi')).status, 404)
  t.equal((await write('+37255500001', 'STOP')).status, 200)
  const page = await fetch(sandbox.url)
  t.match(page.headers.get('content-security-policy'), "default-src 'none'")
  t.match(await page.text(), 'SMS sandbox')
  t.equal((await fetch(`${sandbox.url}/phone.js`)).status, 200)
})

t.test('wrong credentials and numbers are rejected as by Twilio', async (t) => {
  const url = `${sandbox.url}/2010-04-01/Accounts/${accountSid}/Messages.json`
  const post = (authorization: string, form: Record<string, string>) =>
    fetch(url, { method: 'POST', headers: { authorization }, body: new URLSearchParams(form) })
  const basic = (token: string) => `Basic ${Buffer.from(`${accountSid}:${token}`).toString('base64')}`
  t.equal((await post(basic('wrong'), { To: '+37255500001', Body: 'x' })).status, 401)
  t.match(await (await post(basic(authToken), { To: '555', Body: 'x' })).json(), { code: 21_211 })
})
