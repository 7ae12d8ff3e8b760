import type { Act } from './act.ts'
import { fileActs } from './acts/file.ts'
import { fleetActs } from './acts/fleet.ts'
import { jobActs } from './acts/job.ts'
import { manyActs } from './acts/many.ts'

/** Every action, by its name in addresses. */
export const acts: Readonly<Record<string, Act>> = { ...jobActs, ...manyActs, ...fleetActs, ...fileActs }
