import MiniSearch from 'minisearch'
import { type Services, service } from '../http/container.ts'
import type { Finder } from '../http/dashboard/finders.ts'
import { docsHref } from '../http/hosts.ts'
import { listEntries } from './search.ts'

const most = 8

/** Sections per step while the index is created, so that other requests are not delayed. */
const chunkSize = 50

/** Maximum number of words that a search uses, because each one costs time of the process that answers all requests. */
const mostWords = 6

/** Search index of the documentation for the dashboard. It is created at the first search. */
export const docsIndex = service({
  name: 'docs.index',
  open({ services }) {
    let made: Promise<MiniSearch> | undefined
    return async () => {
      made ??= createIndex(listEntries(services)).catch((error: unknown) => {
        made = undefined
        throw error
      })
      return await made
    }
  },
})

async function createIndex(entries: ReturnType<typeof listEntries>): Promise<MiniSearch> {
  const index = new MiniSearch({
    fields: ['title', 'of', 'text'],
    storeFields: ['title', 'of', 'href'],
    searchOptions: {
      // The start of a short word fits hundreds of words.
      prefix: (term, at, all) => term.length > 2 || at === all.length - 1,
      fuzzy: (term) => term.length > 4 && 0.3,
      maxFuzzy: 2,
      boost: { title: 3, of: 2 },
      combineWith: 'AND',
    },
  })
  await index.addAllAsync(entries, { chunkSize })
  return index
}

/** Returns the sections of guides, operations and events that fit the text best. */
export async function searchDocs(
  services: Services,
  text: string,
  count: number,
): Promise<{ title: string; of: string; href: string }[]> {
  const index = await services(docsIndex)()
  return index
    .search(wordsOf(text).join(' '))
    .slice(0, count)
    .map(({ title, of, href }) => ({ title, of, href }))
}

/** Finds sections of guides, operations and events for the search of the dashboard. */
export const docsFinder: Finder = {
  async find({ services, text }) {
    if (text.length < 2) return []
    const found = await searchDocs(services, text, most)
    return found.map(({ title, of, href }) => ({
      title,
      kind: `Docs: ${of}`,
      href: docsHref + href.slice('/docs'.length),
    }))
  },
}

const wordsOf = (text: string): string[] =>
  [...new Set(text.toLowerCase().split(/[^\p{L}\p{N}]+/u))].filter((word) => word !== '').slice(0, mostWords)
