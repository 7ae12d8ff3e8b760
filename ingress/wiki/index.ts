import { area } from '../http/area.ts'
import * as adminArticles from './admin-articles.ts'
import * as articleVersions from './article-versions.ts'
import * as articles from './articles.ts'
import * as claims from './claims.ts'
import * as entities from './entities.ts'
import * as pages from './pages.ts'
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
 * Evidence-first articles. Words used here:
 *   article   a text with claims, published when every one of them is proven
 *   version   what an article said from one change to the next; none is ever changed
 *   review    what another than its author thinks of a version
 *   place     where an article stands in the tree of its organisation's
 *   revision  grows with each change of an article's text or state: its ETag
 *   source    where evidence is found
 *   snapshot  what a source said at an instant
 *   entity    what claims are about
 *   claim     what is said of an entity, with references
 *   proof     a reference whose snapshot holds its quote
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
  console: {
    sections: [wikiPages.wikis],
    pages: { wikiPages },
    regions: { wiki: wikiRegion },
  },
})
