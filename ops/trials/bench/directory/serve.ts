/** Runs an ingress with only the directory in its own process. Sends its port. */
import { directory } from '../../../../ingress/directory/index.ts'
import { serveAreas } from '../served.ts'

const { url } = JSON.parse(process.argv[2] ?? '{}') as { url: string }
await serveAreas(url, { areas: [directory] })
