/** `npm run migrate`: updates the database of DATABASE_URL. `npm start` does this automatically. */
import { required } from '#lib/config.ts'
import { migrateAll } from './migrate.ts'
import { demandDatabase } from './start/outside.ts'

const url = required('DATABASE_URL')
await demandDatabase(url)
await migrateAll(url)
