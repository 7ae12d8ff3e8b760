/** Runs the ingress with the benchmark area in its own process. Sends its port. */
import { serveAreas } from '../served.ts'
import { bench } from './area.ts'

const { url } = JSON.parse(process.argv[2] ?? '{}') as { url: string }
await serveAreas(url, { areas: [bench] })
