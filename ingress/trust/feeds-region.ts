import { type Feed, list } from '#sql/trust/feeds.ts'
import { redactUrl } from '#tasks/trust/rules/shown-url.ts'
import { confirmLink } from '../http/console/buttons.ts'
import type { Region } from '../http/console/regions.ts'
import { dataTable } from '../http/html/data-table.ts'
import { ago, count, counted, duration } from '../http/html/format.ts'
import { type Html, html, quiet } from '../http/html/html.ts'
import { mark } from '../http/html/marks.ts'

export const feedsRegion: Region = {
  everyMs: 5_000,
  async read(db) {
    const feeds = await list(db)
    return feeds.length === 0 ? html`<p class="empty">No feeds yet: every URL is unknown.</p>` : feedTable(feeds)
  },
}

const feedTable = (feeds: readonly Feed[]): Html =>
  dataTable({ caption: 'Threat feeds', key: (feed) => `feed-${feed.name}` }, feeds, {
    Feed: (feed) =>
      html`<span title="${feed.url && redactUrl(feed.url)}">${feed.name} <span class="quiet">${feed.kind}</span></span>`,
    Status: ['break', (feed) => stateOf(feed)],
    Entries: [
      'number',
      (feed) =>
        html`${count(feed.entries)}${feed.left_out > 0 && html` <span class="quiet">and ${counted(feed.left_out, 'line')} skipped</span>`}`,
    ],
    Confirmed: (feed) => ago(feed.checked_at),
    Imported: (feed) => ago(feed.imported_at),
    'Next import': (feed) => (feed.url === null ? quiet('from files') : ago(feed.next_at)),
    Actions: (feed) => feed.url !== null && confirmLink('import-feed', { feed: feed.name }, 'Import now', feed.name),
  })

function stateOf({ checked_at, stale_after_seconds, failed_at, failures, error }: Feed): Html {
  const isStale = checked_at !== null && Date.now() - checked_at.getTime() > stale_after_seconds * 1000
  const state =
    checked_at === null
      ? html`${mark('waiting')} for first import`
      : isStale
        ? html`${mark('lost')} stale: older than ${duration(stale_after_seconds)}`
        : html`${mark('alive')} fresh`
  return failures === 0
    ? state
    : html`${state}<p>${mark('failed')} ${counted(failures, 'time')}, ${ago(failed_at)}: ${error}</p>`
}
