import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { listPlaceholders } from '#lib/placeholders.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { textField } from '../../http/html/form.ts'
import { type Html, html, queryString } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { create } from '../bots.ts'
import { findTemplate, newestTemplates, type Template } from '../catalogue.ts'
import {
  atFields,
  modelInputs,
  personaFields,
  promptInput,
  replyInputs,
  toPersona,
  valueInputs,
  valuesOf,
  withValues,
} from './persona-fields.ts'
import { directoryInputs, handoverInput, nameInputs, profileFields, toProfile } from './profile-fields.ts'
import { pathOf, section } from './section.ts'

const path = `${section.path}/new`
const own = 'own'

/** Creates a bot in two steps: select a template or your own instructions, then fill in the form. */
export const { show: askForBot, submit: makeBot } = formPage({
  path: '/bots/new',
  summary: 'Create a bot',
  section,
  permission: 'areas:write',
  query: z.object({ from: z.string().max(100).optional() }),
  fields: withValues({ ...profileFields, ...personaFields, slug: z.string().max(200).default('') }),
  async view({ member, query: { from }, filled, fault }) {
    const template = from === undefined ? undefined : findTemplate(from)
    if (from !== own && !template) return { title: 'Create bot', main: chooser() }
    const main = html`${parentLink('Create bot', path)}<h1>${template ? template.name : 'Your own instructions'}</h1>${renderFault(fault)}
${template && html`<p class="lead">${template.description}</p>`}
<form class="form" method="post" action="${path}${queryString({ from })}">${tokenField(member)}
${nameInputs(filled)}
${template ? valueInputs(filled, template.variables) : html`${promptInput(filled)}${replyInputs(filled)}`}
${handoverInput(filled)}
<details${rare.some((name) => filled.faults[name]) && html` open`}><summary>More settings</summary>
${template && replyInputs(filled, template)}
${directoryInputs(filled)}
${textField(filled, { name: 'slug', label: 'Slug', hint: 'Optional. Name of the bot in URLs. Default: derived from the name. It cannot be changed later.' })}
${modelInputs(filled)}
</details>
<p class="actions"><button>Create bot</button> <a class="button plain" href="${section.path}">Cancel</a></p></form>`
    return { title: 'Create bot', main }
  },
  async submit({ ask, query: { from }, given }) {
    const template = from === undefined ? undefined : findTemplate(from)
    const body = {
      ...toProfile(given),
      ...toPersona(given),
      ...(given.slug.trim() !== '' && { slug: given.slug.trim() }),
      ...promptOf(template, given),
    }
    const { id } = await atFields(ask(create, { body }, z.object({ id: Id })))
    return { to: `${pathOf(id)}/documents`, told: 'Bot created. Add documents for its answers.' }
  },
})

function promptOf(template: Template | undefined, given: { system_prompt: string; greeting: string }) {
  if (template)
    return {
      template: template.key,
      variables: valuesOf(
        given,
        template.variables.map(({ key }) => key),
      ),
    }
  const { system_prompt, greeting } = given
  return { system_prompt, variables: valuesOf(given, listPlaceholders(system_prompt, greeting)) }
}

/** Fields that are collapsed until they have a fault. */
const rare = [
  ...['greeting', 'fallback', 'starter_questions', 'description', 'category', 'avatar_url', 'retention_days', 'slug'],
  ...['temperature', 'max_tokens'],
]

const chooser = (): Html => html`${parentLink('Bots', section.path)}<h1>Create bot</h1>
<p class="lead">Start from a template or write your own instructions. You can change both later.</p>
<ul class="choices">${newestTemplates().map(choice)}
<li><a href="${path}?from=${own}"><strong>Your own instructions</strong><span>Describe the task, the tone and the limits of the bot in your own words.</span></a></li></ul>`

const choice = ({ key, name, description, language }: Template): Html =>
  html`<li><a href="${path}?from=${key}"><strong>${name}</strong><span>${description}</span><span class="quiet">Language: ${language}</span></a></li>`
