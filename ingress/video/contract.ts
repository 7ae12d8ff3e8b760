import { docsPage } from '../http/openapi/viewer.ts'
import { openDocument } from '../http/pages/open-routes.ts'
import { route } from '../http/route.ts'
import { documents } from '../http/services.ts'

export const docs = route({
  ...docsPage('Millrace video API', '/v1/stream', '/v1/stream/openapi.json'),
  path: '/docs',
  summary: 'Get the documentation page',
  description: 'Returns a page that lists the operations of the video area.',
})

export const document = route({
  ...openDocument,
  path: '/openapi.json',
  summary: 'Get the OpenAPI document',
  description: 'Returns the OpenAPI 3.1 document of the video area.',
  async handle({ ctx, services }) {
    await services(documents).send(ctx, '/v1/stream')
  },
})
