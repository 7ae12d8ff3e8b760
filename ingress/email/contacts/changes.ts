import { z } from 'zod'
import { badRequest, type Fault } from '#lib/errors.ts'
import { UserId } from '#lib/user-id.ts'
import type { Db } from '#sql/db.ts'
import * as details from '#sql/email/contacts/details.ts'
import type { Contact } from '#sql/email/contacts.ts'
import { mustFind } from '../../http/must-find.ts'
import { Attributes, ContactName, jsonByteLength, sortTags, Tags } from './fields.ts'

export const DetailFields = {
  name: ContactName.optional(),
  attributes: Attributes.optional().describe('Replaces all attributes of an existing contact'),
  tags: Tags.optional().describe('Replaces all tags of an existing contact'),
  user_id: UserId.optional().describe('Your own ID for the person. Links the contact to `/v1/people/{user_id}`.'),
}

export const ContactChanges = z
  .strictObject({
    name: ContactName.nullable().optional(),
    attributes: Attributes.optional().describe(
      'Each attribute replaces the one with the same name. `null` removes an attribute. Other attributes do not change.',
    ),
    tags: Tags.optional().describe('Replaces all tags'),
    add_tags: Tags.optional(),
    remove_tags: Tags.optional(),
    user_id: UserId.nullable().optional().describe('Your own ID for the person. `null` removes the link.'),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined), {
    error: 'must contain at least one field to change',
  })

type Changes = z.output<typeof ContactChanges>

/** Changes a contact. Throws 404 if it does not exist, and 400 if it would exceed a limit. */
export async function changeContact(
  tx: Db,
  orgId: string,
  email: string,
  changes: Changes,
  inSandbox: boolean,
): Promise<Contact> {
  const before = await mustFind(details.lock(tx, orgId, email, inSandbox), 'contact')
  const known = changed(before, changes)
  const faults = faultsOf(known, changes)
  if (faults.length > 0) throw badRequest(faults)
  return await details.set(tx, before.id, known, inSandbox)
}

function changed(before: Contact, changes: Changes): details.ContactDetails {
  const { name, attributes = {}, tags, add_tags = [], remove_tags = [], user_id } = changes
  const removed = new Set(remove_tags)
  const merged = Object.entries({ ...before.attributes, ...attributes }).filter(([, value]) => value !== null)
  return {
    name: name === undefined ? before.name : name,
    attributes: Object.fromEntries(merged),
    tags: sortTags([...(tags ?? before.tags), ...add_tags].filter((tag) => !removed.has(tag))),
    user_id: user_id === undefined ? before.user_id : user_id,
  }
}

function faultsOf({ attributes, tags }: details.ContactDetails, given: Changes): Fault[] {
  const { bytes, tags: mostTags } = details.detailLimits
  const faults: Fault[] = []
  if (given.attributes && jsonByteLength(attributes) > bytes) {
    faults.push({
      field: 'body.attributes',
      issue: `would exceed ${bytes} bytes together with the existing attributes`,
    })
  }
  if (tags.length > mostTags)
    faults.push({ field: 'body.add_tags', issue: `would give the contact more than ${mostTags} tags` })
  return faults
}

/** Sets the given details of a contact. Other details do not change. */
export async function applyDetails(
  tx: Db,
  contact: Contact,
  {
    name,
    attributes,
    tags,
    user_id,
  }: { [Name in keyof details.ContactDetails]?: details.ContactDetails[Name] | undefined },
  inSandbox: boolean,
): Promise<Contact> {
  if ([name, attributes, tags, user_id].every((value) => value === undefined)) return contact
  const before = await mustFind(details.lock(tx, contact.org_id, contact.email, inSandbox), 'contact')
  const known = {
    name: name ?? before.name,
    attributes: attributes ?? before.attributes,
    tags: tags ? sortTags(tags) : before.tags,
    user_id: user_id ?? before.user_id,
  }
  return await details.set(tx, before.id, known, inSandbox)
}
