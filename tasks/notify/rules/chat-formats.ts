import type { ChatMessage } from '#sql/notify/chat-messages.ts'
import type { ChatChannel } from '#sql/notify/connections.ts'

type Said = Pick<ChatMessage, 'title' | 'body' | 'url'>

/** Maximum number of characters of the services. */
const limits = { slack: 2_900, teams: 8_000, discordTitle: 256, discord: 4_000 } as const

const cut = (text: string, most: number): string => {
  const characters = [...text]
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`
}

/** Escapes the control characters of mrkdwn, so that a text contains no mention, link or command. */
const escapeSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

function toSlack({ title, body, url }: Said): object {
  const plain = (text: string) => ({ type: 'plain_text', text: cut(text, limits.slack), emoji: false })
  return {
    // Shown in notifications, and by clients without blocks.
    text: escapeSlack(cut(title, limits.slack)),
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: `*${escapeSlack(cut(title, 300)).replaceAll('*', '∗')}*` } },
      ...(body === null ? [] : [{ type: 'section', text: plain(body) }]),
      ...(url === null
        ? []
        : [{ type: 'actions', elements: [{ type: 'button', text: plain('Open'), url: cut(url, 3_000) }] }]),
    ],
  }
}

/** Text runs have no markup, so a text is shown as it is. */
function toTeams({ title, body, url }: Said): object {
  const block = (text: string, more: object) => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text: cut(text, limits.teams), ...more }],
  })
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [block(title, { weight: 'Bolder', size: 'Medium' }), ...(body === null ? [] : [block(body, {})])],
    ...(url !== null && { actions: [{ type: 'Action.OpenUrl', title: 'Open', url }] }),
  }
  const card = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }
  return { type: 'message', attachments: [card] }
}

const escapeDiscord = (text: string): string => text.replace(/[\\*_~`|>#[\]()<:@-]/g, '\\$&')

function toDiscord({ title, body, url }: Said): object {
  return {
    embeds: [
      {
        title: cut(escapeDiscord(cut(title, limits.discordTitle / 2)), limits.discordTitle),
        ...(body !== null && { description: cut(escapeDiscord(cut(body, limits.discord / 2)), limits.discord) }),
        ...(url !== null && { url }),
      },
    ],
    // Without it, a text could notify everyone.
    allowed_mentions: { parse: [] },
  }
}

const formats = { slack: toSlack, teams: toTeams, discord: toDiscord }

/** Returns the body of a request to the incoming webhook of a chat service. */
export const formatChat = (kind: Exclude<ChatChannel, 'url'>, said: Said): string => JSON.stringify(formats[kind](said))
