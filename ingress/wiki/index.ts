import { area } from '../http/area.ts'
import * as adminArticles from './admin-articles.ts'
import * as articleVersions from './article-versions.ts'
import * as articles from './articles.ts'
import * as claims from './claims.ts'
import * as articlePages from './dashboard/article.ts'
import * as articlesPages from './dashboard/articles.ts'
import { finders } from './dashboard/finders.ts'
import * as entities from './entities.ts'
import * as pages from './pages.ts'
import * as passages from './passages.ts'
import * as readers from './readers.ts'
import * as reviews from './reviews.ts'
import * as search from './search.ts'
import * as snapshots from './snapshots.ts'
import * as sources from './sources.ts'
import * as transfer from './transfer.ts'
import * as tree from './tree.ts'
import * as wikiPages from './wiki-pages.ts'
import { wikiRegion } from './wiki-region.ts'

/**
 * Articles with evidence.
 * Terms:
 * - article: a text with claims. It can be published when every claim is proven
 * - version: the text of an article between two changes. Versions never change
 * - review: the decision of another person than the author about a version
 * - place: the position of an article in the tree of its organisation
 * - revision: increases with each change of an article's text or state. It is the ETag
 * - source: the place of evidence
 * - snapshot: the content of a source at a time
 * - entity: the subject of claims
 * - claim: a statement about an entity, with references
 * - proof: a reference whose snapshot contains its quote
 */
export const wiki = area({
  name: 'wiki',
  title: 'Wiki',
  description: 'Publish articles whose claims are proven by snapshots of their sources.',
  base: '/v1/wiki',
  platform: true,
  pages: { pages },
  routes: {
    readers,
    passages,
    search,
    tree,
    articles,
    adminArticles,
    articleVersions,
    reviews,
    transfer,
    sources,
    snapshots,
    entities,
    claims,
  },
  dashboard: { finders, sections: [articlesPages.section], pages: { articlesPages, articlePages } },
  console: {
    sections: [wikiPages.wikis],
    pages: { wikiPages },
    regions: { wiki: wikiRegion },
  },
})
