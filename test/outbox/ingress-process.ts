/** An ingress process with the areas of the outbox tests. Arguments: URL of the database, port. */
import { areas } from '../../ingress/areas.ts'
import { createApp } from '../../ingress/http/app.ts'
import { listen } from '../../ingress/http/server.ts'
import { openPool } from '../../sql/db.ts'

const [, , url = '', port = ''] = process.argv
const served = areas.filter(({ name }) => name === 'notify')
const app = createApp({ db: await openPool(url), areas: served, databaseTimeoutMs: 10_000 })
await listen(app, '127.0.0.1', Number(port))
console.log('ready')
