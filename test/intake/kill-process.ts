/** An ingress or a worker process to be killed. */
import '../support/work-environment.ts'
import type { Storage } from '#lib/storage/storage.ts'
import { openPool } from '#sql/db.ts'
import { createApp } from '../../ingress/http/app.ts'
import { provide } from '../../ingress/http/container.ts'
import { listen } from '../../ingress/http/server.ts'
import * as services from '../../ingress/http/services.ts'
import { intake } from '../../ingress/intake/index.ts'
import { createPoolPlan } from '../../workers/pools.ts'
import { startFleet } from '../../workers/runtime/fleet.ts'
import { signingSecret } from '../support/signing-secret.ts'

const [what = '', url = '', port = '0'] = process.argv.slice(2)
const db = await openPool(url)
if (what === 'ingress') {
  const app = createApp({ db, areas: [intake], services: [provide(services.signingSecret, signingSecret)] })
  await listen(app, '127.0.0.1', Number(port))
} else {
  const plan = await createPoolPlan('calls', {
    db,
    storage: undefined as unknown as Storage,
    ends: new AsyncDisposableStack(),
  })
  await startFleet(url, [plan], { lease: 60_000, sweep: 200, grace: 1_000 }, () => process.exit(1))
}
console.log('ready')
