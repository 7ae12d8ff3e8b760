import type { Fault } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import { listPlaceholders } from '#lib/placeholders.ts'
import type { Db } from '#sql/db.ts'
import * as contacts from '#sql/email/contacts.ts'
import * as templates from '#sql/email/templates.ts'
import type { MessageRequest } from '../accept-messages.ts'
import { noSuchAlias, noSuchTemplate } from '../message-parts.ts'
import { getConfirmUrl, getReader } from '../message-reader.ts'
import { isFault, loadPartials, type Partials } from './bundle.ts'
import { renderLiquidParts } from './liquid-parts.ts'

/**
 * Maximum time for the templates of an organisation in one call, in milliseconds. Its later messages are rejected. A
 * call can have messages of several organisations.
 */
const budgetMs = 20_000

/** Number of messages of an organisation that are rendered at the same time. */
const atOnce = 2

/**
 * Resolves the aliases of templates, and renders Liquid templates. Runs outside the transaction that accepts the
 * messages, so that a slow template delays only its own message.
 */
export async function prerenderMessages(
  db: Db,
  wanted: readonly MessageRequest[],
  budget: number = budgetMs,
): Promise<readonly MessageRequest[]> {
  const templated = wanted.filter(({ message: { template_id }, template }) => template_id ?? template)
  if (templated.length === 0) return wanted
  const known = await lookUp(db, templated)
  const until = Date.now() + budget
  const results = [...wanted]
  const byOrg = Map.groupBy(wanted.entries(), ([, { message }]) => message.org_id)
  const renderAll = async (messages: readonly [number, MessageRequest][]) => {
    const left = messages.values()
    const renderLeft = async () => {
      for (const [i, one] of left) results[i] = await prerender(db, one, known, until)
    }
    await Promise.all(Array.from({ length: atOnce }, renderLeft))
  }
  await Promise.all([...byOrg.values()].map(renderAll))
  return results
}

interface Known {
  templates: ReadonlyMap<string, templates.Template>
  partials: Map<string, Awaited<ReturnType<typeof loadPartials>>>
}

async function lookUp(db: Db, wanted: readonly MessageRequest[]): Promise<Known> {
  const found = await templates.findNamed(
    db,
    wanted.map(({ message: { org_id, template_id }, template }) => ({
      org_id,
      id: template_id ?? null,
      alias: template ?? null,
    })),
  )
  const named = found.flatMap((one): [string, templates.Template][] => [
    [`${one.org_id} ${one.id}`, one],
    ...(one.alias === null ? [] : [[`${one.org_id} ${one.alias}`, one] as [string, templates.Template]]),
  ])
  return { templates: new Map(named), partials: new Map() }
}

async function prerender(db: Db, wanted: MessageRequest, known: Known, until: number): Promise<MessageRequest> {
  const { org_id: orgId, template_id, stream, sandbox } = wanted.message
  const name = template_id ?? wanted.template
  if (!name) return wanted
  const field = template_id ? 'body.template_id' : 'body.template'
  const refused = (issue: string): MessageRequest => ({ ...wanted, rendered: { faults: [{ field, issue }] } })
  const template = known.templates.get(`${orgId} ${name}`)
  if (!template) return refused(template_id ? noSuchTemplate : noSuchAlias)
  if (template.kind !== 'email')
    return refused(`is a ${template.kind}. Only templates of the kind \`email\` can be sent.`)
  const variables = wanted.hasMoreVariables ? pickNamed(template, wanted.variables ?? {}) : wanted.variables
  const request = { ...wanted, variables, message: { ...wanted.message, template_id: template.id } }
  if (template.syntax !== 'liquid') return request
  if (Date.now() > until) return refused('was not rendered, because the other messages of the request took too long')
  const partials = await partialsOf(db, template, known)
  if (isFault(partials)) return { ...request, rendered: { faults: [partials] } }
  const id = newId()
  const [contact] = await contacts.findMany(db, [{ org_id: orgId, email: wanted.to }], sandbox)
  const confirmUrl = getConfirmUrl({ stream, confirmUrl: wanted.confirmUrl }, id)
  const made = await renderLiquidParts(wanted, template, partials, confirmUrl, getReader(wanted, contact, id))
  if (!('faults' in made)) return { ...request, id, rendered: made }
  const faults = made.faults.map((fault) => (fault.field === 'body.template_id' ? { ...fault, field } : fault))
  return { ...request, rendered: { faults } }
}

/** Returns the variables that a template with placeholders names. Liquid ignores the others itself. */
function pickNamed({ syntax, subject, html, text }: templates.Template, variables: object): Record<string, unknown> {
  const named = new Set(listPlaceholders(subject, html, text).map((name) => name.split('.')[0]))
  return Object.fromEntries(Object.entries(variables).filter(([name]) => syntax === 'liquid' || named.has(name)))
}

async function partialsOf(db: Db, { org_id, id, uses }: templates.Template, known: Known): Promise<Partials | Fault> {
  const partials = known.partials.get(id) ?? (await loadPartials(db, org_id, uses))
  known.partials.set(id, partials)
  return partials
}
