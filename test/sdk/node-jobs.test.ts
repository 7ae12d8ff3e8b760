import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { type Test, test } from 'tap'
import {
  handleJobs,
  MillraceError,
  NoRetry,
  RetryLater,
  type VerifiedJob,
  verifyJob,
  WebhookVerificationError,
} from '../../sdk/node/src/index.ts'

const secret = `whsec_${Buffer.from('a secret of this test, long enough').toString('base64')}`
const other = `whsec_${Buffer.from('another secret, of no use to it').toString('base64')}`
const body = '{"order":17,"name":"Grüße"}'

function signed(payload = body, more: Record<string, string> = {}, by = secret, at = Math.floor(Date.now() / 1000)) {
  const key = Buffer.from(by.slice('whsec_'.length), 'base64')
  const signature = createHmac('sha256', key).update(`job-1.${at}.${payload}`).digest('base64')
  const headers = { 'webhook-id': 'job-1', 'webhook-timestamp': String(at), 'webhook-signature': `v1,${signature}` }
  return { ...headers, 'millrace-job-id': 'job-1', 'millrace-attempt': '2', ...more }
}

const call = (headers: Record<string, string>, payload = body) =>
  new Request('https://shop.example/jobs', { method: 'POST', headers, body: payload })

test('a signed request is a job, with its facts and its body', async (t) => {
  const at = '2026-03-29T01:30:00.000Z'
  const job = await verifyJob(call(signed(body, { 'millrace-scheduled-for': at, 'millrace-group': 'billing' })), secret)
  t.match(job, { jobId: 'job-1', attempt: 2, group: 'billing' })
  t.equal(job.scheduledFor?.toISOString(), at)
  t.same(job.json(), { order: 17, name: 'Grüße' })
  t.equal(job.text(), body)
  const plain = await verifyJob(call(signed()), [other, secret])
  t.match(plain, { scheduledFor: null, group: null })
  const empty = new Request('https://shop.example/jobs', { headers: signed('') })
  t.equal((await verifyJob(empty, secret)).body.length, 0)
  const text = await verifyJob(call(signed('{'), '{'), secret)
  t.throws(() => text.json(), SyntaxError)
})

test('a request that Millrace did not sign, or long ago, is rejected', async (t) => {
  const bad: [Request, RegExp][] = [
    [call(signed(), body.replace('17', '18')), /no signature/],
    [call(signed(body, {}, other)), /no signature/],
    [call({ ...signed(), 'webhook-id': 'job-2' }), /no signature/],
    [call({}), /does not have the header webhook-id/],
    [call(signed(body, {}, secret, 1_700_000_000)), /too old/],
    [call({ ...signed(), 'webhook-timestamp': 'now' }), /not a valid time/],
    [call(signed(body, { 'millrace-attempt': 'x' })), /not an attempt of a job/],
    [call(signed('x'.repeat(5 * 2 ** 20)), 'x'.repeat(5 * 2 ** 20)), /longer than/],
  ]
  for (const [request, message] of bad) {
    await t.rejects(verifyJob(request, secret), { name: 'WebhookVerificationError', message }, String(message))
  }
  await t.rejects(verifyJob(call(signed()), 'whsec_'), MillraceError)
})

async function served(t: Test, listener: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('requests of Node and Koa are verified, and a parsed body is explained', async (t) => {
  const seen: VerifiedJob[] = []
  const node = await served(t, async (request, response) => {
    seen.push(await verifyJob(request, secret))
    response.writeHead(204).end()
  })
  const app = new Koa()
  app.use(async (context) => {
    seen.push(await verifyJob(context.request as never, secret))
    context.status = 204
  })
  const koa = await served(t, app.callback())
  for (const url of [node, koa]) {
    const { status } = await fetch(url, { method: 'POST', headers: signed(), body })
    t.equal(status, 204)
  }
  t.same(
    seen.map((job) => job.text()),
    [body, body],
  )
  const raw = { headers: signed(), body: { order: 17 }, rawBody: Buffer.from(body) }
  t.equal((await verifyJob(raw, secret)).text(), body)
  t.equal((await verifyJob({ headers: signed(), body }, secret)).text(), body)
  const parsed = { headers: signed(), body: { order: 17 } }
  await t.rejects(verifyJob(parsed, secret), /is parsed\. Pass the unparsed body as `rawBody`/)
})

test('a handler answers with the result, or asks for the end or a later attempt', async (t) => {
  const errors: unknown[] = []
  const outcomes: Record<string, () => unknown> = {
    nothing: () => undefined,
    value: () => ({ paid: true }),
    response: () => new Response('made', { status: 201 }),
    never: () => {
      throw new NoRetry('The order was deleted.')
    },
    later: () => {
      throw new RetryLater(2.5)
    },
    broken: () => {
      throw new Error('secret detail')
    },
  }
  const handle = handleJobs(secret, (job) => outcomes[job.text()]?.(), { onError: (error) => errors.push(error) })
  const said = async (name: string) => {
    const response = await handle(call(signed(name), name))
    return [response.status, await response.text(), response.headers.get('retry-after')]
  }
  t.same(await said('nothing'), [204, '', null])
  t.same(await said('value'), [200, '{"paid":true}', null])
  t.same(await said('response'), [201, 'made', null])
  t.same(await said('never'), [410, 'The order was deleted.', null])
  t.same(await said('later'), [503, 'Retry in 2.5 s.', '3'])
  t.same(await said('broken'), [500, 'The job handler failed.', null])
  t.same(
    errors.map((error) => (error as Error).message),
    ['The order was deleted.', 'secret detail'],
  )
  t.equal((await handle(call({}))).status, 401)
  t.throws(() => new RetryLater(Number.NaN), MillraceError)
  t.ok(new WebhookVerificationError() instanceof MillraceError)
})
