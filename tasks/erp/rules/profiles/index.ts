import { ee } from './ee.ts'
import { eeGeneral } from './ee-general.ts'
import { eeOfficers } from './ee-officers.ts'
import { generic } from './generic.ts'
import { gleif } from './gleif.ts'
import { gleifExceptions } from './gleif-exceptions.ts'
import { gleifRelations } from './gleif-relations.ts'
import { uk } from './uk.ts'

export const companyProfiles = { ee, 'ee-general': eeGeneral, uk, gleif, generic }

export const officerProfiles = { 'ee-officers': eeOfficers }

export const relationProfiles = { 'gleif-relations': gleifRelations, 'gleif-exceptions': gleifExceptions }

export const profiles = { ...companyProfiles, ...officerProfiles, ...relationProfiles }

export type CompanyProfileName = keyof typeof companyProfiles

export type OfficerProfileName = keyof typeof officerProfiles

export type RelationProfileName = keyof typeof relationProfiles

export type ProfileName = keyof typeof profiles

export const isProfile = (name: string): name is ProfileName => Object.hasOwn(profiles, name)

export const isOfOfficers = (name: string): name is OfficerProfileName => Object.hasOwn(officerProfiles, name)

export const isOfRelations = (name: string): name is RelationProfileName => Object.hasOwn(relationProfiles, name)

export const profileNames = Object.keys(profiles).filter(isProfile)
