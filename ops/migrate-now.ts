/** `npm run migrate`: brings the database that DATABASE_URL names up to date; `npm start` does so by itself. */
import { required } from '#lib/config.ts'
import { migrateAll } from './migrate.ts'
import { demandDatabase } from './start/outside.ts'

const url = required('DATABASE_URL')
await demandDatabase(url)
await migrateAll(url)
