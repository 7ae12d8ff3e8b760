import { readFile, stat } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runMain } from '../run-main.ts'
import { type Rule, readRules } from './protocol/lifecycle.ts'
import { readDocument } from './protocol/xml.ts'
import { startObjectStore } from './server.ts'

const usage = `usage: node ops/embedded/object-store/main.ts --dir DIR --credentials FILE --bucket NAME [--bucket NAME ...]
         [--host 127.0.0.1] [--port 0] [--region us-east-1] [--lifecycle RULES]
FILE contains {"access_key": "...", "secret_key": "..."} and must be readable only by its owner. RULES is a LifecycleConfiguration in
XML for buckets that have never had one.`

// Socket buffers become garbage immediately but stay until the young generation is full. A small young generation keeps
// 50 MB less of them.
setFlagsFromString('--semi-space-growth-factor=1')

await runMain(main)

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      host: { type: 'string', default: '127.0.0.1' },
      port: { type: 'string', default: '0' },
      region: { type: 'string', default: 'us-east-1' },
      dir: { type: 'string' },
      credentials: { type: 'string' },
      lifecycle: { type: 'string' },
      bucket: { type: 'string', multiple: true, default: [] },
    },
  })
  const { host, region, dir, credentials, lifecycle, bucket: buckets } = values
  const port = Number(values.port)
  if (!dir || !credentials || buckets.length === 0 || !Number.isInteger(port)) throw new Error(usage)
  const keys = await readCredentials(credentials)
  const rules = lifecycle && { rules: await readLifecycle(lifecycle) }
  const store = await startObjectStore({ host, port, dir, region, buckets, ...keys, ...(rules || {}) })
  process.stdout.write(`object store listening on ${store.url} (for a single host; all data is in ${dir})\n`)
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => {
      store.close().catch((error) => {
        process.stderr.write(`${error}\n`)
        process.exitCode = 1
      })
    })
}

async function readLifecycle(file: string): Promise<Rule[]> {
  try {
    return readRules(readDocument(await readFile(file, 'utf8'), 'LifecycleConfiguration'))
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`)
  }
}

async function readCredentials(file: string): Promise<{ accessKey: string; secretKey: string }> {
  if (((await stat(file)).mode & 0o077) !== 0) throw new Error(`${file} must be readable only by its owner (chmod 600)`)
  const { access_key: accessKey, secret_key: secretKey }: Record<string, unknown> = JSON.parse(
    await readFile(file, 'utf8'),
  )
  if (typeof accessKey !== 'string' || typeof secretKey !== 'string' || accessKey === '' || secretKey === '')
    throw new Error(`${file} must contain access_key and secret_key`)
  return { accessKey, secretKey }
}
