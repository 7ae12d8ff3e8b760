import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Context } from 'koa'
import { notFound } from '#lib/errors.ts'

export interface StaticFile {
  type: string
  read: () => Promise<Buffer | string>
}

interface LoadedFile {
  plain: Buffer
  zipped: Buffer | undefined
}

const zip = promisify(gzip)
const text = /^text\/|json|svg/

export function fileSender(files: Readonly<Record<string, StaticFile>>) {
  const loaded = new Map<string, Promise<LoadedFile>>()

  return async function send(ctx: Context, name: string, cacheControl: string): Promise<void> {
    const known = Object.hasOwn(files, name) ? files[name] : undefined
    if (!known) throw notFound('file')
    const loading = loaded.get(name) ?? load(known)
    loaded.set(name, loading)
    const { plain, zipped } = await loading
    const zips = zipped !== undefined && ctx.acceptsEncodings('gzip', 'identity') === 'gzip'
    ctx.body = zips ? zipped : plain
    ctx.type = known.type
    ctx.set('cache-control', cacheControl)
    ctx.vary('accept-encoding')
    if (zips) ctx.set('content-encoding', 'gzip')
  }
}

async function load({ type, read }: StaticFile): Promise<LoadedFile> {
  const plain = Buffer.from(await read())
  return { plain, zipped: text.test(type) ? await zip(plain, { level: 9 }) : undefined }
}

/** Sends a file of a version, for web pages of any origin. Throws 404 for other versions. */
export async function sendVersioned(
  ctx: Context,
  send: ReturnType<typeof fileSender>,
  version: string,
  { params }: { params: { version: string; file: string } },
): Promise<void> {
  if (params.version !== version) throw notFound('file')
  ctx.set('cross-origin-resource-policy', 'cross-origin')
  await send(ctx, params.file, 'public, max-age=31536000, immutable')
}
