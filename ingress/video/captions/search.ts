import type { DatabasePool } from '#sql/db.ts'
import * as captionSearch from '#sql/video/caption-search.ts'
import {
  type FoundPart,
  foundParts,
  markOptions,
  searchConfiguration,
  searchQuery,
} from '#tasks/video/rules/captions/search-text.ts'
import { html } from '../../http/html/html.ts'

interface Asked {
  q: string
  language?: string | undefined
  limit: number
}

async function languagesOf(
  db: DatabasePool,
  orgId: string,
  assetId: string | null,
  only: string | undefined,
): Promise<captionSearch.SearchedLanguage[]> {
  const all = await captionSearch.listLanguages(db, orgId, assetId)
  const wanted = only === undefined ? all : all.filter((language) => language === only)
  return wanted.map((language) => ({ language, configuration: searchConfiguration(language) }))
}

const queryOf = ({ q, limit }: Asked): captionSearch.Query => ({ text: searchQuery(q), marks: markOptions, limit })

const markPart = ({ text, found }: FoundPart): string => (found ? html`<mark>${text}</mark>` : html`${text}`).text

const present = ({ language, from_seconds, to_seconds, text, marked }: captionSearch.Hit) => ({
  language,
  start: from_seconds,
  end: to_seconds,
  text,
  highlight: foundParts(text, marked).map(markPart).join(''),
})

/** Finds matches in the captions of one asset. */
export async function searchOne(db: DatabasePool, of: { orgId: string; assetId: string }, asked: Asked) {
  const languages = await languagesOf(db, of.orgId, of.assetId, asked.language)
  if (languages.length === 0) return []
  return (await captionSearch.searchAsset(db, of, languages, queryOf(asked))).map(present)
}

/** Finds matches in the captions of all assets, grouped by asset. */
export async function searchEverything(db: DatabasePool, orgId: string, asked: Asked) {
  const languages = await languagesOf(db, orgId, null, asked.language)
  if (languages.length === 0) return []
  const found = await captionSearch.searchAll(db, orgId, languages, queryOf(asked))
  const byAsset = Map.groupBy(found, ({ asset_id }) => asset_id)
  return [...byAsset].map(([assetId, hits]) => ({ assetId, title: hits[0]?.title ?? null, hits: hits.map(present) }))
}
