import { listLocales } from '../../notify/rules/locales.ts'

interface Texts {
  sms(brand: string | null, code: string): string
  subject(brand: string | null): string
  body(brand: string | null, code: string, minutes: number): string
  ignore: string
  /** Words before the spoken digits. */
  spoken(brand: string | null): string
}

const of = (brand: string | null, word: string) => (brand === null ? '' : ` ${word} ${brand}`)

const texts = {
  en: {
    sms: (brand, code) => `${code} is your code${of(brand, 'for')}. Do not share it.`,
    subject: (brand) => `Your code${of(brand, 'for')}`,
    body: (brand, code, minutes) => `Your code${of(brand, 'for')} is ${code}. It expires in ${minutes} minutes.`,
    ignore: 'If you did not request this code, ignore this email. Never share the code.',
    spoken: (brand) => `Your code${of(brand, 'for')} is`,
  },
  de: {
    sms: (brand, code) => `${code} ist Ihr Code${of(brand, 'für')}. Geben Sie ihn nicht weiter.`,
    subject: (brand) => `Ihr Code${of(brand, 'für')}`,
    body: (brand, code, minutes) => `Ihr Code${of(brand, 'für')} lautet ${code}. Er ist ${minutes} Minuten gültig.`,
    ignore: 'Wenn Sie diesen Code nicht angefordert haben, ignorieren Sie diese E-Mail. Geben Sie den Code nie weiter.',
    spoken: (brand) => `Ihr Code${of(brand, 'für')} lautet`,
  },
  es: {
    sms: (brand, code) => `${code} es su código${of(brand, 'de')}. No lo comparta.`,
    subject: (brand) => `Su código${of(brand, 'de')}`,
    body: (brand, code, minutes) => `Su código${of(brand, 'de')} es ${code}. Caduca en ${minutes} minutos.`,
    ignore: 'Si no ha solicitado este código, ignore este correo. No comparta nunca el código.',
    spoken: (brand) => `Su código${of(brand, 'de')} es`,
  },
  et: {
    sms: (brand, code) => `${code} on teie kood${brand === null ? '' : ` (${brand})`}. Ärge jagage seda.`,
    subject: (brand) => `Teie kood${brand === null ? '' : `: ${brand}`}`,
    body: (brand, code, minutes) =>
      `Teie kood${brand === null ? '' : ` (${brand})`} on ${code}. See kehtib ${minutes} minutit.`,
    ignore: 'Kui te seda koodi ei küsinud, jätke see kiri tähelepanuta. Ärge kunagi koodi jagage.',
    spoken: (brand) => `Teie kood${brand === null ? '' : ` ${brand}`} on`,
  },
  fr: {
    sms: (brand, code) => `${code} est votre code${of(brand, 'pour')}. Ne le partagez pas.`,
    subject: (brand) => `Votre code${of(brand, 'pour')}`,
    body: (brand, code, minutes) => `Votre code${of(brand, 'pour')} est ${code}. Il expire dans ${minutes} minutes.`,
    ignore: 'Si vous n’avez pas demandé ce code, ignorez cet e-mail. Ne partagez jamais le code.',
    spoken: (brand) => `Votre code${of(brand, 'pour')} est`,
  },
  ru: {
    sms: (brand, code) => `${code} — ваш код${of(brand, 'для')}. Никому его не сообщайте.`,
    subject: (brand) => `Ваш код${of(brand, 'для')}`,
    body: (brand, code, minutes) => `Ваш код${of(brand, 'для')}: ${code}. Срок действия: ${minutes} мин.`,
    ignore: 'Если вы не запрашивали этот код, не отвечайте на это письмо. Никому не сообщайте код.',
    spoken: (brand) => `Ваш код${of(brand, 'для')}`,
  },
} as const satisfies Record<string, Texts>

export type TextLocale = keyof typeof texts

/** Returns the language of the texts for a language tag. Default: English. */
export function pickLocale(locale: string | null): TextLocale {
  const known = listLocales(locale, 'en').find((tag): tag is TextLocale => Object.hasOwn(texts, tag))
  return known ?? 'en'
}

export const getTexts = (locale: string | null): Texts => texts[pickLocale(locale)]
