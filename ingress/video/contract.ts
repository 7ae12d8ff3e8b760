import { docsPage } from '../http/docs.ts'
import { route } from '../http/route.ts'
import { documents } from '../http/services.ts'

/** `GET /v1/stream/docs`: the video API for people. */
export const docs = route({
  ...docsPage('Millrace video API', '/v1/stream/openapi.json'),
  path: '/docs',
  summary: 'Human-readable documentation',
})

/** `GET /v1/stream/openapi.json`: the contract of the video API. */
export const document = route({
  method: 'GET',
  path: '/openapi.json',
  summary: 'Machine-readable contract',
  public: true,
  ignoresOtherQuery: true,
  withoutDatabase: true,
  cors: true,
  status: 200,
  raw: 'application/json',
  async handle({ ctx, origin, services }) {
    await services(documents).send(ctx, origin, 'video')
  },
})
