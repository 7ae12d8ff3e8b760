/** A worker's part that delivers mail: takes one turn to a domain, and ends. */
import { newId } from '#lib/ids.ts'
import { openPool } from '#sql/db.ts'
import { createMailEngine } from '../../workers/mail/engine.ts'
import { openLiveness } from '../../workers/runtime/liveness.ts'

const [url = '', domain = ''] = process.argv.slice(2)
const db = await openPool(url, 4)
const liveness = await openLiveness(url, 12_000, { lost: () => process.exit(3) })
const id = newId()
await liveness.register({ id, pool: 'mail-transactional', lockedBy: newId(), concurrency: 1 })
const engine = createMailEngine('transactional', id, db)
await engine.turn({ domain }, db, new AbortController().signal)
await engine.close()
await liveness.leave()
process.exit(0)
