import { z } from 'zod'
import { nodePath } from '../../sdk/generate/methods.ts'
import type { OperationEntry } from '../http/openapi/document.ts'
import { route } from '../http/route.ts'
import { catalogue } from '../http/services.ts'
import { guides } from './guides.ts'
import { sectionsOf } from './markdown.ts'

/** Characters of a section that are searched. */
const searched = 1500

const Entry = z.object({ id: z.int(), href: z.string(), title: z.string(), of: z.string(), text: z.string() })

/** Something that can be found: a section of a guide, or an operation. */
type Entry = z.infer<typeof Entry>

/** Made at the first search: it reads every guide through. */
let ofGuides: readonly Omit<Entry, 'id'>[] | undefined

const readGuides = (): readonly Omit<Entry, 'id'>[] =>
  guides().flatMap((guide) =>
    sectionsOf(guide).map(({ heading, anchor, text }) => ({
      href: `/docs/guides/${guide.name}${anchor ? `#${anchor}` : ''}`,
      title: heading,
      of: guide.title,
      text: text.slice(0, searched),
    })),
  )

const ofOperation = ({ id, method, path, summary, area }: OperationEntry): Omit<Entry, 'id'> => ({
  href: `/docs/reference/${area.name}#/${area.name}/${id}`,
  title: summary,
  of: `${method} ${path}`,
  text: `${id} ${nodePath(id).join('.')} ${area.title}`,
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
    ofGuides ??= readGuides()
    const entries = [...services(catalogue).map(ofOperation), ...ofGuides]
    return { entries: entries.map((entry, id) => ({ id, ...entry })) }
  },
})
