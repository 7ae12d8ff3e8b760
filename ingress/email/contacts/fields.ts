import { z } from 'zod'
import { detailLimits } from '#sql/email/contacts/details.ts'
import { line } from '../fields.ts'

export const ContactName = line(200).trim().min(1)

export const Tag = line(64)
  .trim()
  .min(1)
  .refine((tag) => !tag.includes(',') && !tag.includes(';'), { error: 'must not contain a comma or a semicolon' })

export const Tags = z.array(Tag).max(detailLimits.tags)

export const attributeName = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/

/** Names that JSON can contain but objects must not have. */
const forbidden = new Set(['__proto__', 'constructor', 'prototype'])

/** Returns an error message if the name of an attribute is invalid, otherwise undefined. */
export function findAttributeFault(name: string): string | undefined {
  if (!attributeName.test(name)) return 'must have a name of up to 64 letters, digits and underscores'
  return forbidden.has(name) ? 'has a reserved name. Choose another name.' : undefined
}

export const Attributes = z
  .record(z.string(), z.unknown())
  .superRefine((attributes, { addIssue }) => {
    for (const name of Object.keys(attributes)) {
      const fault = findAttributeFault(name)
      if (fault) addIssue({ code: 'custom', path: [name], message: fault })
    }
    if (jsonByteLength(attributes) > detailLimits.bytes)
      addIssue({ code: 'custom', message: `must be at most ${detailLimits.bytes} bytes of JSON` })
  })
  .describe(`JSON object of up to ${detailLimits.bytes} bytes`)

export const jsonByteLength = (attributes: object): number => Buffer.byteLength(JSON.stringify(attributes))

export const sortTags = (tags: readonly string[]): string[] => [...new Set(tags)].sort()
