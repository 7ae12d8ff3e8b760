import { openDocument } from '../http/pages/open-routes.ts'
import { route } from '../http/route.ts'
import { library } from './library.ts'

export const collection = route({
  ...openDocument,
  path: '/docs/postman.json',
  summary: 'Get all operations as a Postman collection',
  hidden: true,
  async handle({ ctx, origin, services }) {
    ctx.set('cache-control', 'no-cache')
    ctx.set('content-disposition', 'attachment; filename="millrace.postman_collection.json"')
    ctx.type = 'application/json'
    ctx.body = services(library).postmanFor(origin)
  },
})
