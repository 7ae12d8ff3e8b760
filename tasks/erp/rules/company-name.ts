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

/** Normalised legal forms before or after names, longest first. */
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

/** Returns the text in lower case without diacritics. Other characters become spaces. */
export const plainText = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[ßæœøłđðþıŋħŧ]/g, (letter) => letters[letter] ?? letter)
    .replace(/['’`´]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** True if a normalised text is only a legal form. Names are compared without legal forms. */
export const isLegalForm = (text: string): boolean => legalForms.includes(text)

/** Returns a normalised name for comparison. Legal forms are removed unless nothing else remains. */
export function normaliseName(name: string): string {
  let text = plainText(name)
  for (let shorter = text; ; text = shorter) {
    shorter = text.replace(behind, '').replace(before, '')
    if (shorter === text) return text
  }
}
