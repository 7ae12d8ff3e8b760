/** An ingress with the wiki alone, in a process of its own; answers its port. */
import { wiki } from '../../../ingress/wiki/index.ts'
import { serveAreas } from '../served.ts'

const { url } = JSON.parse(process.argv[2] ?? '{}') as { url: string }
await serveAreas(url, { areas: [wiki] })
