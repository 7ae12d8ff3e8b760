/** An ingress that takes beacons and is killed; its argument is the address of its database. */
import { openPool } from '#sql/db.ts'
import { createApp } from '../../ingress/http/app.ts'
import { provide } from '../../ingress/http/container.ts'
import { listen } from '../../ingress/http/server.ts'
import { signingSecret as secretService } from '../../ingress/http/services.ts'
import { video } from '../../ingress/video/index.ts'
import { signingSecret } from '../support/video-stack.ts'

const db = await openPool(process.argv[2] ?? '')
const services = [provide(secretService, signingSecret)]
const server = await listen(createApp({ db, areas: [video], services, trustedProxies: ['127.0.0.1'] }), '127.0.0.1', 0)
console.log(server.port)
