import type { Operation } from '../http/area.ts'
import { service } from '../http/container.ts'
import type { Html } from '../http/html/html.ts'
import { catalogue, documents, toolOperations } from '../http/services.ts'
import { areaDocument } from './document/area-document.ts'
import { operationPage } from './document/operation-page.ts'
import { type Reference, type ReferenceOperation, readReference } from './document/reference.ts'
import { withTables } from './document/tables.ts'
import type { Guide } from './guides.ts'
import { type Heading, renderGuide } from './markdown.ts'

/** Parts of pages that depend on the operations of this process. Each part is created once, when it is first used. */
export interface Library {
  reference(): Reference
  /** Returns a guide with its generated tables. */
  markdownOf(guide: Guide): string
  pageOf(guide: Guide): { body: Html; headings: Heading[] }
  operationPageOf(operation: ReferenceOperation): Html
  /** Returns the OpenAPI document of an area as JSON, or undefined if the area has no operations. */
  areaDocumentOf(area: string): string | undefined
}

export const library = service<Library>({
  name: 'docs.library',
  open({ services }) {
    const text = () => services(documents).textOf()
    return createLibrary(text, () => readReference(text(), services(catalogue)), services(toolOperations))
  },
})

function createLibrary(text: () => string, read: () => Reference, tools: readonly Operation[]): Library {
  const reference = once(read, () => '')
  const markdownOf = once((guide: Guide) => withTables(guide.markdown, reference(), tools), nameOf)
  const documentOf = once((area: string) => areaDocument(text(), area, reference().operations), String)
  return {
    reference,
    markdownOf,
    pageOf: once((guide: Guide) => renderGuide(guide, markdownOf(guide)), nameOf),
    operationPageOf: once((operation: ReferenceOperation) => operationPage(operation, reference()), idOf),
    areaDocumentOf: (area) => (reference().descriptions.has(area) ? documentOf(area) : undefined),
  }
}

const nameOf = ({ name }: Guide) => name
const idOf = ({ id }: ReferenceOperation) => id

/** Caches the results of a function by name. The number of names is limited. */
function once<Of extends unknown[], Made>(make: (...of: Of) => Made, name: (...of: Of) => string): (...of: Of) => Made {
  const made = new Map<string, { it: Made }>()
  return (...of) => {
    const known = made.get(name(...of)) ?? { it: make(...of) }
    made.set(name(...of), known)
    return known.it
  }
}
