import type { DatabasePool } from '#sql/db.ts'
import * as captionSearch from '#sql/video/caption-search.ts'
import {
  type FoundPart,
  foundParts,
  markOptions,
  searchConfiguration,
  searchQuery,
} from '#tasks/video/rules/captions/search-text.ts'
import { type Html, html } from '../../http/html/html.ts'

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
  const wanted = only === undefined ? await captionSearch.listLanguages(db, orgId, assetId) : [only]
  return wanted.map((language) => ({ language, configuration: searchConfiguration(language) }))
}

const queryOf = ({ q, limit }: Asked): captionSearch.Query => ({ text: searchQuery(q), marks: markOptions, limit })

const markPart = ({ text, found }: FoundPart): Html => (found ? html`<mark>${text}</mark>` : html`${text}`)

/** Returns the text of a hit with its matches in `<mark>`. */
export const highlight = ({ text, marked }: captionSearch.Hit): Html => html`${foundParts(text, marked).map(markPart)}`

const present = (hit: captionSearch.Hit) => ({
  language: hit.language,
  start: hit.from_seconds,
  end: hit.to_seconds,
  text: hit.text,
  highlight: highlight(hit).text,
})

/** Finds matches in the captions of one asset. */
export async function findInAsset(
  db: DatabasePool,
  of: { orgId: string; assetId: string },
  asked: Asked,
): Promise<readonly captionSearch.Hit[]> {
  const languages = await languagesOf(db, of.orgId, of.assetId, asked.language)
  return languages.length === 0 ? [] : await captionSearch.searchAsset(db, of, languages, queryOf(asked))
}

export const searchOne = async (db: DatabasePool, of: { orgId: string; assetId: string }, asked: Asked) =>
  (await findInAsset(db, of, asked)).map(present)

/** Finds matches in the captions of all assets, grouped by asset. */
export async function searchEverything(db: DatabasePool, orgId: string, asked: Asked) {
  const languages = await languagesOf(db, orgId, null, asked.language)
  if (languages.length === 0) return []
  const found = await captionSearch.searchAll(db, orgId, languages, queryOf(asked))
  const byAsset = Map.groupBy(found, ({ asset_id }) => asset_id)
  return [...byAsset].map(([assetId, hits]) => ({ assetId, title: hits[0]?.title ?? null, hits: hits.map(present) }))
}
