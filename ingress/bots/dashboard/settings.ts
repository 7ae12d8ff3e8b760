import { z } from 'zod'
import * as bots from '#sql/bots/bots.ts'
import { action, formPage, page } from '../../http/dashboard/page.ts'
import { html } from '../../http/html/html.ts'
import { actionButton, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { publish, remove, update, withdraw } from '../bots.ts'
import { botView } from './bot-frame.ts'
import { directoryInputs, handoverInput, nameInputs, profileFields, toProfile } from './profile-fields.ts'
import { ofBot, pathOf, section } from './section.ts'

export const { show: showSettings, submit: changeSettings } = formPage({
  path: '/bots/{bot_id}/settings',
  summary: 'Edit the settings of a bot',
  section,
  permission: 'areas:write',
  params: ofBot,
  fields: z.object(profileFields),
  async view({ db, member, may, params: { bot_id }, filled, fault }) {
    const bot = await mustFind(bots.find(db, member.orgId, bot_id), 'bot')
    const path = pathOf(bot.id)
    const [words, told] = bot.published_at
      ? ['Withdraw bot', 'The bot is in the directory. Every organisation on this Millrace can talk to it.']
      : ['Publish bot', 'Publish the bot to list it in the directory. Your own web pages do not need it.']
    const content = html`${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${nameInputs(filled, bot)}
${handoverInput(filled, bot)}
${directoryInputs(filled, bot)}
<button>Save settings</button></form>
<section><h2>Directory</h2><p>${told}</p><p class="spaced">${actionButton(member, `${path}/${bot.published_at ? 'withdraw' : 'publish'}`, words)}</p></section>
<section><h2>Delete bot</h2><p>Deletes the bot with its documents and all conversations. You cannot undo this.</p>
<p class="spaced"><a class="button" href="${path}/delete">Delete bot…</a></p></section>`
    return botView(bot, 'Settings', may, content)
  },
  async submit({ ask, params: { bot_id }, given }) {
    await ask(update, { params: { slug: bot_id }, body: toProfile(given) }, z.object({}))
    return { to: `${pathOf(bot_id)}/settings`, told: 'Settings saved.' }
  },
})

export const publishBot = action({
  path: '/bots/{bot_id}/publish',
  summary: 'Publish a bot in the directory',
  permission: 'areas:write',
  params: ofBot,
  back: ({ bot_id }) => `${pathOf(bot_id)}/settings`,
  async perform({ ask, params: { bot_id: botId } }) {
    await ask(publish, { params: { botId } }, z.object({}))
    return { to: `${pathOf(botId)}/settings`, told: 'Bot published.' }
  },
})

export const withdrawBot = action({
  path: '/bots/{bot_id}/withdraw',
  summary: 'Withdraw a bot from the directory',
  permission: 'areas:write',
  params: ofBot,
  back: ({ bot_id }) => `${pathOf(bot_id)}/settings`,
  async perform({ ask, params: { bot_id: botId } }) {
    await ask(withdraw, { params: { botId } }, z.object({}))
    return { to: `${pathOf(botId)}/settings`, told: 'Bot withdrawn.' }
  },
})

export const askToDelete = page({
  path: '/bots/{bot_id}/delete',
  summary: 'Confirm the deletion of a bot',
  section,
  permission: 'areas:write',
  params: ofBot,
  async view({ db, member, params: { bot_id } }) {
    const bot = await mustFind(bots.find(db, member.orgId, bot_id), 'bot')
    const main = html`${parentLink(bot.name, `${pathOf(bot.id)}/settings`)}<h1>Delete ${bot.name}?</h1>
<p class="lead">The bot, its documents and all of its conversations are deleted. Web pages that embed the bot show that it is unavailable. You cannot undo this.</p>
<p class="actions spaced">${actionButton(member, `${pathOf(bot.id)}/delete`, 'Delete bot', { grave: true })} <a class="button" href="${pathOf(bot.id)}/settings">Cancel</a></p>`
    return { title: `Delete ${bot.name}`, main }
  },
})

export const deleteBot = action({
  path: '/bots/{bot_id}/delete',
  summary: 'Delete a bot',
  permission: 'areas:write',
  params: ofBot,
  back: ({ bot_id }) => `${pathOf(bot_id)}/settings`,
  async perform({ ask, params: { bot_id } }) {
    await ask(remove, { params: { slug: bot_id } }, z.object({}))
    return { to: section.path, told: 'Bot deleted.' }
  },
})
