import { parseArgs } from 'node:util'
import { runMain } from '../run-main.ts'
import { startTelephones } from './server.ts'

const usage = `usage: node ops/embedded/telephones/main.ts [--port 0]
Answers every SIP call on 127.0.0.1 and plays a tone. No real phone is called.`

await runMain(async () => {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } })
  const port = Number(values.port)
  if (!Number.isSafeInteger(port) || port < 0 || port > 65_535) throw new Error(usage)
  const telephones = await startTelephones({ host: '127.0.0.1', port })
  process.stdout.write(`telephones listening on 127.0.0.1:${telephones.port}\n`)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => telephones.close())
})
