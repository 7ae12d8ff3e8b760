import { Later } from '#lib/errors.ts'
import { isClosedOrganisationError } from '#sql/account/closures.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { detectContactLanguage } from './rules/channels/detect-contact-language.ts'
import { hearNext } from './rules/channels/hear-next.ts'
import { leaveUnread } from './rules/channels/leave-unread.ts'
import { hearJob } from './rules/hear-job.ts'

/** Delay in milliseconds until a contact is retried whose messages another job handles. */
const busyMs = 250

/** Maximum number of messages of a contact per run, so that other contacts also have their turn. */
const mostAtOnce = 20

/** Handles the waiting messages of a contact in the order in which they were sent, each in its own transaction. */
export const hear = task({
  ...hearJob,
  name: 'bots/hear',
  timeout: 60_000,
  async run({ channelId, contact }, { db, log }) {
    try {
      for (let n = 0; n < mostAtOnce; n++) {
        const language = await detectContactLanguage(db, channelId, contact)
        const heard = await db.transaction((tx) => hearNext(tx, channelId, contact, language))
        if (heard === 'busy') throw new Later(busyMs, 'another job handles the contact')
        if (heard === 'none') return
      }
    } catch (error) {
      if (!isClosedOrganisationError(error)) throw error
      log.info({ channel_id: channelId }, 'skipped messages to a bot of a closed organisation')
      return
    }
    throw new Later(0, 'more messages of the contact are waiting')
  },
  async giveUp({ channelId, contact }, _, { db }) {
    await db.transaction(async (tx) => {
      const stuck = await leaveUnread(tx, channelId, contact)
      if (stuck) await enqueue(tx, hearJob, { channelId, contact }, { orgId: stuck.org_id })
    })
  },
})
