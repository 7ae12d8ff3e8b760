interface Words {
  /** Sentence before the time of the opening. */
  back: (when: string) => string
  closed: string
  leave: string
}

const words: Readonly<Record<string, Words>> = {
  en: {
    back: (when) => `Our team is not available right now. We will be back on ${when}.`,
    closed: 'Our team is not available right now.',
    leave: 'Your message is saved, and a person will reply here.',
  },
  de: {
    back: (when) => `Unser Team ist gerade nicht erreichbar. Wir sind wieder da: ${when}.`,
    closed: 'Unser Team ist gerade nicht erreichbar.',
    leave: 'Ihre Nachricht ist gespeichert. Eine Person wird Ihnen hier antworten.',
  },
  fr: {
    back: (when) => `Notre équipe n’est pas disponible pour le moment. Nous serons de retour le ${when}.`,
    closed: 'Notre équipe n’est pas disponible pour le moment.',
    leave: 'Votre message est enregistré et une personne vous répondra ici.',
  },
  es: {
    back: (when) => `Nuestro equipo no está disponible en este momento. Volveremos el ${when}.`,
    closed: 'Nuestro equipo no está disponible en este momento.',
    leave: 'Su mensaje está guardado y una persona le responderá aquí.',
  },
  et: {
    back: (when) => `Meie meeskond ei ole praegu kättesaadav. Oleme tagasi: ${when}.`,
    closed: 'Meie meeskond ei ole praegu kättesaadav.',
    leave: 'Teie sõnum on salvestatud ja inimene vastab teile siin.',
  },
  ru: {
    back: (when) => `Наша команда сейчас недоступна. Мы вернёмся: ${when}.`,
    closed: 'Наша команда сейчас недоступна.',
    leave: 'Ваше сообщение сохранено, и сотрудник ответит вам здесь.',
  },
}

/** Languages of the notice. Other languages get English. */
export const noticeLanguages = Object.keys(words)

/** Returns the first language with a notice, such as `de` for `de-AT`. */
export function chooseLanguage(wanted: readonly (string | null | undefined)[]): string {
  for (const tag of wanted) {
    const base = tag?.split('-')[0]?.toLowerCase()
    if (base !== undefined && Object.hasOwn(words, base)) return base
  }
  return 'en'
}

/** Returns an instant with its weekday, date and time in a time zone, in the words of a language. */
export function formatOpening(language: string, timeZone: string, at: Date): string {
  return new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
    ...{ weekday: 'long', day: 'numeric', month: 'long', hour: '2-digit', minute: '2-digit' },
    ...{ hourCycle: 'h23', timeZone, timeZoneName: 'short' },
  }).format(at)
}

/** Returns what a visitor reads if a handover starts outside office hours. */
export function writeAbsenceNotice(
  { language, timeZone }: { language: string; timeZone: string },
  nextOpenAt: Date | null,
): string {
  const { back, closed, leave } = words[language] ?? (words.en as Words)
  return `${nextOpenAt === null ? closed : back(formatOpening(language, timeZone, nextOpenAt))} ${leave}`
}
