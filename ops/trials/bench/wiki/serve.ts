/** Runs an ingress with only the wiki in its own process. Sends its port. */
import { wiki } from '../../../../ingress/wiki/index.ts'
import { serveAreas } from '../served.ts'

const { url } = JSON.parse(process.argv[2] ?? '{}') as { url: string }
await serveAreas(url, { areas: [wiki] })
