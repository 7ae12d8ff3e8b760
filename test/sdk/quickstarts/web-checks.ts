import { randomUUID } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import type { Test } from 'tap'
import { until } from '../../support/until.ts'
import { openPage } from './visitor.ts'
import type { Project } from './web-project.ts'

interface Caught {
  subject: string
  envelope: { rcpt_to: string[] }
}

export interface Expected {
  /** Subjects of the messages that the project sends. */
  subjects: string[]
  /** Returns all that the project has printed or logged. */
  log?: () => string | Promise<string>
}

const eicar = String.raw`X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*`

/** What each quick start of a web framework does, checked from outside. */
export function checkProject(t: Test, project: Project, { subjects, log = project.output }: Expected): void {
  t.test('messages arrive, and their events are verified', async (t) => {
    const page = await openPage(project.url)
    const sent = await page.post('/mail', { email: 'ann@rcpt.example' })
    t.equal(sent.status, 200, sent.text.slice(0, 500))
    t.match(sent.text, /ann@rcpt\.example/)
    await until(async () => (await subjectsOf(project, 'ann@rcpt.example')).length >= subjects.length, {
      what: 'emails',
    })
    t.same(await subjectsOf(project, 'ann@rcpt.example'), subjects.toSorted())
    await until(async () => /event email\.delivered [\w-]+/.test(await log()), { timeout: 60_000, what: 'the event' })
  })

  t.test('a wrong address sends nothing, and a form of another site is refused', async (t) => {
    const page = await openPage(project.url)
    const before = await messages(project)
    for (const email of ['ann', 'ann@rcpt.example\r\nBcc: eve@rcpt.example', ''])
      t.ok(await page.refuses('/mail', { email }), email)
    const forged = await page.post('/mail', { email: 'ann@rcpt.example' }, { hasToken: false })
    t.match(forged.status, /^4/)
    t.equal((await messages(project)).length, before.length)
  })

  t.test('webhooks that Millrace did not sign, or long ago, are refused', async (t) => {
    const body = JSON.stringify({ type: 'email.bounced', timestamp: new Date().toISOString(), data: { to: 'grün' } })
    const send = (id: string, given: Partial<Signed> = {}) => postHook(project, { id, body, ...given })
    const valid = await signed(project, randomUUID(), body, new Date())
    const minutes = (count: number) => new Date(Date.now() + count * 60_000)
    const other = new Webhook(`whsec_${Buffer.alloc(32, 7).toString('base64')}`)
    const forged: Record<string, Partial<Signed>> = {
      'another secret': { signature: other.sign('forged-secret', new Date(), body) },
      'an empty secret': { signature: 'v1,' },
      'another body': { signature: valid, body: body.replace('bounced', 'delivered') },
      'too old': { at: minutes(-6) },
      'too new': { at: minutes(6) },
      'no signature': { signature: '' },
      'another version': {
        signature: (await signed(project, 'forged-version', body, new Date())).replace('v1,', 'v2,'),
      },
      'not a time': { timestamp: 'now' },
      'a huge time': { timestamp: '9'.repeat(400) },
      'broken base64': { signature: 'v1,ä v1,=== v1' },
    }
    for (const [name, given] of Object.entries(forged)) {
      const id = `forged-${name.split(' ').at(-1)}`
      t.equal((await send(id, given)).status, 400, name)
    }
    t.equal((await fetch(`${project.url}/hooks`, { method: 'POST', body })).status, 400, 'no header')
    const rotated = `v1,${Buffer.alloc(32).toString('base64')} ${await signed(project, 'two-signatures', body, new Date())}`
    t.equal((await send('two-signatures', { signature: rotated })).status, 204, 'one of two signatures')
    await until(async () => (await log()).includes('event email.bounced two-signatures'), { what: 'the event' })
    t.notMatch(await log(), /event .*forged/)
  })

  t.test('a clean file can be downloaded', async (t) => {
    const page = await openPage(project.url)
    const bytes = Buffer.from('Grüße aus der Datei\n'.repeat(70_000))
    const reply = await page.upload('/files', new File([bytes], 'notes ü.txt', { type: 'text/plain' }))
    t.equal(reply.status, 302, reply.text.slice(0, 500))
    const path = new URL(reply.location, project.url).pathname
    await until(async () => (await page.get(path)).text.includes('clean'), { timeout: 60_000, what: 'the verdict' })
    const shown = await page.get(path)
    t.match(shown.text, /notes ü\.txt: clean/)
    t.notMatch(shown.text, /http-equiv/)
    const link = await page.get(`${path}/download`)
    t.equal(link.status, 302)
    t.ok(bytes.equals(Buffer.from(await (await fetch(link.location)).arrayBuffer())))
    const name = /event files\.object\.(clean|judged)/
    await until(async () => name.test(await log()), { timeout: 60_000, what: 'the event of the verdict' })
  })

  t.test('an infected file is never delivered', async (t) => {
    const page = await openPage(project.url)
    const reply = await page.upload('/files', new File([eicar], '<b>eicar.txt', { type: 'text/plain' }))
    t.equal(reply.status, 302, reply.text.slice(0, 500))
    const path = new URL(reply.location, project.url).pathname
    await until(async () => (await page.get(path)).text.includes('infected'), { timeout: 60_000, what: 'the verdict' })
    const { text } = await page.get(path)
    t.notMatch(text, /download|<b>/)
    const link = await page.get(`${path}/download`)
    t.equal(new URL(link.location, project.url).pathname, path)
  })

  t.test('an unknown file is not found, and a form without a file is refused', async (t) => {
    const page = await openPage(project.url)
    const unknown = `/files/${randomUUID()}`
    t.equal((await page.get(unknown)).status, 404)
    t.equal((await page.get(`${unknown}/download`)).status, 404)
    t.equal((await page.get('/files/..%2f..%2faccount')).status, 404)
    t.ok(await page.refuses('/files', {}))
  })
}

async function messages({ mailUrl }: Project): Promise<Caught[]> {
  return ((await (await fetch(`${mailUrl}/messages.json`)).json()) as { messages: Caught[] }).messages
}

const subjectsOf = async (project: Project, to: string) =>
  (await messages(project))
    .flatMap(({ subject, envelope }) => (envelope.rcpt_to.includes(to) ? [subject] : []))
    .toSorted()

interface Signed {
  body: string
  at: Date
  signature: string
  timestamp: string
}

/** Returns the signature of an independent library. */
const signed = async ({ secret }: Project, id: string, body: string, at: Date): Promise<string> =>
  new Webhook(secret).sign(id, at, body)

async function postHook(project: Project, given: Partial<Signed> & { id: string; body: string }): Promise<Response> {
  const { id, body, at = new Date() } = given
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': given.timestamp ?? String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': given.signature ?? (await signed(project, id, body, at)),
  }
  // Headers are sent as bytes.
  for (const [name, value] of Object.entries(headers))
    Object.assign(headers, { [name]: Buffer.from(value).toString('latin1') })
  return await fetch(`${project.url}/hooks`, { method: 'POST', headers, body })
}
