import { nodePath } from '../../sdk/generate/methods.ts'
import { type Services, service } from '../http/container.ts'
import type { OperationEntry } from '../http/openapi/document.ts'
import { documentSender } from '../http/openapi/sender.ts'
import { referenceUrl } from '../http/openapi/viewer.ts'
import { openPage } from '../http/pages/open-routes.ts'
import { route } from '../http/route.ts'
import { catalogue } from '../http/services.ts'
import { eventUrl } from './document/tables.ts'
import { guides } from './guides.ts'
import { type Library, library } from './library.ts'
import { sectionsOf } from './markdown.ts'

/** Maximum number of a section's characters in the index. */
const searched = 3000

/** A section of a guide, a table row, an event or an operation. */
interface Entry {
  href: string
  title: string
  of: string
  text: string
}

const ofGuides = (made: Library): Entry[] =>
  guides().flatMap((guide) =>
    sectionsOf(guide, made.markdownOf(guide)).map(({ heading, anchor, text }) => ({
      href: `/docs/guides/${guide.name}${anchor ? `#${anchor}` : ''}`,
      title: heading,
      of: guide.title,
      text: text.slice(0, searched),
    })),
  )

/** Search synonyms for each HTTP method. */
const alsoCalled: Record<string, string> = {
  POST: 'create add new make',
  GET: 'get read',
  DELETE: 'delete remove',
  PATCH: 'update change edit',
  PUT: 'update set replace',
}

const ofOperation = ({ id, method, path, summary, area }: OperationEntry): Entry => ({
  href: referenceUrl(id),
  title: summary,
  of: `${method} ${path}`,
  text: `${id} ${nodePath(id).join('.')} ${area.title} ${alsoCalled[method] ?? ''}`,
})

const ofEvents = (made: Library): Entry[] =>
  [...made.reference().events.values()].map(({ type, summary }) => ({
    href: eventUrl(type),
    title: type,
    of: 'Webhook event',
    text: summary,
  }))

export function listEntries(services: Services): (Entry & { id: number })[] {
  const made = services(library)
  const entries = [...services(catalogue).map(ofOperation), ...ofGuides(made), ...ofEvents(made)]
  return entries.map((entry, id) => ({ id, ...entry }))
}

/** The index is created at the first search, because that requires reading every guide. */
export const searchIndex = service<ReturnType<typeof documentSender>>({
  name: 'docs.search',
  open: ({ services }) =>
    documentSender(() => {
      return JSON.stringify({ entries: listEntries(services) })
    }),
})

export const index = route({
  ...openPage,
  path: '/docs/search.json',
  summary: 'Get the search index of the documentation',
  raw: 'application/json',
  async handle({ ctx, services }) {
    await services(searchIndex)(ctx)
  },
})
