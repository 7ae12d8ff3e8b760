import t from 'tap'
import { newId } from '#lib/ids.ts'
import { testDatabase } from '../support/database.ts'
import { testOrg } from '../support/ingress.ts'
import { keepHandbooks, missed } from './found.ts'

t.setTimeout(600_000)
const { db } = await testDatabase(t)
const { org } = await testOrg(db, [])

t.test(
  'of 60 questions to 200 documents of 40,000 characters nine in ten find the passage among the first three',
  async (t) => {
    const collectionId = newId()
    const ids = await keepHandbooks(db, org.id, collectionId, 200)
    const missing = await missed(db, collectionId, ids, 3)
    t.ok(missing.length <= 6, JSON.stringify(missing))
  },
)
