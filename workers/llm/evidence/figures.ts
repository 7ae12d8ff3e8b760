const number = /\d{1,3}(?:[.,\u0020\u00a0\u202f'’]\d{3})+(?!\d)(?:[.,]\d{1,9}(?!\d))?|\d{1,30}(?:[.,]\d{1,9}(?!\d))?/gu

/** Matches a list marker at the start of a line. A list marker is not a number of the text. */
const marker = /^[ \t]{0,8}\d{1,3}[.)][ \t]/gmu

const signs: readonly RegExp[] = [
  /\$|\b(?:usd|dollars?)\b/iu,
  /€|\b(?:eur|euros?|eurot)\b/iu,
  /£|\b(?:gbp|pounds?)\b/iu,
  /¥|\b(?:jpy|yen)\b/iu,
  /₽|\bруб/iu,
  /%|\b(?:percent|per cent|prozent|pour cent|por ciento|protsenti?)\b|процент/iu,
]

export function findNumbers(text: string): string[] {
  return [...text.normalize('NFC').replace(marker, '').matchAll(number)].map(([written]) => plain(written))
}

function plain(written: string): string {
  const grouped = /^\d{1,3}(?:([.,\u0020\u00a0\u202f'’])\d{3})(?:\1\d{3})*(?!\d)/u.exec(written)
  const whole = grouped ? grouped[0] : (/^\d+/.exec(written)?.[0] ?? '')
  const fraction = written.slice(whole.length + 1).replace(/0{1,9}$/, '')
  const digits = whole.replace(/\D/g, '').replace(/^0+(?=\d)/, '')
  return fraction === '' ? digits : `${digits}.${fraction}`
}

export function findUnprovenFigure(text: string, evidence: string): string | undefined {
  const proven = new Set(findNumbers(evidence))
  const figure = findNumbers(text).find((each) => !proven.has(each))
  if (figure !== undefined) return figure
  const sign = signs.find((each) => each.test(text) && !each.test(evidence))
  return sign && (sign.exec(text)?.[0] ?? '')
}

export const removeFigures = (text: string): string =>
  signs.reduce((left, sign) => left.replace(new RegExp(sign, 'giu'), ' '), text.replace(number, ' '))
