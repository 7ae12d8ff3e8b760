/** The ingress with the bench's area, in a process of its own; answers its port. */
import { serveAreas } from '../served.ts'
import { bench } from './area.ts'

const { url } = JSON.parse(process.argv[2] ?? '{}') as { url: string }
await serveAreas(url, { areas: [bench] })
