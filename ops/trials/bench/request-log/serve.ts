/** Runs the ingress with the benchmark area, with or without the request log, in its own process. Sends its port. */
import { serveAreas } from '../served.ts'
import { reads } from './area.ts'

const { url, logged } = JSON.parse(process.argv[2] ?? '{}') as { url: string; logged: boolean }
await serveAreas(url, { areas: [reads], keyCacheMs: 60_000, ...(logged ? {} : { requestLog: false }) })
