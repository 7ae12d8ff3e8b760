import { Address, toStoredForm } from '#lib/email-address.ts'
import type { Db } from '#sql/db.ts'
import * as domains from '#sql/email/domains.ts'
import { type AcceptResult, acceptMessages, type MessageRequest } from '../../../email/rules/accept-messages.ts'
import { isTemplateId } from '../../../email/rules/templates/names.ts'
import { prerenderMessages } from '../../../email/rules/templates/prerender.ts'
import { outcomeOf } from '../../../notify/rules/accept-mails.ts'
import type { ActionKind, Failure, FilledRun, Outcome } from '../outcome.ts'
import { fillText, fillValue, UnfilledError } from '../placeholders.ts'

export interface TemplateRequest {
  template: string
  to: string
  from: string | null
  variables: Record<string, unknown>
}

interface ReadyEmail {
  message: MessageRequest
}

/** Sends an email template. Its recipient, suppressions, limits and sandbox are those of the email area. */
export const templateKind: ActionKind<'template', TemplateRequest, ReadyEmail> = {
  fill(action, facts) {
    const to = fillText(action.to, facts).trim()
    if (!Address.safeParse(to).success)
      throw new UnfilledError(`The recipient, ${to.slice(0, 200)}, is not an email address.`)
    const variables = fillValue(action.variables, facts) as Record<string, unknown>
    return { template: action.template, to, from: action.from, variables }
  },

  async prepare(db, filled) {
    const senders = await findSenders(db, filled)
    const messages = filled.map((one) => toMessage(one, senders.get(one.run.org_id)))
    const sound = messages.flatMap((one) => ('message' in one && 'to' in one ? [one] : []))
    const rendered = await prerenderMessages(db, sound)
    const messageOf = new Map(sound.map((one, i) => [one as object, rendered[i] as MessageRequest]))
    return messages.map((one) => {
      const message = messageOf.get(one)
      return message ? { message } : (one as Failure)
    })
  },

  async perform(tx, ready) {
    const accepted = await acceptMessages(
      tx,
      ready.map(({ message }) => message),
    )
    return accepted.map(toOutcome)
  },
}

/** Returns the default sender of each organisation: `notifications@` its oldest verified domain. */
async function findSenders(db: Db, filled: readonly FilledRun<TemplateRequest>[]) {
  const senders = new Map<string, string | undefined>()
  for (const { run, request } of filled) {
    if (request.from !== null || senders.has(run.org_id)) continue
    const oldest = await domains.oldestVerified(db, run.org_id, undefined)
    senders.set(run.org_id, oldest ? `notifications@${oldest.domain}` : undefined)
  }
  return senders
}

function toMessage(
  { run, rule, request }: FilledRun<TemplateRequest>,
  oldest: string | undefined,
): MessageRequest | Failure {
  const { template, to, variables } = request
  // Test emails need no domain, because developers test before they set up DNS.
  const from = request.from ?? oldest ?? (run.sandbox ? 'notifications@sandbox.example' : undefined)
  if (from === undefined)
    return { code: 'domain_not_verified', message: 'The organisation has no verified domain to send from.' }
  return {
    message: {
      ...{ org_id: run.org_id, key_id: rule.key_id, sandbox: run.sandbox, stream: 'transactional' },
      ...(isTemplateId(template) && { template_id: template }),
    },
    content: {},
    fromDomains: undefined,
    from: { email: from },
    to: toStoredForm(to),
    variables,
    hasMoreVariables: true,
    ...(!isTemplateId(template) && { template }),
  }
}

function toOutcome(result: AcceptResult): Outcome {
  const { message_id, reason, detail } = outcomeOf(result)
  return message_id === null ? { code: reason ?? 'refused', message: detail ?? '' } : { resultId: message_id }
}
