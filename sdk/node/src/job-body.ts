import { MillraceError } from './errors.ts'
import { WebhookVerificationError } from './signatures.ts'

/** Maximum bytes of a body that is read from a stream. The bodies of jobs have at most 256 KiB, with results of a flow 1 MiB. */
const maxBytes = 4 * 2 ** 20

interface Received {
  body?: unknown
  rawBody?: unknown
  /** Koa and Fastify wrap the request of Node. */
  req?: unknown
  raw?: unknown
}

/** Returns the unparsed body of a request. Throws if a middleware has parsed it. */
export async function readBody(request: Request | Received): Promise<Uint8Array<ArrayBuffer>> {
  const { rawBody } = request as Received
  for (const given of [rawBody, request.body]) {
    if (typeof given === 'string') return new TextEncoder().encode(given)
    if (given instanceof Uint8Array) return Uint8Array.from(given)
  }
  if (request.body instanceof ReadableStream) return joined(bytesOf(request.body))
  if (isParsed(request)) {
    throw new MillraceError(
      'The body of the request is parsed. Pass the unparsed body as `rawBody`, for example with `express.raw()`.',
    )
  }
  const { req, raw } = request as Received
  const stream = [request, req, raw].find(isIterable)
  return stream ? joined(stream) : new Uint8Array(0)
}

/** Frameworks leave `body` undefined, `null` or `{}` if they have not read it. A read stream has no more bytes. */
function isParsed(request: Received & { readableEnded?: unknown }): boolean {
  const { body, readableEnded } = request
  if (readableEnded === true) return true
  return typeof body === 'object' && body !== null && Object.keys(body).length > 0
}

const isIterable = (given: unknown): given is AsyncIterable<Uint8Array> =>
  typeof given === 'object' && given !== null && Symbol.asyncIterator in given

/** Safari cannot iterate over streams, so this reads with a reader. */
async function* bytesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value
  } finally {
    await reader.cancel()
  }
}

async function joined(parts: AsyncIterable<Uint8Array | string>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const part of parts) {
    const bytes = typeof part === 'string' ? new TextEncoder().encode(part) : part
    length += bytes.length
    if (length > maxBytes) throw new WebhookVerificationError(`The body is longer than ${maxBytes} bytes.`)
    chunks.push(bytes)
  }
  const whole = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}
