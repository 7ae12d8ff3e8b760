/** `npm run migrate`: updates the database of DATABASE_URL. `npm start` does this automatically. */
import { requireVariable } from '#lib/config.ts'
import { migrateAll } from './migrate.ts'
import { checkDatabase } from './start/outside.ts'

const url = requireVariable('DATABASE_URL')
await checkDatabase(url)
await migrateAll(url)
