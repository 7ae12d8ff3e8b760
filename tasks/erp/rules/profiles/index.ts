import { ee } from './ee.ts'
import { generic } from './generic.ts'
import { gleif } from './gleif.ts'
import { uk } from './uk.ts'

/** How the files of registers are read, by the names that imports know them by. */
export const profiles = { ee, uk, gleif, generic }

export type ProfileName = keyof typeof profiles

export const profileNames = Object.keys(profiles) as ProfileName[]
