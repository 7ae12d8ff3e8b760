import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { runMain } from '../run-main.ts'
import { sandboxAccountSid } from './account.ts'
import { startSmsSandbox } from './server.ts'

const usage = `usage: node ops/embedded/sms/main.ts --credentials FILE [--host 127.0.0.1] [--port 0]
A sandbox of an SMS provider. Messages are shown on a test phone on its page and not delivered.
FILE is JSON with sms_auth_token.`

const Credentials = z.object({ sms_auth_token: z.string() })

await runMain(main)

async function main(): Promise<void> {
  const text = { type: 'string' } as const
  const { values } = parseArgs({ options: { host: text, port: text, credentials: text } })
  const port = Number(values.port ?? 0)
  if (!values.credentials || !Number.isSafeInteger(port)) throw new Error(usage)
  const credentials = Credentials.parse(JSON.parse(await readFile(values.credentials, 'utf8')))
  const sandbox = await startSmsSandbox({
    host: values.host ?? '127.0.0.1',
    port,
    accountSid: sandboxAccountSid,
    authToken: credentials.sms_auth_token,
  })
  process.stdout.write(`sms sandbox listening on ${sandbox.url}\n`)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void sandbox.close())
}
