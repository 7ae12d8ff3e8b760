/** The shop: `node server.mjs`. It accepts orders, runs jobs and gives merchants the portal of their webhooks. */
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { Millrace, NoRetry, NotFoundError, RetryLater, verifyJob, WebhookVerificationError } from 'millrace'
import { pool } from './database.mjs'
import { InvalidOrder, readOrder } from './order-form.mjs'
import { charge, OutOfStock, placeOrder } from './orders.mjs'
import { report } from './report.mjs'
import { port } from './settings.mjs'

const client = new Millrace() // from MILLRACE_BASE_URL and MILLRACE_API_KEY
const { secret } = await client.jobs.signingSecret.get()
const jobs = { '/jobs/charge': charge, '/jobs/report': report }

const server = createServer(async (request, response) => {
  const { status, body, headers } = await answer(request).catch(toRefusal)
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(body === undefined ? undefined : JSON.stringify(body))
})

async function answer(request) {
  const { pathname } = new URL(request.url, 'http://shop')
  const job = jobs[pathname]
  if (request.method === 'POST' && job) {
    await job(await verifyJob(request, secret))
    return { status: 204 }
  }
  if (request.method === 'POST' && pathname === '/orders')
    return { status: 201, body: await placeOrder(readOrder(await text(request))) }
  const [, merchant] = /^\/merchants\/([a-z]+)\/webhooks$/.exec(pathname) ?? []
  if (request.method === 'GET' && merchant) return { status: 302, headers: { location: await portalOf(merchant) } }
  return { status: 404, body: { error: 'This page does not exist.' } }
}

/** Returns a link with which a merchant manages its own webhooks. A real shop checks first who is signed in. */
async function portalOf(merchant) {
  const { url } = await client.hooks.portalTokens.create(merchant, { ttl_seconds: 3600 })
  return url
}

/** Millrace does not retry a job after 410, and waits after `Retry-After`. */
function toRefusal(error) {
  const body = { error: error.message }
  if (error instanceof InvalidOrder) return { status: 400, body }
  if (error instanceof OutOfStock) return { status: 409, body }
  if (error instanceof NotFoundError) return { status: 404, body }
  if (error instanceof NoRetry) return { status: 410, body }
  if (error instanceof RetryLater) return { status: 503, body, headers: { 'retry-after': error.seconds } }
  if (error instanceof WebhookVerificationError) return { status: 401, body }
  console.error(error)
  return { status: 500, body: { error: 'The shop failed.' } }
}

server.listen(port, '127.0.0.1', () => console.log('The shop is open.'))
process.once('SIGTERM', () => {
  server.close(() => pool.end())
  server.closeIdleConnections()
})
