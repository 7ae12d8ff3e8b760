import { config } from '#lib/config.ts'
import type { Reply } from '#sql/email/delivery/attempts.ts'
import * as ipPools from '#sql/email/delivery/ip-pools.ts'
import * as mxSets from '#sql/email/delivery/mx-sets.ts'
import * as traffic from '#sql/email/delivery/traffic.ts'
import * as operatorMail from '#sql/email/operator-mail.ts'
import { findDecidingReply, formatReply } from '#tasks/email/rules/replies/deciding-reply.ts'
import type { Region } from '../../http/console/regions.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago, count, since } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'

const most = 30

export const mailRegion: Region = {
  everyMs: 15_000,
  async read(db) {
    const [pools, dedicated, waiting, sites, attempts, letters] = await Promise.all([
      traffic.countPools(db),
      ipPools.listViews(db),
      traffic.listBacklogs(db, most),
      mxSets.list(db, most),
      traffic.latestAttempts(db, most),
      operatorMail.list(db, most),
    ])
    return html`<dl class="tiles">${pools.map(
      ({
        pool,
        waiting,
        due,
        connections,
      }) => html`<div class="tile"><dt>${pool}, pending</dt><dd>${count(waiting)}</dd></div>
<div class="tile"><dt>${pool}, due now</dt><dd>${count(due)}</dd></div><div class="tile"><dt>${pool}, connections</dt><dd>${count(connections)}</dd></div>`,
    )}</dl>
<section><h2>Addresses</h2>${addressTable()}</section>
<section><h2>Dedicated IP pools</h2>${dedicated.length === 0 ? html`<p class="empty">No dedicated IP pools. Create one with <code>millrace email add-ip-pool</code>.</p>` : dedicatedTable(dedicated)}</section>
<section><h2>Pending</h2>${waiting.length === 0 ? html`<p class="empty">No pending messages.</p>` : waitingTable(waiting)}</section>
<section><h2>MX sets</h2>${sites.length === 0 ? html`<p class="empty">No deliveries yet.</p>` : siteTable(sites)}</section>
<section><h2>Recent replies</h2>${attempts.length === 0 ? html`<p class="empty">No delivery attempts yet.</p>` : replyTable(attempts)}</section>
<section><h2>To postmaster and abuse</h2>${letters.length === 0 ? html`<p class="empty">No email yet.</p>` : operatorTable(letters)}</section>`
  },
}

function addressTable(): Html {
  const { MAIL_SMARTHOST, MAIL_TRANSACTIONAL_ADDRESSES, MAIL_CAMPAIGN_ADDRESSES } = config
  if (MAIL_SMARTHOST) return html`<p class="empty">All email is sent through a smarthost.</p>`
  const rows = Object.entries({ transactional: MAIL_TRANSACTIONAL_ADDRESSES, campaign: MAIL_CAMPAIGN_ADDRESSES })
  const pairs = rows.flatMap(([pool, pairs]) =>
    (pairs.length > 0 ? pairs : ['default=']).map((pair) => [pool, ...pair.split('=')]),
  )
  return dataTable('Sending addresses', pairs, {
    Pool: ['', ([pool]) => pool],
    Address: ([, address]) => address,
    'Host name in greeting': ([, , name]) => name || config.MAIL_HOSTNAME,
  })
}

const dedicatedTable = (pools: readonly ipPools.PoolView[]): Html =>
  dataTable('Dedicated IP pools', pools, {
    Pool: ({ name }) => name,
    Organisation: ({ org, assigned_to }) => (assigned_to ? org : html`<span class="quiet">not assigned</span>`),
    Addresses: ({ addresses, live }) =>
      addresses.map(
        ({ address, name }) =>
          html`<div>${address} <span class="quiet">${name}</span> ${statusBadge(live.includes(address) ? 'reachable' : 'unreachable')}</div>`,
      ),
    'Sent today': ({ addresses, today }) =>
      addresses.map(({ address }) => html`<div>${address in today ? count(today[address] ?? 0) : '–'}</div>`),
    Pending: ['number', ({ waiting }) => count(waiting)],
    '': ({ live, waiting }) =>
      live.length === 0 &&
      waiting > 0 &&
      html`<span class="quiet">Email waits for a worker with one of the addresses.</span>`,
  })

const waitingTable = (waiting: readonly traffic.PlaceBacklog[]): Html =>
  dataTable('Pending messages by destination', waiting, {
    'MX set or domain': ({ place }) => place,
    Pool: ({ pool }) => pool,
    Pending: ['number', ({ waiting }) => count(waiting)],
    Due: ['number', ({ due }) => count(due)],
    'In progress': ['number', ({ leased }) => count(leased)],
    Oldest: ({ oldest_at }) => since(oldest_at),
  })

const siteTable = (sites: readonly mxSets.MxSet[]): Html =>
  dataTable('MX sets, slowed sets first', sites, {
    'MX set': (site) => site.mx_set,
    Pool: (site) => site.pool,
    From: (site) => site.local_address || 'default',
    Limit: (site) => limitOf(site),
    Reason: ['error wide', (site) => isSlowed(site) && site.reason],
    'Last used': (site) => ago(site.used_at),
  })

const isSuspended = ({ suspended_until }: mxSets.MxSet): boolean => (suspended_until?.getTime() ?? 0) > Date.now()
const isSlowed = (site: mxSets.MxSet): boolean => site.level > 0 || isSuspended(site)

function limitOf(site: mxSets.MxSet): Html {
  if (isSuspended(site)) return html`${statusBadge('suspended')}, resumes ${ago(site.suspended_until)}`
  return site.level > 0 ? html`slowed to level ${site.level} ${ago(site.level_at)}` : html`default`
}

const replyTable = (attempts: readonly traffic.AttemptView[]): Html =>
  dataTable('Latest replies', attempts, {
    To: ({ message_id, to_email }) => html`<a href="/ops/mail/messages/${message_id}">${to_email}</a>`,
    Organisation: ({ org }) => org,
    Outcome: ({ outcome }) => outcome,
    MX: ['break', ({ mx_host }) => mx_host ?? '–'],
    'Server reply': ['error wide', ({ replies }) => decisionOf(replies)],
    Time: ({ ended_at }) => ago(ended_at),
  })

const decisionOf = (replies: readonly Reply[]): string => {
  const reply = findDecidingReply(replies)
  return reply ? formatReply(reply) : ''
}

const operatorTable = (letters: readonly operatorMail.OperatorMail[]): Html =>
  dataTable('Email to postmaster and abuse', letters, {
    From: ({ sender }) => sender || 'no sender',
    To: ['break', ({ recipient }) => recipient],
    Message: [
      'wide',
      ({ content }) =>
        html`<details><summary>${content.length > 0 ? 'Show' : 'Empty'}</summary><pre tabindex="0">${readable(content)}</pre></details>`,
    ],
    Forwarded: ({ forwarded_at }) => (forwarded_at ? ago(forwarded_at) : 'no'),
    Received: ({ created_at }) => ago(created_at),
  })

/** Removes control characters, which could change how the page is displayed. */
const readable = (content: Buffer): string => content.toString('utf8').replaceAll(/[^\P{C}\n\t]/gu, '')
