import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { log } from '#lib/log.ts'
import { createSlots, type Slots } from '#lib/slots.ts'

/** A hook request of nginx. `client` is nginx's number of the connection. */
export interface Hook {
  name: string
  client: string
  address: string
  /** Argument `t` of the stream name. */
  token: string
}

export interface HookHandlers {
  /** Returns the stream name under which a key may publish, or null if it may not. */
  publish(hook: Hook): Promise<string | null>
  done(hook: Hook): Promise<void>
  play(hook: Hook): boolean
}

export interface Hooks {
  url: string
  close(): Promise<void>
}

const largestBody = 64 * 2 ** 10

/**
 * Maximum number of concurrent key lookups, and of publishers that wait for a lookup. Unauthenticated clients can cause
 * lookups.
 */
const [mostLookups, mostWaiting] = [8, 256]

/** Opens the endpoint on loopback, under a secret path that only nginx knows. */
export async function openHooks(handlers: HookHandlers): Promise<Hooks> {
  const secret = randomBytes(24).toString('base64url')
  const lookups = createSlots(mostLookups, mostWaiting)
  const server = createServer((request, reply) => {
    const [, given, kind] = (request.url ?? '').split('/')
    const answer = async () =>
      given === secret ? await answerTo(kind, readHook(await bodyOf(request)), handlers, lookups) : 404
    const send = (answered: number | string) => {
      // nginx renames the stream to the name in Location, so that players do not see the key.
      if (typeof answered === 'string') reply.writeHead(302, { location: answered })
      else reply.writeHead(answered)
      reply.end()
    }
    answer().then(send, (error: Error) => {
      log.error({ err: error, hook: kind }, 'a live ingest hook failed; the publisher was rejected')
      send(500)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/${secret}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answerTo(
  kind: string | undefined,
  hook: Hook,
  handlers: HookHandlers,
  lookups: Slots,
): Promise<number | string> {
  if (kind === 'publish') {
    using _ = await lookups.take()
    return (await handlers.publish(hook)) ?? 403
  }
  if (kind === 'play') return handlers.play(hook) ? 200 : 403
  if (kind === 'done') await handlers.done(hook)
  return 200
}

async function bodyOf(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length
    if (bytes > largestBody) throw new Error('The body of a hook is too large.')
    chunks.push(chunk as Buffer)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString())
}

function readHook(body: URLSearchParams): Hook {
  const text = (name: string) => body.get(name) ?? ''
  return { name: text('name'), client: text('clientid'), address: text('addr'), token: text('t') }
}
