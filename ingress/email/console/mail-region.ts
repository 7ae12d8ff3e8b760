import { config } from '#lib/config.ts'
import type { Reply } from '#sql/email/delivery/attempts.ts'
import * as mxSets from '#sql/email/delivery/mx-sets.ts'
import * as traffic from '#sql/email/delivery/traffic.ts'
import * as operatorMail from '#sql/email/operator-mail.ts'
import { findDecidingReply, formatReply } from '#tasks/email/rules/replies/deciding-reply.ts'
import type { Region } from '../../http/console/regions.ts'
import { ago, count, since } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'

const most = 30

export const mailRegion: Region = {
  everyMs: 15_000,
  async read(db) {
    const [pools, waiting, sites, attempts, letters] = await Promise.all([
      traffic.countPools(db),
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
<div class="tile"><dt>due now</dt><dd>${count(due)}</dd></div><div class="tile"><dt>connections</dt><dd>${count(connections)}</dd></div>`,
    )}</dl>
<section><h2>Addresses</h2>${addressTable()}</section>
<section><h2>Pending</h2>${waiting.length === 0 ? html`<p class="empty">No pending messages.</p>` : waitingTable(waiting)}</section>
<section><h2>MX sets</h2>${sites.length === 0 ? html`<p class="empty">No deliveries yet.</p>` : siteTable(sites)}</section>
<section><h2>Recent replies</h2>${attempts.length === 0 ? html`<p class="empty">No delivery attempts yet.</p>` : replyTable(attempts)}</section>
<section><h2>To postmaster and abuse</h2>${letters.length === 0 ? html`<p class="empty">No email yet.</p>` : operatorTable(letters)}</section>`
  },
}

function addressTable(): Html {
  const { MAIL_SMARTHOST, MAIL_TRANSACTIONAL_ADDRESSES, MAIL_CAMPAIGN_ADDRESSES } = config
  if (MAIL_SMARTHOST) return html`<p class="empty">All email is sent through a smarthost.</p>`
  const rows = [
    ['transactional', MAIL_TRANSACTIONAL_ADDRESSES],
    ['campaign', MAIL_CAMPAIGN_ADDRESSES],
  ] as const
  return html`<table class="data stacks"><caption class="unseen">Sending addresses</caption>
<thead><tr><th scope="col">Pool</th><th scope="col">Address</th><th scope="col">Host name in greeting</th></tr></thead>
<tbody>${rows.map(([pool, pairs]) =>
    (pairs.length > 0 ? pairs : ['default=']).map((pair) => {
      const [address = '', name = ''] = pair.split('=')
      return html`<tr><th scope="row">${pool}</th><td data-label="Address">${address}</td><td data-label="Host name in greeting">${name || config.MAIL_HOSTNAME}</td></tr>`
    }),
  )}</tbody></table>`
}

const waitingTable = (waiting: readonly traffic.PlaceBacklog[]): Html => html`<table class="data stacks">
<caption class="unseen">Pending messages by destination</caption>
<thead><tr><th scope="col">MX set or domain</th><th scope="col">Pool</th><th scope="col" class="number">Pending</th><th scope="col" class="number">Due</th>
<th scope="col" class="number">In progress</th><th scope="col">Oldest</th></tr></thead>
<tbody>${waiting.map(
  ({
    place,
    pool,
    waiting,
    due,
    leased,
    oldest_at,
  }) => html`<tr><th scope="row" class="break">${place}</th><td data-label="Pool">${pool}</td>
<td class="number" data-label="Pending">${count(waiting)}</td><td class="number" data-label="Due">${count(due)}</td>
<td class="number" data-label="In progress">${count(leased)}</td><td data-label="Oldest">${since(oldest_at)}</td></tr>`,
)}</tbody></table>`

const siteTable = (sites: readonly mxSets.MxSet[]): Html => html`<table class="data stacks">
<caption class="unseen">MX sets, slowed sets first</caption>
<thead><tr><th scope="col">MX set</th><th scope="col">Pool</th><th scope="col">From</th><th scope="col">Limit</th><th scope="col">Reason</th><th scope="col">Last used</th></tr></thead>
<tbody>${sites.map(
  (site) => html`<tr><th scope="row" class="break">${site.mx_set}</th><td data-label="Pool">${site.pool}</td>
<td data-label="From">${site.local_address || 'default'}</td><td data-label="Limit">${limitOf(site)}</td>
<td class="error wide" data-label="Reason">${isSlowed(site) && site.reason}</td><td data-label="Last used">${ago(site.used_at)}</td></tr>`,
)}</tbody></table>`

const isSuspended = ({ suspended_until }: mxSets.MxSet): boolean => (suspended_until?.getTime() ?? 0) > Date.now()
const isSlowed = (site: mxSets.MxSet): boolean => site.level > 0 || isSuspended(site)

function limitOf(site: mxSets.MxSet): Html {
  if (isSuspended(site)) return html`<span class="bad">suspended</span>, resumes ${ago(site.suspended_until)}`
  return site.level > 0 ? html`slowed to level ${site.level} ${ago(site.level_at)}` : html`default`
}

const replyTable = (attempts: readonly traffic.AttemptView[]): Html => html`<table class="data stacks">
<caption class="unseen">Latest replies</caption>
<thead><tr><th scope="col">To</th><th scope="col">Organisation</th><th scope="col">Outcome</th><th scope="col">MX</th><th scope="col">Server reply</th><th scope="col">Time</th></tr></thead>
<tbody>${attempts.map(
  ({ message_id, to_email, org, outcome, mx_host, replies, ended_at }) => html`<tr>
<th scope="row" class="break"><a href="/ops/mail/messages/${message_id}">${to_email}</a></th><td data-label="Organisation">${org}</td><td data-label="Outcome">${outcome}</td>
<td data-label="MX" class="break">${mx_host ?? '–'}</td><td class="error wide" data-label="Server reply">${decisionOf(replies)}</td><td data-label="Time">${ago(ended_at)}</td></tr>`,
)}</tbody></table>`

const decisionOf = (replies: readonly Reply[]): string => {
  const reply = findDecidingReply(replies)
  return reply ? formatReply(reply) : ''
}

const operatorTable = (letters: readonly operatorMail.OperatorMail[]): Html => html`<table class="data stacks">
<caption class="unseen">Email to postmaster and abuse</caption>
<thead><tr><th scope="col">From</th><th scope="col">To</th><th scope="col">Message</th><th scope="col">Forwarded</th><th scope="col">Received</th></tr></thead>
<tbody>${letters.map(
  ({ sender, recipient, content, forwarded_at, created_at }) => html`<tr>
<th scope="row" class="break">${sender || 'nobody'}</th><td data-label="To" class="break">${recipient}</td>
<td class="wide" data-label="Message"><details><summary>${content.length > 0 ? 'Show' : 'Empty'}</summary><pre>${readable(content)}</pre></details></td>
<td data-label="Forwarded">${forwarded_at ? ago(forwarded_at) : 'no'}</td><td data-label="Received">${ago(created_at)}</td></tr>`,
)}</tbody></table>`

/** Removes control characters, which could change how the page is displayed. */
const readable = (content: Buffer): string => content.toString('utf8').replaceAll(/[^\P{C}\n\t]/gu, '')
