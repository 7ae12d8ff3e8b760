/** An ingress with the directory alone, in a process of its own; answers its port. */
import { directory } from '../../../ingress/directory/index.ts'
import { serveAreas } from '../served.ts'

const { url } = JSON.parse(process.argv[2] ?? '{}') as { url: string }
await serveAreas(url, { areas: [directory] })
