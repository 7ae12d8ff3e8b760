import { timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { config } from '#lib/config.ts'
import { randomText } from '#lib/tokens.ts'
import { service } from '../http/container.ts'
import { bindPort } from '../http/server.ts'

/** Images by name. Names have no slash. */
export type Images = Readonly<Record<string, Buffer>>

/** Images that are held for a worker. Disposal overwrites and removes them. */
export interface HeldImages extends Disposable {
  /** URL for workers: `<address>/<name>`, with the token. */
  address: string
  token: string
}

export interface FaceImages {
  hold(images: Images): Promise<HeldImages>
  close(): Promise<void>
}

export const faceImages = service<FaceImages>({
  name: 'identity.face-images',
  open: () => createFaceImages({ host: hostOf(), port: config.FACE_IMAGES_PORT }),
  close: (images) => images.close(),
})

/**
 * Returns the host under which workers reach this process. If the process listens on all IP addresses, returns the
 * first external IP address of the machine.
 */
function hostOf(): string {
  if (config.FACE_IMAGES_HOST) return config.FACE_IMAGES_HOST
  if (config.HOST !== '0.0.0.0' && config.HOST !== '::') return config.HOST
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
  return addresses.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.1'
}

export function createFaceImages({ host, port }: { host: string; port: number }): FaceImages {
  const held = new Map<string, { token: string; images: Images }>()
  let opening: Promise<{ server: Server; origin: string }> | undefined

  const open = async () => {
    const server = createServer((req, res) => answer(req, res, held))
    await bindPort(server, host, port, 'FACE_IMAGES_PORT')
    server.unref()
    const { port: opened } = server.address() as AddressInfo
    return { server, origin: `http://${isIPv6(host) ? `[${host}]` : host}:${opened}` }
  }

  return {
    async hold(images) {
      opening ??= open().catch((error) => {
        opening = undefined
        throw error
      })
      const { origin } = await opening
      const [id, token] = [randomText(), randomText()]
      held.set(id, { token, images })
      return {
        address: `${origin}/${id}`,
        token,
        [Symbol.dispose]() {
          held.delete(id)
          for (const image of Object.values(images)) image.fill(0)
        },
      }
    },
    async close() {
      const { server } = (await opening) ?? {}
      server?.closeAllConnections()
      server?.close()
    },
  }
}

function answer(
  req: IncomingMessage,
  res: ServerResponse,
  held: ReadonlyMap<string, { token: string; images: Images }>,
) {
  const [, id = '', name = ''] = (req.url ?? '').split('/')
  const found = held.get(id)
  const isTheirs = found && isEqual(req.headers.authorization ?? '', `Bearer ${found.token}`)
  const bytes = isTheirs && Object.hasOwn(found.images, name) ? found.images[name] : undefined
  if (!bytes || req.method !== 'GET') {
    res.writeHead(404).end()
    return
  }
  res.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': bytes.length }).end(bytes)
}

function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
