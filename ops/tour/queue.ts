import { createHmac, randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Api, ask } from '../video-client.ts'
import { checkSignature, type Receiver, withReceiver } from './receiver.ts'
import type { Step } from './video.ts'

/** Shows jobs, customer webhooks, received webhooks and rules with a server on this machine. */
export function queueSteps(api: Api, signal: AbortSignal): Step[] {
  return [
    { name: 'jobs', run: () => withReceiver(signal, (server) => runJob(api, server, signal), ['/job']) },
    { name: 'customer webhooks', run: () => withReceiver(signal, (server) => sendMessage(api, server)) },
    { name: 'received webhooks', run: () => withReceiver(signal, (server) => receiveOne(api, server)) },
  ]
}

async function runJob(api: Api, server: Receiver, signal: AbortSignal): Promise<string> {
  const { secret } = await ask<{ secret: string }>(api, 'GET', '/v1/jobs/signing-secret')
  const begun = performance.now()
  const { id } = await ask<{ id: string }>(api, 'POST', '/v1/jobs', {
    url: `${server.url}/job`,
    body: { order: 1042 },
    retries: { max_attempts: 5, schedule: [1] },
    group: 'tour',
  })
  await server.nth('/job', 1)
  const ms = Math.round(performance.now() - begun)
  checkSignature(await server.nth('/job', 2), secret)
  const read = () => ask<{ status: string; attempt_count: number }>(api, 'GET', `/v1/jobs/${id}`)
  let job = await read()
  for (; ['waiting', 'running'].includes(job.status); job = await read()) await pause(50, undefined, { signal })
  if (job.status !== 'completed') throw new Error(`The job is ${job.status}.`)
  return `a server was called after ${ms} ms and returned 503; attempt ${job.attempt_count} completed the job, with a valid signature`
}

async function sendMessage(api: Api, server: Receiver): Promise<string> {
  const type = 'tour.invoice.paid'
  await ask(api, 'POST', '/v1/hooks/event-types', { name: type }).catch((error: Error) => {
    // An earlier tour that was interrupted created it.
    if (!error.message.includes(': 409 ')) throw error
  })
  const { id } = await ask<{ id: string }>(api, 'POST', '/v1/hooks/apps', { name: 'Customer of the tour' })
  const app = `/v1/hooks/apps/${id}`
  const { secret } = await ask<{ secret: string }>(api, 'POST', `${app}/endpoints`, {
    url: `${server.url}/hook`,
    types: [type],
    filters: [{ path: 'amount', op: 'gt', value: 100 }],
  })
  const send = (amount: number) =>
    ask<{ status: string }>(api, 'POST', `${app}/messages`, { event_type: type, payload: { amount } })
  const { status } = await send(1)
  if (status !== 'unrouted') throw new Error(`The message that does not match the filter is ${status}.`)
  const begun = performance.now()
  await send(1_900)
  const request = await server.nth('/hook', 1)
  const ms = Math.round(performance.now() - begun)
  checkSignature(request, secret)
  return `a signed message reached a customer’s endpoint after ${ms} ms; another did not match its filter`
}

async function receiveOne(api: Api, server: Receiver): Promise<string> {
  const secret = randomBytes(16).toString('hex')
  const source = await ask<{ id: string; url: string }>(api, 'POST', '/v1/intake/sources', {
    name: 'Provider of the tour',
    provider: 'hmac',
    secret,
    hmac: { header: 'x-signature', event_type_path: 'type' },
    forward: { url: `${server.url}/forwarded` },
  })
  try {
    return await forward(api, server, source, secret)
  } finally {
    await ask(api, 'DELETE', `/v1/intake/sources/${source.id}`)
  }
}

async function forward(api: Api, server: Receiver, source: { id: string; url: string }, secret: string) {
  const rule = await ask<{ id: string }>(api, 'POST', '/v1/automation/rules', {
    name: 'Rule of the tour',
    event: 'intake.request.received',
    conditions: [{ path: 'source_id', operator: 'eq', value: source.id }],
    action: { type: 'job', url: `${server.url}/rule`, body: { type: '{{event.data.event_type}}' } },
  })
  try {
    const body = JSON.stringify({ type: 'order.paid' })
    const post = (signature: string) =>
      fetch(source.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-signature': signature },
        body,
      })
    const forged = await post('0'.repeat(64))
    if (forged.status !== 401) throw new Error(`A forged webhook returned ${forged.status}.`)
    const genuine = await post(createHmac('sha256', secret).update(body).digest('hex'))
    if (!genuine.ok) throw new Error(`A signed webhook returned ${genuine.status}.`)
    const forwarded = await server.nth('/forwarded', 1)
    if (forwarded.body.toString() !== body) throw new Error('The forwarded body differs from the received body.')
    await server.nth('/rule', 1)
    return 'a forged webhook was rejected; a signed one was stored and forwarded, and a rule started a job for it'
  } finally {
    await ask(api, 'DELETE', `/v1/automation/rules/${rule.id}`)
  }
}
