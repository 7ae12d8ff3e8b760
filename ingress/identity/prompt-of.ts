import type { DatabasePool } from '#sql/db.ts'
import * as rows from '#sql/identity/prompts.ts'
import { findRequirement } from '#tasks/identity/rules/catalogue.ts'
import { readPromptToken } from '#tasks/identity/rules/prompt-link.ts'
import type { Services } from '../http/container.ts'
import { requireOpenOrganisation } from '../http/demand-open.ts'
import { mustFind } from '../http/must-find.ts'
import { signingSecret } from '../http/services.ts'

export async function loadPrompt(db: DatabasePool, token: string, services: Services) {
  const id = readPromptToken(token, services(signingSecret))
  const prompt = await mustFind(id === null ? Promise.resolve(null) : rows.find(db, id), 'page')
  await requireOpenOrganisation(db, prompt.org_id, 'page')
  const requirement = await mustFind(Promise.resolve(findRequirement(prompt.requirement)), 'page')
  return { prompt, requirement }
}
