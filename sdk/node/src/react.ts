// Each component is in its own module, so that a page loads only the components that it uses.
export { MillBot, type MillBotElement, type MillBotEvents, type MillBotProps } from './react/bot.ts'
export { MillChat, type MillChatElement, type MillChatEvents, type MillChatProps } from './react/chat.ts'
export { MillGuard, type MillGuardElement, type MillGuardEvents, type MillGuardProps } from './react/guard.ts'
export { MillInbox, type MillInboxElement, type MillInboxEvents, type MillInboxProps } from './react/inbox.ts'
export {
  MillPlayer,
  type MillPlayerChapter,
  type MillPlayerElement,
  type MillPlayerEvents,
  type MillPlayerProps,
  type MillPlayerState,
} from './react/player.ts'
export {
  MillPreferences,
  type MillPreferencesElement,
  type MillPreferencesEvents,
  type MillPreferencesProps,
} from './react/preferences.ts'
export {
  MillWebhooks,
  type MillWebhooksElement,
  type MillWebhooksEvents,
  type MillWebhooksProps,
} from './react/webhooks.ts'
