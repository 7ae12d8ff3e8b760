import * as overview from '#sql/directory/overview.ts'
import type { Region } from '../http/console/regions.ts'
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

const publishedTable = (rows: readonly overview.PublishedItem[]): Html => html`<table class="data stacks">
<caption class="unseen">Latest videos</caption>
<thead><tr><th scope="col">Title</th><th scope="col">Type</th><th scope="col">Channel</th><th scope="col">Organisation</th><th scope="col">Since</th></tr></thead>
<tbody>${rows.map(
  (
    row,
  ) => html`<tr data-key="video-${row.id}"><th scope="row" class="break"><a href="/watch/${row.id}">${row.title ?? row.id}</a></th>
<td data-label="Type">${row.kind}</td><td data-label="Channel">${row.channel ?? html`<span class="quiet">none</span>`}</td>
<td data-label="Organisation">${row.org}</td><td data-label="Since">${formatInstant(row.published_at)} UTC</td></tr>`,
)}</tbody></table>`

const channelTable = (rows: readonly overview.ChannelRow[]): Html => html`<table class="data stacks">
<caption class="unseen">Newest channels</caption>
<thead><tr><th scope="col">Handle</th><th scope="col">Name</th><th scope="col">Organisation</th><th scope="col" class="number">Listed</th><th scope="col">Created</th></tr></thead>
<tbody>${rows.map(
  (
    row,
  ) => html`<tr data-key="channel-${row.handle}"><th scope="row"><a href="/watch/channels/${row.handle}">${row.handle}</a></th>
<td class="break" data-label="Name">${row.name}</td><td data-label="Organisation">${row.org}</td>
<td class="number" data-label="Listed">${count(row.videos)}</td><td data-label="Created">${formatInstant(row.created_at)} UTC</td></tr>`,
)}</tbody></table>`
