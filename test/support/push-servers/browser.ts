import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Page, Worker } from 'playwright-core'
import type { Scope } from '../postgres.ts'
import { until } from '../until.ts'
import type { Subscription, WebPushServer } from './web-push.ts'

/** A site with push messages: Chromium without a connection to its vendor, with subscriptions of the local service. */
export interface PushedSite {
  port: number
  /** Returns the browser’s subscription, or null. */
  current(): Subscription | null
  /** The browser drops the subscription, as after its expiry. */
  drop(): void
}

/** Serves a folder, and the browser’s subscription for the JavaScript that replaces its channel. */
export async function startPushedSite(
  t: Scope,
  folder: string,
  service?: Pick<WebPushServer, 'subscribe'>,
): Promise<PushedSite> {
  let current: Subscription | null = null
  function ownOf(method: string | undefined, vapid: string): string {
    if (method === 'POST') current = service?.subscribe(vapid) ?? null
    if (method === 'DELETE') current = null
    return JSON.stringify(current && { endpoint: current.endpoint, keys: current.keys, vapid: current.vapid })
  }

  const server = createServer(async ({ method, url = '/' }, res) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    if (pathname === channel) return res.end(ownOf(method, searchParams.get('vapid') ?? ''))
    const name = pathname === '/' ? 'index.html' : pathname.slice(1)
    const file = await readFile(join(folder, name)).catch(() => undefined)
    res.setHeader('content-type', name.endsWith('.js') ? 'text/javascript' : 'text/html')
    // Browsers request an icon automatically.
    res.writeHead(file ? 200 : name === 'favicon.ico' ? 204 : 404).end(file)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    current: () => current,
    drop() {
      current = null
    },
  }
}

const channel = '/the-browsers-own-subscription'

/** Replaces the browser’s channel in a page or a service worker. */
export const standIn = `(() => {
  const text = (key) => btoa(String.fromCharCode(...new Uint8Array(key))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
  const bytes = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0)).buffer
  const made = ({ vapid, ...json }) => ({
    ...json,
    options: { userVisibleOnly: true, applicationServerKey: bytes(vapid) },
    toJSON: () => ({ ...json, expirationTime: null }),
    unsubscribe: () => ask('DELETE').then(() => true),
  })
  const ask = async (method, query = '') => {
    const answer = await (await fetch('${channel}' + query, { method })).json()
    return answer && made(answer)
  }
  PushManager.prototype.getSubscription = () => ask('GET')
  PushManager.prototype.subscribe = ({ applicationServerKey }) => ask('POST', '?vapid=' + text(applicationServerKey))
})()`

export interface PushedWorker {
  evaluate(expression: string): Promise<unknown>
  /** Delivers a message like the browser’s channel. */
  deliver(text: string): Promise<void>
  /** Fires an event that JavaScript can create, and waits for the worker’s handler. */
  fire(event: string): Promise<void>
}

/** Returns the service worker that a page has registered. */
export async function pushedWorker(page: Page, origin: string): Promise<PushedWorker> {
  const context = page.context()
  const worker: Worker = await until(() => context.serviceWorkers().at(0), { what: 'the service worker runs' })
  await worker.evaluate(standIn)
  const session = await context.newCDPSession(page)
  let registrationId = ''
  session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    registrationId = registrations.find(({ scopeURL }) => scopeURL.startsWith(origin))?.registrationId ?? registrationId
  })
  await session.send('ServiceWorker.enable')
  await until(() => registrationId !== '', { what: 'the registration is known' })
  return {
    evaluate: (expression) => worker.evaluate(expression),
    async deliver(data) {
      await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data })
    },
    async fire(event) {
      // Nothing waits for events from JavaScript by itself.
      await worker.evaluate(`(async () => {
        const event = ${event}
        let work
        Object.defineProperty(event, 'waitUntil', { value: (promise) => { work = promise } })
        dispatchEvent(event)
        await work
      })()`)
    },
  }
}
