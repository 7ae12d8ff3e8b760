const all = {
  en: {
    loading: 'Loading your preferences.',
    failed: 'Your preferences could not be loaded.',
    again: 'Try again',
    topics: 'Email topics',
    others: 'all other notifications',
    empty: 'There is nothing to choose yet.',
    all: 'Unsubscribe from all marketing email',
    sure: 'Yes, unsubscribe permanently',
    unsubscribed: 'You have unsubscribed from all marketing email.',
    saved: 'Your preferences are saved.',
    unsaved: 'Your change was not saved. Try again.',
    channels: { in_app: 'In the app', email: 'Email', push: 'Push', whatsapp: 'WhatsApp' },
  },
  de: {
    loading: 'Ihre Einstellungen werden geladen.',
    failed: 'Ihre Einstellungen konnten nicht geladen werden.',
    again: 'Erneut versuchen',
    topics: 'E-Mail-Themen',
    others: 'alle weiteren Benachrichtigungen',
    empty: 'Noch nichts zur Auswahl.',
    all: 'Alle Werbe-E-Mails abbestellen',
    sure: 'Ja, dauerhaft abbestellen',
    unsubscribed: 'Sie haben alle Werbe-E-Mails abbestellt.',
    saved: 'Ihre Einstellungen sind gespeichert.',
    unsaved: 'Ihre Änderung wurde nicht gespeichert. Versuchen Sie es erneut.',
    channels: { in_app: 'In der App', email: 'E-Mail', push: 'Push', whatsapp: 'WhatsApp' },
  },
}

export function wordsFor(languages) {
  const known = languages.filter(Boolean).map((tag) => tag.toLowerCase().split('-')[0])
  const language = known.find((one) => Object.hasOwn(all, one)) ?? 'en'
  return { language, ...all[language] }
}
