import { service } from '../http/container.ts'
import { catalogue, documents } from '../http/services.ts'
import { type Reference, readReference } from './document/reference.ts'
import { withTables } from './document/tables.ts'
import type { Guide } from './guides.ts'

/** What the pages are made of that depends on what this process serves. */
export interface Library {
  /** The operations of the API, read at the first look: the whole document is a megabyte. */
  reference(): Reference
  /** A guide's Markdown with the tables that are made from code. */
  markdownOf(guide: Guide): string
}

/** The library of one process. */
export const library = service<Library>({
  name: 'docs.library',
  open: ({ services }) => createLibrary(() => readReference(services(documents).textOf('/'), services(catalogue))),
})

function createLibrary(read: () => Reference): Library {
  let known: Reference | undefined
  const texts = new Map<string, string>()
  const reference = () => {
    known ??= read()
    return known
  }
  return {
    reference,
    markdownOf(guide) {
      const text = texts.get(guide.name) ?? withTables(guide.markdown, reference())
      texts.set(guide.name, text)
      return text
    },
  }
}
