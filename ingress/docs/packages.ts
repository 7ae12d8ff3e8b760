import { hash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { matchesEtag } from '../http/etag.ts'
import { openFile } from '../http/pages/open-routes.ts'
import { route } from '../http/route.ts'

/** Folder of the packed clients. `sdk/pack.sh` writes it before the start. */
const folder = new URL('../../sdk/packages/', import.meta.url)

const short = {
  'node.tgz': /^millrace-\d[^/]*\.tgz$/,
  'python.whl': /\.whl$/,
  'php.tgz': /^millrace-php-\d[^/]*\.tgz$/,
  'go.tgz': /^millrace-go-\d[^/]*\.tgz$/,
} as const

type Short = keyof typeof short

const types = { tgz: 'application/gzip', whl: 'application/zip' } as const

const list = (): string[] => (existsSync(folder) ? readdirSync(folder).filter((name) => /\.(tgz|whl)$/.test(name)) : [])

export interface PackagePaths {
  node: string | undefined
  python: string | undefined
  php: string | undefined
  go: string | undefined
}

/** Returns the paths of the packages that this installation offers. */
export function packagePaths(): PackagePaths {
  const files = list()
  const named = (name: Short) => files.find((file) => short[name].test(file))
  const shortOf = (name: Short) => (named(name) ? `/sdk/${name}` : undefined)
  const wheel = named('python.whl')
  return {
    node: shortOf('node.tgz'),
    // pip reads the name and version of a package from the file name.
    python: wheel && `/sdk/${wheel}`,
    php: shortOf('php.tgz'),
    go: shortOf('go.tgz'),
  }
}

interface Loaded {
  bytes: Buffer
  tag: string
}

const loaded = new Map<string, Promise<Loaded>>()

async function load(name: string): Promise<Loaded> {
  const path = new URL(name, folder)
  const version = `${name} ${(await stat(path)).mtimeMs}`
  const loading =
    loaded.get(version) ??
    readFile(path).then((bytes) => ({ bytes, tag: `"${hash('sha256', bytes, 'base64url').slice(0, 27)}"` }))
  loaded.set(version, loading)
  return await loading
}

export const file = route({
  ...openFile,
  path: '/sdk/{file}',
  summary: 'Get a packed client library',
  params: z.object({ file: z.string().max(200) }),
  async handle({ ctx, params }) {
    const files = list()
    if (params.file === 'python.whl') {
      const { python } = packagePaths()
      if (!python) throw notFound('package')
      ctx.redirect(python)
      ctx.set('cache-control', 'no-cache')
      return
    }
    const pattern = params.file in short ? short[params.file as Short] : undefined
    const name = files.find((one) => (pattern ? pattern.test(one) : one === params.file))
    if (name === undefined) throw notFound('package')
    const { bytes, tag } = await load(name)
    ctx.set('etag', tag)
    ctx.set('cache-control', 'no-cache')
    ctx.set('x-content-type-options', 'nosniff')
    if (matchesEtag(ctx.get('if-none-match'), tag)) {
      ctx.status = 304
      return
    }
    ctx.type = types[name.endsWith('.tgz') ? 'tgz' : 'whl']
    ctx.body = bytes
  },
})
