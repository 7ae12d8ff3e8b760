import { z } from 'zod'
import { badRequest, type Fault } from '#lib/errors.ts'
import { Float4, Int4 } from '#lib/input-types.ts'
import { findPlaceholderFault, listPlaceholders } from '#lib/placeholders.ts'
import type { Persona, Variable } from '#sql/bots/versions.ts'
import { findTemplate, type Template } from './catalogue.ts'
import { text, Values } from './fields.ts'

/** Fields of a bot's persona. Each change creates a new version of the persona. */
export const personaFields = {
  template: z.string().max(100).optional().describe('Key of the template'),
  template_version: Int4.min(1).optional().describe('Default: the newest version'),
  system_prompt: text(8_000)
    .optional()
    .describe('Prompt instead of a template, with `{{placeholders}}`. The prompt is never returned.'),
  greeting: text(1_000).nullable().optional(),
  fallback: text(1_000).optional().describe('Text that the bot returns if it has no answer'),
  starter_questions: z.array(text(200)).max(10).optional(),
  variables: Values.optional().describe('Values of placeholders. Conversations fill the remaining placeholders.'),
  temperature: Float4.min(0).max(2).nullable().optional(),
  max_tokens: z.int().min(16).max(2_048).optional(),
}

const PersonaInput = z.object(personaFields)

export type PersonaInput = z.infer<typeof PersonaInput>

const usual = {
  fallback: 'I do not know that.',
  greeting: null,
  starter_questions: [],
  variable_values: {},
  temperature: null,
  max_tokens: 512,
}

export const changesPersona = (given: PersonaInput): boolean =>
  Object.keys(personaFields).some((name) => given[name as keyof PersonaInput] !== undefined)

/**
 * Returns the persona after a change. `before` is the current persona of an existing bot. Throws 400 with every invalid
 * field.
 */
export function buildPersona(given: PersonaInput, before?: Persona): Persona {
  const faults: Fault[] = []
  const base = getBasePersona(given, before, faults)
  const persona: Persona = {
    ...base,
    greeting: given.greeting === undefined ? base.greeting : given.greeting,
    fallback: given.fallback ?? base.fallback,
    starter_questions: given.starter_questions ?? base.starter_questions,
    variable_values: given.variables ?? base.variable_values,
    temperature: given.temperature === undefined ? base.temperature : given.temperature,
    max_tokens: given.max_tokens ?? base.max_tokens,
  }
  for (const field of ['system_prompt', 'greeting'] as const) {
    const issue = given[field] && findPlaceholderFault(given[field], '{{company}} and {{name}}')
    if (issue) faults.push({ field: `body.${field}`, issue })
  }
  const variables = listVariables(persona)
  for (const name of Object.keys(given.variables ?? {})) {
    if (!variables.some(({ key }) => key === name)) {
      faults.push({ field: `body.variables.${name}`, issue: 'must be a placeholder in the prompt or the greeting' })
    }
  }
  if (faults.length > 0) throw badRequest(faults)
  const values = Object.entries(persona.variable_values).filter(([name]) => variables.some(({ key }) => key === name))
  return { ...persona, variables, variable_values: Object.fromEntries(values) }
}

const nothing: Persona = { ...usual, template_key: null, template_version: null, system_prompt: '', variables: [] }

function getBasePersona(given: PersonaInput, before: Persona | undefined, faults: Fault[]): Persona {
  const { template, template_version: version, system_prompt } = given
  const now = before ?? nothing
  if (system_prompt !== undefined) {
    if ((template ?? version) !== undefined) {
      faults.push({ field: 'body.system_prompt', issue: 'cannot be used together with a template' })
    }
    return { ...now, template_key: null, template_version: null, system_prompt, variables: [] }
  }
  if (template === undefined && version === undefined) {
    if (!before) faults.push({ field: 'body.template', issue: 'is required if there is no `system_prompt`' })
    return now
  }
  const key = template ?? now.template_key
  const found = key === null ? undefined : findTemplate(key, version)
  if (found) return { ...now, ...fromTemplate(found) }
  const isKnown = template === undefined || findTemplate(template)
  faults.push({
    field: isKnown ? 'body.template_version' : 'body.template',
    issue: 'must be an existing template or version',
  })
  return now
}

const fromTemplate = (template: Template) => ({
  template_key: template.key,
  template_version: template.version,
  system_prompt: template.system_prompt,
  greeting: template.greeting,
  fallback: template.fallback,
  starter_questions: template.starter_questions,
  variables: template.variables,
})

function listVariables({ system_prompt, greeting, variables }: Persona): Variable[] {
  return listPlaceholders(system_prompt, greeting).map(
    (name) => variables.find(({ key }) => key === name) ?? { key: name, label: name, required: true },
  )
}
