import * as overview from '#sql/directory/overview.ts'
import type { Region } from '../http/console/regions.ts'
import { dataTable } from '../http/html/data-table.ts'
import { count, formatInstant } from '../http/html/format.ts'
import { type Html, html, quiet } from '../http/html/html.ts'

const most = 30

export const directoryRegion: Region = {
  everyMs: 15_000,
  fits: (words) => words.length === 0,
  async read(db) {
    const [totals, published, channels] = await Promise.all([
      overview.countTotals(db),
      overview.listPublished(db, most),
      overview.listNewestChannels(db, most),
    ])
    const facts = Object.entries({
      Channels: totals.channels,
      Videos: totals.videos,
      Shorts: totals.shorts,
      'Live now': totals.live,
    })
    return html`<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${count(value)}</dd></div>`)}</dl>
<section aria-labelledby="published"><h2 id="published">Latest videos</h2>${published.length === 0 ? html`<p class="empty">No public videos yet.</p>` : publishedTable(published)}</section>
<section aria-labelledby="channels"><h2 id="channels">Newest channels</h2>${channels.length === 0 ? html`<p class="empty">No channels yet.</p>` : channelTable(channels)}</section>`
  },
}

const publishedTable = (rows: readonly overview.PublishedItem[]): Html =>
  dataTable({ caption: 'Latest videos', key: (row) => `video-${row.id}` }, rows, {
    Title: (row) => html`<a href="/watch/${row.id}">${row.title ?? row.id}</a>`,
    Type: (row) => row.kind,
    Channel: (row) => row.channel ?? quiet('none'),
    Organisation: (row) => row.org,
    Since: (row) => html`${formatInstant(row.published_at)} UTC`,
  })

const channelTable = (rows: readonly overview.ChannelRow[]): Html =>
  dataTable({ caption: 'Newest channels', key: (row) => `channel-${row.handle}` }, rows, {
    Handle: ['', (row) => html`<a href="/watch/channels/${row.handle}">${row.handle}</a>`],
    Name: ['break', (row) => row.name],
    Organisation: (row) => row.org,
    Listed: ['number', (row) => count(row.videos)],
    Created: (row) => html`${formatInstant(row.created_at)} UTC`,
  })
