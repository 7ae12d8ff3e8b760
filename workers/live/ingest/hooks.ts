import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { log } from '#lib/log.ts'
import { createSlots, type Slots } from '#lib/slots.ts'

/** What nginx asks of a publisher or player; `client` is the number that it gives a connection. */
export interface Hook {
  name: string
  client: string
  address: string
  /** Argument `t` of the stream's name. */
  token: string
}

/** What nginx's hooks are answered by. */
export interface HookHandlers {
  /** The stream that somebody with this key may publish, null when they may not. */
  publish(hook: Hook): Promise<string | null>
  /** A publisher is gone. */
  done(hook: Hook): Promise<void>
  play(hook: Hook): boolean
}

/** The endpoint that nginx asks. */
export interface Hooks {
  url: string
  close(): Promise<void>
}

const largestBody = 64 * 2 ** 10

/** Publishers whose keys are looked up at once, and those who wait for it: any stranger may name a key. */
const [mostLookups, mostWaiting] = [8, 256]

/** Opens the endpoint on loopback, under a path that only nginx is told. */
export async function openHooks(handlers: HookHandlers): Promise<Hooks> {
  const secret = randomBytes(24).toString('base64url')
  const lookups = createSlots(mostLookups, mostWaiting)
  const server = createServer((request, reply) => {
    const [, given, kind] = (request.url ?? '').split('/')
    const answer = async () =>
      given === secret ? await answerTo(kind, readHook(await bodyOf(request)), handlers, lookups) : 404
    const send = (answered: number | string) => {
      // nginx gives the stream the name in Location, so that its key is known to nobody who plays it.
      if (typeof answered === 'string') reply.writeHead(302, { location: answered })
      else reply.writeHead(answered)
      reply.end()
    }
    answer().then(send, (error: Error) => {
      log.error({ err: error, hook: kind }, 'a hook of live ingest failed and the publisher was refused')
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

/** The name of a stream, or a status. */
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
