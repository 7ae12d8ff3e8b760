/** An ingress process for tests. `INGRESS` contains its database and the module whose `areas` it serves. */
import { startTracing, tracing } from '#lib/telemetry/tracing.ts'
import { createApp } from '../../ingress/http/app.ts'
import type { Area } from '../../ingress/http/area.ts'
import { listen } from '../../ingress/http/server.ts'
import { openPool } from '../../sql/db.ts'

const { url, module }: { url: string; module: string } = JSON.parse(process.env.INGRESS ?? '{}')
await startTracing()
const { areas }: { areas: Area[] } = await import(module)
const server = await listen(createApp({ db: await openPool(url), areas, databaseTimeoutMs: 10_000 }), '127.0.0.1', 0)
console.log(`ready ${server.port}`)
process.stdin.on('end', () => void Promise.resolve(tracing()?.stop()).then(() => process.exit(0))).resume()
