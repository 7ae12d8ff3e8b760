import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { runMain } from '../run-main.ts'
import { startWhatsappSandbox } from './server.ts'

const usage = `usage: node ops/embedded/whatsapp/main.ts --dir DIR --credentials FILE --webhook URL [--host 127.0.0.1] [--port 0]
A sandbox of WhatsApp's Cloud API. Messages are shown on a test phone on its page and not delivered.
FILE is JSON with whatsapp_access_token, whatsapp_app_secret and whatsapp_verify_token.`

const Credentials = z.object({
  whatsapp_access_token: z.string(),
  whatsapp_app_secret: z.string(),
  whatsapp_verify_token: z.string(),
})

await runMain(main)

async function main(): Promise<void> {
  const text = { type: 'string' } as const
  const { values } = parseArgs({ options: { host: text, port: text, dir: text, credentials: text, webhook: text } })
  const port = Number(values.port ?? 0)
  if (!values.dir || !values.credentials || !values.webhook || !Number.isSafeInteger(port)) throw new Error(usage)
  const credentials = Credentials.parse(JSON.parse(await readFile(values.credentials, 'utf8')))
  const sandbox = await startWhatsappSandbox({
    host: values.host ?? '127.0.0.1',
    port,
    dir: values.dir,
    webhook: values.webhook,
    accessToken: credentials.whatsapp_access_token,
    appSecret: credentials.whatsapp_app_secret,
    verifyToken: credentials.whatsapp_verify_token,
  })
  process.stdout.write(`whatsapp sandbox listening on ${sandbox.url}\n`)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void sandbox.close())
}
