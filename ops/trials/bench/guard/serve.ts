/** Runs the ingress with the guard area in its own process. Sends its port. */
import { guard } from '../../../../ingress/guard/index.ts'
import { provide } from '../../../../ingress/http/container.ts'
import { signingSecret } from '../../../../ingress/http/services.ts'
import { serveAreas } from '../served.ts'

const { url } = JSON.parse(process.argv[2] ?? '{}') as { url: string }
const services = [provide(signingSecret, 'a secret of the benchmark, of 32 characters')]
await serveAreas(url, { areas: [guard], services, trustedProxies: ['127.0.0.1'] })
