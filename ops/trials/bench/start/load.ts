import { enableCompileCache } from 'node:module'
import { sendResult } from '../child.ts'

// As `npm start` does.
enableCompileCache('node_modules/.cache/node')

/** Loads the modules of the first argument. Sends the CPU seconds of the process since its start. */
for (const path of JSON.parse(process.argv[2] ?? '[]') as string[]) {
  const loaded = await import(new URL(`../../../../${path}`, import.meta.url).href)
  await loaded.allDeclarations?.()
}
const { user, system } = process.cpuUsage()
sendResult((user + system) / 1e6)
process.exit(0)
