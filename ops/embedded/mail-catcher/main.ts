import { parseArgs } from 'node:util'
import { config } from '#lib/config.ts'
import { runMain } from '../run-main.ts'
import { startMailCatcher } from './server.ts'

const usage = `usage: node ops/embedded/mail-catcher/main.ts --dir DIR [--host 127.0.0.1] [--smtp-port 0] [--http-port 0]
         [--keep 1000] [--keep-bytes 268435456]
Catches all email and shows it on a page. DATABASE_URL is the database with the DKIM keys for verifying signatures.`

await runMain(main)

async function main(): Promise<void> {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    options: { host: text, dir: text, 'smtp-port': text, 'http-port': text, keep: text, 'keep-bytes': text },
  })
  const number = (name: keyof typeof values, initial: number) => {
    const value = Number(values[name] ?? initial)
    if (!Number.isSafeInteger(value) || value < 0) throw new Error(usage)
    return value
  }
  if (!values.dir) throw new Error(usage)
  const catcher = await startMailCatcher({
    host: values.host ?? '127.0.0.1',
    dir: values.dir,
    smtpPort: number('smtp-port', 0),
    httpPort: number('http-port', 0),
    bounds: { messages: number('keep', 1_000), bytes: number('keep-bytes', 256 * 1024 ** 2) },
    databaseUrl: config.DATABASE_URL,
  })
  process.stdout.write(`mail catcher listening on ${catcher.url} and smtp://127.0.0.1:${catcher.smtpPort}\n`)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void catcher.close())
}
