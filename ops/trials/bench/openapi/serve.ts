/** Runs the ingress with the document of all areas in its own process. Sends its port. */
import { areas } from '../../../../ingress/areas.ts'
import { area } from '../../../../ingress/http/area.ts'
import { createDocuments } from '../../../../ingress/http/openapi/document.ts'
import { openDocument } from '../../../../ingress/http/pages/open-routes.ts'
import { route } from '../../../../ingress/http/route.ts'
import { serveAreas } from '../served.ts'

const { url } = JSON.parse(process.argv[2] ?? '{}') as { url: string }
const documents = createDocuments(areas)
const document = route({
  ...openDocument,
  path: '/openapi.json',
  summary: 'Get the document of all areas',
  handle: async ({ ctx }) => await documents.send(ctx),
})
const bench = area({
  name: 'bench',
  title: 'Bench',
  description: 'Requests of the document benchmark.',
  base: '/v1/bench',
  routes: { documents: { document } },
})
await serveAreas(url, { areas: [bench] })
