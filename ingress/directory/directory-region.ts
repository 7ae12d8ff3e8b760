import * as overview from '#sql/directory/overview.ts'
import type { Region } from '../http/console/regions.ts'
import { dataTable } from '../http/html/data-table.ts'
import { count, formatInstant } from '../http/html/format.ts'
import { type Html, html } from '../http/html/html.ts'

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
  dataTable(
    'Latest videos',
    rows,
    [
      { title: 'Title', cell: (row) => html`<a href="/watch/${row.id}">${row.title ?? row.id}</a>` },
      { title: 'Type', cell: (row) => row.kind },
      { title: 'Channel', cell: (row) => row.channel ?? html`<span class="quiet">none</span>` },
      { title: 'Organisation', cell: (row) => row.org },
      { title: 'Since', cell: (row) => html`${formatInstant(row.published_at)} UTC` },
    ],
    { key: (row) => `video-${row.id}` },
  )

const channelTable = (rows: readonly overview.ChannelRow[]): Html =>
  dataTable(
    'Newest channels',
    rows,
    [
      { title: 'Handle', style: '', cell: (row) => html`<a href="/watch/channels/${row.handle}">${row.handle}</a>` },
      { title: 'Name', style: 'break', cell: (row) => row.name },
      { title: 'Organisation', cell: (row) => row.org },
      { title: 'Listed', style: 'number', cell: (row) => count(row.videos) },
      { title: 'Created', cell: (row) => html`${formatInstant(row.created_at)} UTC` },
    ],
    { key: (row) => `channel-${row.handle}` },
  )
