import type { Version } from '#sql/wiki/article-versions.ts'
import type { Article } from '#sql/wiki/articles.ts'
import type { Proof } from '#sql/wiki/evidence.ts'
import type { Near } from '#sql/wiki/places.ts'
import type { PublicSnapshot } from '#sql/wiki/public-snapshots.ts'
import type { PublishedArticle } from '#sql/wiki/published.ts'
import { type Content, Html, html, queryString } from '../http/html/html.ts'
import { day, type Page } from './page.ts'
import type { Note, RenderedArticle } from './render-article.ts'

export const feedUrl = (wanted: { org?: string | undefined; tag?: string | undefined }): string =>
  `/wiki/feed.xml${queryString(wanted)}`

export const indexPage = (articles: readonly PublishedArticle[]): Page => ({
  title: 'Articles',
  head: html`<link rel="alternate" type="application/rss+xml" href="/wiki/feed.xml">`,
  main: html`<h1>Articles</h1>
<p class="quiet">Each claim is proven by a snapshot of its source.</p>
${articles.length === 0 && html`<p class="quiet nothing">No articles published yet.</p>`}
<ul class="index">${articles.map(
    ({ slug, title, summary, language, published_at }) =>
      html`<li lang="${language}"><a href="/wiki/${encodeURIComponent(slug)}">${title}</a> <span class="quiet">${day(published_at)}</span>${summary && html`<br>${summary}`}</li>`,
  )}</ul>
<footer class="quiet"><a href="/wiki/feed.xml" type="application/rss+xml">Feed</a></footer>`,
})

export function articlePage(
  article: Article,
  version: Version,
  { html: body, notes }: RenderedArticle,
  { url, above, below }: { url: string; above: readonly Near[]; below: readonly Near[] },
): Page {
  const { title, summary, tags } = version
  const feed = feedUrl({ org: article.org_id })
  const property = (name: string, content: string) => html`<meta property="${name}" content="${content}">\n`
  return {
    title,
    language: article.language,
    head: html`<link rel="canonical" href="${url}">
<link rel="alternate" type="application/rss+xml" href="${feed}">
${summary && html`<meta name="description" content="${summary}">\n`}${property('og:type', 'article')}${property('og:title', title)}${property('og:url', url)}${summary && property('og:description', summary)}`,
    main: html`${above.length > 0 && html`<nav aria-label="Parent articles" class="quiet">${above.map((one) => html`${nearLink(one)} › `)}</nav>`}<article>
<header>
<h1>${title}</h1>
${summary && html`<p class="summary">${summary}</p>`}
<p class="quiet">${article.first_published_at && html`Published ${day(article.first_published_at)}, `}version ${version.number} of ${day(version.created_at)}</p>
</header>
${new Html(body)}
${tags.length > 0 && html`<ul class="tags" aria-label="Tags">${tags.map((tag) => html`<li>${tag}</li>`)}</ul>`}
</article>
${below.length > 0 && html`<nav aria-labelledby="below"><h2 id="below">Articles in this section</h2><ul>${below.map((one) => html`<li>${nearLink(one)}</li>`)}</ul></nav>`}
<section aria-labelledby="evidence" class="evidence">
<h2 id="evidence">Evidence</h2>
<ol>${notes.map(note)}</ol>
</section>
<footer class="quiet"><a href="${feed}" type="application/rss+xml">Feed</a></footer>`,
  }
}

const nearLink = ({ slug, title }: Near): Content => html`<a href="/wiki/${encodeURIComponent(slug)}">${title}</a>`

const note = ({ number, claim, proofs }: Note): Content => html`<li id="note-${number}" value="${number}">
<p><strong>${claimText(claim)}</strong></p>
${proofs.map(
  (proof) => html`<figure><blockquote cite="${proof.url}"><p>${proof.quote}</p></blockquote>
<figcaption>${sourceLink(proof)}${proof.page !== null && html`, page ${proof.page}`}${proof.locator && html`, ${proof.locator}`} <span class="quiet">as of <a href="/wiki/snapshots/${proof.snapshot_id}">the snapshot of ${day(proof.captured_at)}</a></span></figcaption></figure>`,
)}</li>`

const label = (labels: Record<string, string>): string => labels.en ?? Object.values(labels)[0] ?? ''

function claimText({ entity, property, value }: Proof): string {
  const { content, unit } = value as { content?: unknown; unit?: unknown }
  const said = typeof content === 'object' && content !== null && 'text' in content ? content.text : content
  const shown = typeof said === 'string' || typeof said === 'number' ? `: ${said}` : ''
  return `${label(entity)}, ${property.replaceAll('_', ' ')}${shown}${typeof unit === 'string' ? ` ${unit}` : ''}`
}

/**
 * Returns a link to the source of a quote. It goes to the words on a web page (URL Fragment Text Directives) or to the
 * page of a PDF (RFC 8118 §3).
 */
function sourceLink({
  url,
  title,
  publisher,
  quote,
  page,
}: Pick<Proof, 'url' | 'title' | 'publisher' | 'quote' | 'page'>): Content {
  const name = html`${title ?? url}${publisher && html`, ${publisher}`}`
  if (!/^https?:\/\//.test(url)) return name
  const words = encodeURIComponent(quote.slice(0, 200).toWellFormed()).replaceAll('-', '%2D')
  const place = page === null ? `:~:text=${words}` : `page=${page}`
  return html`<a href="${url.includes('#') ? url : `${url}#${place}`}" rel="nofollow noopener">${name}</a>`
}

export const tombstonePage = ({ withdrawal_reason, withdrawn_at, language }: Article): Page => ({
  title: 'Withdrawn',
  head: html`<meta name="robots" content="noindex">`,
  main: html`<h1>This article was withdrawn</h1>
<p lang="${language}">${withdrawal_reason}</p>
${withdrawn_at && html`<p class="quiet">Since ${day(withdrawn_at)}</p>`}`,
})

export function snapshotPage(snapshot: PublicSnapshot): Page {
  const { url, title, publisher, captured_at, http_status, content_type, sha256, quotes } = snapshot
  const facts: [string, Content][] = [
    ['Source', /^https?:\/\//.test(url) ? html`<a href="${url}" rel="nofollow noopener">${url}</a>` : url],
    ['Publisher', publisher],
    ['Captured', html`<time datetime="${captured_at.toISOString()}">${captured_at.toISOString()}</time>`],
    ['HTTP status', http_status],
    ['Type', content_type],
    ['SHA-256 of the content', html`<code>${sha256}</code>`],
  ]
  return {
    title: title ?? url,
    head: html`<meta name="robots" content="noindex">`,
    main: html`<h1>${title ?? url}</h1>
<dl>${facts.map(([name, value]) => value !== null && html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<section aria-labelledby="quotes"><h2 id="quotes">Quotes from this source</h2>
${quotes.map(
  (one) => html`<figure><blockquote><p>${one.quote}</p></blockquote>
<figcaption>in <a href="/wiki/${encodeURIComponent(one.slug)}">${one.title}</a></figcaption></figure>`,
)}</section>
<footer class="quiet"><a href="/v1/wiki/sources/${snapshot.source_id}">Source and its snapshots as JSON</a></footer>`,
  }
}
