const all = {
  en: {
    inbox: 'Notifications',
    unread: (n) => `${n} unread`,
    readAll: 'Mark all as read',
    archive: 'Archive',
    unarchive: 'Move to inbox',
    read: 'Mark as read',
    markUnread: 'Mark as unread',
    archived: 'Archived',
    close: 'Close',
    older: 'Older',
    empty: 'No notifications yet.',
    failed: 'The notifications could not be loaded.',
    again: 'Try again',
    came: 'New notification:',
  },
  de: {
    inbox: 'Benachrichtigungen',
    unread: (n) => `${n} ungelesen`,
    readAll: 'Alle als gelesen markieren',
    archive: 'Archivieren',
    unarchive: 'Zurück in den Eingang',
    read: 'Als gelesen markieren',
    markUnread: 'Als ungelesen markieren',
    archived: 'Archiv',
    close: 'Schließen',
    older: 'Ältere',
    empty: 'Noch nichts da.',
    failed: 'Die Benachrichtigungen konnten nicht geladen werden.',
    again: 'Erneut versuchen',
    came: 'Neue Benachrichtigung:',
  },
}

export function wordsFor(languages) {
  const known = languages.filter(Boolean).map((tag) => tag.toLowerCase().split('-')[0])
  const language = known.find((one) => Object.hasOwn(all, one)) ?? 'en'
  return { language, ...all[language] }
}
