/**
 * Characters that look like ASCII letters, grouped by the letter: those of confusables.txt (Unicode UTS #39) that host
 * names can contain, in lower case.
 */
const alike: Readonly<Record<string, string>> = {
  a: 'аɑα',
  b: 'ь',
  c: 'сϲ',
  d: 'ԁɗ',
  e: 'еҽ',
  g: 'ɡցǥ',
  h: 'һհ',
  i: 'іɩι',
  j: 'јϳ',
  k: 'кκ',
  l: 'ӏǀ',
  m: 'м',
  n: 'ոռ',
  o: 'оοօσᴏ',
  p: 'рρ',
  q: 'ԛգ',
  r: 'гᴦ',
  s: 'ѕꜱ',
  t: 'тτ',
  u: 'υս',
  v: 'ѵν',
  w: 'ԝաѡω',
  x: 'хχ',
  y: 'уүγ',
  z: 'ᴢʐ',
}

const letterOf = new Map(Object.entries(alike).flatMap(([letter, others]) => [...others].map((one) => [one, letter])))

const isAscii = (text: string) => /^[\x20-\x7e]*$/.test(text)

/**
 * Returns the ASCII name that a label looks like. Undefined if other letters remain, or if it differs only by accents.
 */
export function findLookalike(label: string): string | undefined {
  const bare = label.normalize('NFKD').replace(/\p{M}/gu, '')
  const read = [...bare].map((c) => letterOf.get(c) ?? c).join('')
  return !isAscii(bare) && isAscii(read) ? read : undefined
}

const scripts = {
  latin: /\p{Script=Latin}/u,
  cyrillic: /\p{Script=Cyrillic}/u,
  greek: /\p{Script=Greek}/u,
  armenian: /\p{Script=Armenian}/u,
}

/** Returns the scripts that a label mixes, of those with similar letters. Empty for one script. */
export function listMixedScripts(label: string): string[] {
  const found = Object.entries(scripts).flatMap(([name, letters]) => (letters.test(label) ? [name] : []))
  return found.length > 1 ? found : []
}
