/** Runs an ingress with only the push area in its own process. Sends its port. */
import { provide } from '../../../../ingress/http/container.ts'
import { signingSecret } from '../../../../ingress/http/services.ts'
import { push } from '../../../../ingress/push/index.ts'
import { serveAreas } from '../served.ts'

const { url, secret } = JSON.parse(process.argv[2] ?? '{}') as { url: string; secret: string }
await serveAreas(url, { areas: [push], services: [provide(signingSecret, secret)] })
