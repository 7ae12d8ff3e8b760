import { z } from 'zod'
import { appUrl } from '#lib/config.ts'
import { Permanent } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as orgs from '#sql/account/orgs.ts'
import * as members from '#sql/account/people/members.ts'
import * as streams from '#sql/account/streams/streams.ts'
import { task } from '../queue/task.ts'
import { oneLine, renderLetter } from './rules/letter.ts'
import { platformSender, sendPlatformMails } from './rules/platform-mail.ts'

/** Sends email to the owners about a stream that has been failing for some time. */
export const mailStream = task({
  name: 'account/mail-stream',
  pool: 'mail-transactional',
  payload: z.object({ streamId: Id, orgId: Id }),
  attempts: 12,
  async run({ streamId, orgId }, { db, secret, own, log }) {
    const stream = await streams.find(db, orgId, streamId)
    const people = await members.ownersOf(db, orgId)
    if (!stream?.failing_since || people.length === 0) return
    const sender = await platformSender(db, secret)
    const org = await orgs.find(db, orgId)
    const mails = people.map((to) => ({ to, ...letter(stream, oneLine(org?.name ?? '')) }))
    const refused = await own((tx) => sendPlatformMails(tx, sender, mails))
    for (const why of refused) log.warn({ org_id: orgId, why }, 'an email about a log stream could not be sent')
    if (refused.length === mails.length) throw new Permanent(`The platform email was rejected: ${refused[0]}`)
  },
})

const letter = ({ id, name, failing_since, last_error }: streams.Stream, organisation: string) =>
  renderLetter({
    subject: `Log stream ${oneLine(name)} is failing`,
    title: 'Log stream is failing',
    organisation,
    parts: [
      `The server of the log stream ${oneLine(name)} has accepted no records since ${failing_since?.toISOString()}.`,
      `Last error: ${oneLine(last_error ?? 'unknown')}`,
      'Millrace stores the records for a limited time and sends them when the server accepts records again.',
      { words: 'Status of the stream:', button: 'Show log stream', url: `${appUrl()}/app/log-streams/${id}` },
    ],
    why: 'You receive this email because you are an owner of the organisation.',
  })
