/** Text before passages that may help, by language. */
const texts: Readonly<Record<string, string>> = {
  de: 'Ich bin nicht sicher. Das könnte helfen:',
  en: 'I am not sure. This may help:',
  es: 'No estoy seguro. Esto puede ayudar:',
  et: 'Ma ei ole kindel. See võib aidata:',
  fi: 'En ole varma. Tästä voi olla apua:',
  fr: 'Je ne suis pas sûr. Ceci peut aider :',
  it: 'Non sono sicuro. Questo può essere utile:',
  lt: 'Nesu tikras. Tai gali padėti:',
  lv: 'Neesmu pārliecināts. Tas var palīdzēt:',
  nl: 'Ik weet het niet zeker. Dit kan helpen:',
  pl: 'Nie mam pewności. To może pomóc:',
  pt: 'Não tenho certeza. Isto pode ajudar:',
  ru: 'Я не уверен. Это может помочь:',
  sv: 'Jag är inte säker. Det här kan hjälpa:',
  uk: 'Я не впевнений. Це може допомогти:',
}

/** Returns the text before passages that may help, in the first language of a bot that has one. Default: English. */
export function getUnsureText(languages: readonly string[]): string {
  const known = languages.map((tag) => texts[tag.toLowerCase().split('-')[0] ?? '']).find((text) => text !== undefined)
  return known ?? (texts.en as string)
}
