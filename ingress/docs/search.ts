import { z } from 'zod'
import { nodePath } from '../../sdk/generate/methods.ts'
import type { OperationEntry } from '../http/openapi/document.ts'
import { referenceUrl } from '../http/openapi/viewer.ts'
import { route } from '../http/route.ts'
import { catalogue } from '../http/services.ts'
import { guides } from './guides.ts'
import { type Library, library } from './library.ts'
import { sectionsOf } from './markdown.ts'

/** Characters of a section that are searched. */
const searched = 3000

const Entry = z.object({ id: z.int(), href: z.string(), title: z.string(), of: z.string(), text: z.string() })

/** Something that can be found: a section of a guide, a row of its tables, or an operation. */
type Entry = z.infer<typeof Entry>

/** Made at the first search of each process: it reads every guide through. */
const ofGuides = new WeakMap<Library, readonly Omit<Entry, 'id'>[]>()

const readGuides = (made: Library): readonly Omit<Entry, 'id'>[] =>
  guides().flatMap((guide) =>
    sectionsOf(guide, made.markdownOf(guide)).map(({ heading, anchor, text }) => ({
      href: `/docs/guides/${guide.name}${anchor ? `#${anchor}` : ''}`,
      title: heading,
      of: guide.title,
      text: text.slice(0, searched),
    })),
  )

/** Other words by which what an operation does is looked for. */
const alsoCalled: Record<string, string> = {
  POST: 'create add new make',
  GET: 'get read',
  DELETE: 'delete remove',
  PATCH: 'update change edit',
  PUT: 'update set replace',
}

const ofOperation = ({ id, method, path, summary, area }: OperationEntry): Omit<Entry, 'id'> => ({
  href: referenceUrl(id),
  title: summary,
  of: `${method} ${path}`,
  text: `${id} ${nodePath(id).join('.')} ${area.title} ${alsoCalled[method] ?? ''}`,
})

/** `GET /docs/search.json`: what the search of the documentation looks through. */
export const index = route({
  method: 'GET',
  path: '/docs/search.json',
  summary: 'What can be found in the documentation',
  public: true,
  ignoresOtherQuery: true,
  withoutDatabase: true,
  hidden: true,
  status: 200,
  reply: z.object({ entries: z.array(Entry) }),
  async handle({ services }) {
    const made = services(library)
    const read = ofGuides.get(made) ?? readGuides(made)
    ofGuides.set(made, read)
    const entries = [...services(catalogue).map(ofOperation), ...read]
    return { entries: entries.map((entry, id) => ({ id, ...entry })) }
  },
})
