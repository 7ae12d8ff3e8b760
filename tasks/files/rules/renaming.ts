import type { FileObject } from '#sql/files/objects.ts'

/** Invisible characters, such as those that reverse the direction of a text. */
const invisible = /\p{Cf}/u

/** Returns the ending of a name from its first dot. Files with the same ending are examined alike. */
const endingOf = (name: string): string => (name.includes('.') ? name.slice(name.indexOf('.')).toLowerCase() : '')

/**
 * True if a verdict under the new name can differ from the verdict of the object. An infected file stays infected under
 * every name.
 */
export const dependsOnName = ({ filename, place, scan_status }: FileObject, name: string): boolean =>
  place === 'held' && scan_status !== 'infected' && (endingOf(filename) !== endingOf(name) || invisible.test(name))
