import { Id } from '#lib/ids.ts'

/** Matches aliases of templates. */
export const aliasForm = /^[a-z][a-z0-9._-]{0,99}$/

/** True for the ID of a template, false for an alias. An alias cannot have the form of an ID. */
export const isTemplateId = (name: string): boolean => Id.safeParse(name).success
