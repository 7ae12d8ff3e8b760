/** Letters that are no others with marks, and so stay when marks are taken away. */
const letters: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ŋ: 'n',
  ħ: 'h',
  ŧ: 't',
}

/** Legal forms as they stand before or behind names, normalised, the longest first. */
const legalForms = [
  ...[
    'public limited company',
    'limited liability partnership',
    'limited liability company',
    'private limited company',
  ],
  ...['sabiedriba ar ierobezotu atbildibu', 'uzdaroji akcine bendrove', 'besloten vennootschap', 'societe anonyme'],
  ...['akciju sabiedriba', 'akcine bendrove', 'julkinen osakeyhtio', 'usaldusuhing', 'taisuhing', 'tulundusuhistu'],
  ...['osauhing', 'aktsiaselts', 'mittetulundusuhing', 'sihtasutus', 'korteriuhistu', 'osakeyhtio', 'aktiebolag'],
  ...[
    'sp z o o',
    's r l',
    's p a',
    's a r l',
    's a',
    'b v',
    'n v',
    'incorporated',
    'corporation',
    'limited',
    'company',
  ],
  ...['gmbh co kg', 'gmbh', 'sarl', 'srl', 'spa', 'sas', 'plc', 'llc', 'llp', 'ltd', 'inc', 'corp', 'oyj', 'oy', 'ou'],
  ...[
    'uab',
    'sia',
    'mtu',
    'tuh',
    'aps',
    'asa',
    'ab',
    'ag',
    'as',
    'bv',
    'co',
    'kg',
    'ku',
    'kft',
    'nv',
    'sa',
    'se',
    'uu',
  ],
]
const before = new RegExp(`^(?:${legalForms.join('|')}) (?=.)`)
const behind = new RegExp(`(?<=.) (?:${legalForms.join('|')})$`)

/** Small letters without marks; what is neither letter nor digit is a space. */
export const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[ßæœøłđðþıŋħŧ]/g, (letter) => letters[letter] ?? letter)
    .replace(/['’`´]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** Whether a text, plain, is nothing but a legal form: names are compared without these. */
export const isLegalForm = (text: string): boolean => legalForms.includes(text)

/** A name as names are compared: plain, without the legal forms before and behind it, unless nothing else is left. */
export function normalName(name: string): string {
  let text = plain(name)
  for (let shorter = text; ; text = shorter) {
    shorter = text.replace(behind, '').replace(before, '')
    if (shorter === text) return text
  }
}
