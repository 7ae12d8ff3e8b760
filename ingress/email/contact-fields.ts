import { z } from 'zod'
import { most } from '#sql/email/contact-details.ts'
import { line } from './fields.ts'

/** A person's name. */
export const ContactName = line(200).trim().min(1)

/** A word by which contacts are grouped. */
export const Tag = line(64)
  .trim()
  .min(1)
  .refine((tag) => !tag.includes(',') && !tag.includes(';'), { error: 'cannot contain a comma or a semicolon' })

/** Tags of a contact; each counts once. */
export const Tags = z.array(Tag).max(most.tags)

/** The name of an attribute: what a field of a mail, and a condition of a segment, may name. */
export const attributeName = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/

/** Names that JSON may have and an object of ours must not. */
const forbidden = new Set(['__proto__', 'constructor', 'prototype'])

/** What is wrong with the name of an attribute; undefined when nothing is. */
export function faultOfAttribute(name: string): string | undefined {
  if (!attributeName.test(name)) return 'must have a name of up to 64 letters, digits and underscores'
  return forbidden.has(name) ? 'has a reserved name. Choose another name.' : undefined
}

/** What is known of a contact, by names that fields of mails take: any JSON. */
export const Attributes = z
  .record(z.string(), z.unknown())
  .superRefine((attributes, { addIssue }) => {
    for (const name of Object.keys(attributes)) {
      const fault = faultOfAttribute(name)
      if (fault) addIssue({ code: 'custom', path: [name], message: fault })
    }
    if (bytesOf(attributes) > most.bytes)
      addIssue({ code: 'custom', message: `must be at most ${most.bytes} bytes of JSON` })
  })
  .describe(`JSON object of up to ${most.bytes} bytes`)

/** Bytes of attributes as JSON. */
export const bytesOf = (attributes: object): number => Buffer.byteLength(JSON.stringify(attributes))

/** Tags in order, each once. */
export const inOrder = (tags: readonly string[]): string[] => [...new Set(tags)].sort()
