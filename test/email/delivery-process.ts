/** A worker's part that delivers mail: runs one job for a domain, and ends. */
import { newId } from '#lib/ids.ts'
import { openPool } from '#sql/db.ts'
import { deliver } from '#tasks/email/rules/delivery/deliver.ts'
import { mailTools } from '../../workers/mail/tools.ts'
import { openLiveness } from '../../workers/runtime/liveness.ts'

const [url = '', domain = ''] = process.argv.slice(2)
const db = await openPool(url, 4)
const liveness = await openLiveness(url, 12_000, { lost: () => process.exit(3) })
const id = newId()
await liveness.register({ id, pool: 'mail-transactional', lockedBy: newId(), concurrency: 1 })
const ends = new AsyncDisposableStack()
const tools = await mailTools({ db, ends, workerId: id })
await deliver({ domain }, 'transactional', { ...tools, db, signal: new AbortController().signal })
await ends.disposeAsync()
await liveness.leave()
process.exit(0)
