/** `npx millrace`: shows and operates a fleet in a terminal. */
import { enableCompileCache } from 'node:module'

// Reduces the start time, because imports are read from the compile cache.
enableCompileCache()

const { main } = await import('./cli/main.ts')
process.stdout.on('error', () => process.exit(0))
process.exit(await main(process.argv.slice(2)))
