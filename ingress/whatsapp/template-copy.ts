import type { DatabasePool } from '#sql/db.ts'
import * as rows from '#sql/whatsapp/templates.ts'
import { syncTemplates } from '#tasks/whatsapp/sync-templates.ts'
import { service } from '../http/container.ts'
import type { Questions } from '../http/questions.ts'
import { questions } from '../http/services.ts'
import { toSendProblem } from './refusals.ts'
import { settings } from './settings.ts'

/** Time in milliseconds after which a copy of the templates is stale. */
export const freshMs = 5 * 60_000

/**
 * A business account, and the organisation's own number that has access to it. The number is `null` for the platform's
 * number.
 */
export interface CopiedAccount {
  accountId: string
  numberId: string | null
}

export interface TemplateCache {
  /** Refreshes a stale copy. If the refresh fails, keeps the old copy. Throws if there is no copy. */
  renew(account: CopiedAccount): Promise<void>
}

export const templateCopy = service<TemplateCache>({
  name: 'whatsapp.templates',
  open: ({ db, services }) => createTemplateCopy(db, services(questions), services(settings).waitMs),
})

function createTemplateCopy(db: DatabasePool, questions: Questions, timeout: number): TemplateCache {
  const asked = new Map<string, Promise<void>>()

  async function ask({ accountId, numberId }: CopiedAccount): Promise<void> {
    try {
      const answer = await questions.ask(syncTemplates, { numberId }, { timeout })
      if (answer.failure) throw toSendProblem(answer.failure)
    } catch (error) {
      if (!(await rows.isCopied(db, accountId))) throw error
    }
  }

  return {
    async renew(account) {
      const { accountId } = account
      const age = await rows.getCopyAge(db, accountId)
      if (age !== null && age < freshMs) return
      const underWay = asked.get(accountId) ?? ask(account).finally(() => asked.delete(accountId))
      asked.set(accountId, underWay)
      await underWay
    },
  }
}
